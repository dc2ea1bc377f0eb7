// Arrow arrays made by hand, through the C interface: build, look up, export. Python's import goes
// through the same src/arrow. Buffers are as long as the lengths and offsets of their arrays
// require, since no importer can check that; everything else may be wrong.

#include <rtindex/rtindex.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "arrow/owned.hpp"
#include "fuzz/support/input.hpp"

namespace rtindex {

namespace {

constexpr std::array formats = {
    "c",   "C",   "s",    "S",        "i",         "I",      "l",        "L",  "f",    "g",
    "b",   "u",   "z",    "U",        "Z",         "vu",     "vz",       "+s", "tdD",  "tdm",
    "w:4", "w:0", "tss:", "tsu:UTC",  "n",         "e",      "+l",       "w:", "w:-1", "tts",
    "ttu", "tDn", "w:16", "d:9,2,32", "d:18,2,64", "d:20,3", "d:5,1,256"};

constexpr std::size_t string_bytes = 300;  // more than any offset in a made-up array
constexpr std::size_t widest = 99;         // bytes of a string of fixed width
constexpr std::size_t longest_width = 4;   // characters of "w:99"

// Bytes of one element of buffer 1; strings have their own buffers.
std::size_t width_of(std::string_view format) {
  if (format == "c" || format == "C") return 1;
  if (format == "s" || format == "S" || format == "e") return 2;
  if (format == "i" || format == "I" || format == "f" || format == "tdD" || format == "w:4")
    return 4;
  if (format == "vu" || format == "vz" || format.starts_with("d:")) return 16;
  return 8;
}

class MadeUp {
 public:
  // `size`: of the struct around it.
  MadeUp(fuzz::Input& input, std::size_t least, bool is_child) : format_(format_from(input)) {
    const std::size_t offset = input.below(9);
    const std::size_t length = least + input.below(9);
    const std::size_t size = offset + length;
    add_buffer(std::vector<char>((size + 7) / 8), input);
    if (format_ == "+s" && !is_child) add_children(input, size);
    if (format_ != "+s") add_elements(input, size);
    if (!is_child && format_ == "C" && input.flag()) add_dictionary(input);
    array_.length = static_cast<std::int64_t>(length);
    array_.offset = static_cast<std::int64_t>(offset);
    array_.null_count = input.pick(std::array<std::int64_t, 4>{0, -1, -1, 1});
    array_.release = [](ArrowArray*) {};
    schema_.release = [](ArrowSchema*) {};
    schema_.format = format_.c_str();
    for (std::size_t lies = input.below(4); lies > 1; --lies) lie(input);
    array_.n_buffers += static_cast<std::int64_t>(pointers_.size());
    array_.buffers = pointers_.data();
  }
  MadeUp(const MadeUp&) = delete;
  MadeUp& operator=(const MadeUp&) = delete;

  [[nodiscard]] const ArrowSchema* schema() const { return &schema_; }
  [[nodiscard]] const ArrowArray* array() const { return &array_; }

 private:
  static std::string format_from(fuzz::Input& input) {
    const std::size_t choice = input.below(formats.size() + 1);
    if (choice < formats.size()) return formats[choice];
    std::string format = input.text(input.below(8));
    format.resize(std::min(format.size(), format.find('\0')));
    if (format.starts_with("w:")) format.resize(std::min(format.size(), longest_width));
    return format;
  }

  void add_buffer(std::vector<char> bytes, fuzz::Input& input) {
    for (char& byte : bytes) byte = input.read<char>();
    buffers_.push_back(std::move(bytes));
    pointers_.push_back(buffers_.back().data());
  }

  template <class Offset>
  void add_offsets(fuzz::Input& input, std::size_t size) {
    const bool is_honest = !input.flag();
    std::vector<Offset> offsets(size + 1);
    Offset at = 0;
    for (Offset& offset : offsets) {
      at = static_cast<Offset>(is_honest ? at + static_cast<Offset>(input.below(8))
                                         : input.read<std::int8_t>());
      offset = at;
    }
    std::vector<char> bytes(offsets.size() * sizeof(Offset));
    std::memcpy(bytes.data(), offsets.data(), bytes.size());
    buffers_.push_back(std::move(bytes));
    pointers_.push_back(buffers_.back().data());
    add_buffer(std::vector<char>(string_bytes), input);
  }

  // Views with lengths, buffers and offsets of any value, into two buffers of known sizes.
  void add_views(fuzz::Input& input, std::size_t size) {
    std::vector<char> bytes(size * 16);
    for (std::size_t i = 0; i < size; ++i) {
      const std::array<std::int32_t, 4> view = {
          input.read<std::int8_t>(), 0, input.read<std::int8_t>(), input.read<std::int8_t>()};
      std::memcpy(bytes.data() + 16 * i, view.data(), 16);
    }
    buffers_.push_back(std::move(bytes));
    pointers_.push_back(buffers_.back().data());
    std::array<std::int64_t, 2> sizes{};
    for (std::int64_t& one : sizes) {
      one = static_cast<std::int64_t>(input.below(64));
      add_buffer(std::vector<char>(static_cast<std::size_t>(one)), input);
    }
    std::vector<char> last(sizeof(sizes));
    std::memcpy(last.data(), sizes.data(), sizeof(sizes));
    buffers_.push_back(std::move(last));
    pointers_.push_back(buffers_.back().data());
  }

  void add_elements(fuzz::Input& input, std::size_t size) {
    if (format_ == "u" || format_ == "z") return add_offsets<std::int32_t>(input, size);
    if (format_ == "U" || format_ == "Z") return add_offsets<std::int64_t>(input, size);
    if (format_ == "vu" || format_ == "vz") return add_views(input, size);
    const std::size_t bytes = format_ == "b"
                                  ? (size + 7) / 8
                                  : size * (format_.starts_with("w:") ? widest : width_of(format_));
    add_buffer(std::vector<char>(bytes), input);
  }

  void add_children(fuzz::Input& input, std::size_t size) {
    for (std::size_t count = input.below(4); count > 0; --count) {
      children_.push_back(std::make_unique<MadeUp>(input, input.flag() ? size : 0, true));
      schemas_.push_back(&children_.back()->schema_);
      arrays_.push_back(&children_.back()->array_);
    }
    schema_.n_children = array_.n_children = static_cast<std::int64_t>(children_.size());
    schema_.children = schemas_.data();
    array_.children = arrays_.data();
  }

  void add_dictionary(fuzz::Input& input) {
    children_.push_back(std::make_unique<MadeUp>(input, input.below(9), true));
    schema_.dictionary = &children_.back()->schema_;
    array_.dictionary = &children_.back()->array_;
  }

  // Without their last buffer, views would use the strings before it as sizes, which no importer
  // can detect.
  std::int64_t missing_buffers(fuzz::Input& input) const {
    const auto missing = static_cast<std::int64_t>(input.below(6));
    return missing == 1 && format_.starts_with('v') ? 2 : missing;
  }

  // Errors that an importer can detect.
  void lie(fuzz::Input& input) {
    switch (input.below(14)) {
      case 0: array_.length = -1 - input.read<std::uint8_t>(); break;
      case 1: array_.length = std::int64_t{1} << (60 + input.below(3)); break;
      case 2: array_.offset = input.flag() ? -1 : std::int64_t{1} << 62; break;
      case 3: array_.n_buffers = -missing_buffers(input); break;
      case 4: pointers_[input.below(pointers_.size())] = nullptr; break;
      case 5: array_.release = nullptr; break;
      case 6: schema_.release = nullptr; break;
      case 7: schema_.format = nullptr; break;
      case 8: schema_.dictionary = &schema_; break;
      case 9: array_.null_count = input.read<std::int64_t>(); break;
      case 10: schema_.n_children = -1; break;
      case 11:
        array_.n_children = static_cast<std::int64_t>(input.below(children_.size() + 1));
        break;
      case 12: array_.children = nullptr; break;
      default:
        if (!arrays_.empty()) arrays_[input.below(arrays_.size())] = nullptr;
    }
  }

  std::string format_;
  std::vector<std::vector<char>> buffers_;
  std::vector<const void*> pointers_;
  std::vector<std::unique_ptr<MadeUp>> children_;
  std::vector<ArrowSchema*> schemas_;
  std::vector<ArrowArray*> arrays_;
  ArrowSchema schema_{};
  ArrowArray array_{};
};

void check(rtindex_status status) {
  fuzz::require(status == RTINDEX_STATUS_OK || *rtindex_last_error() != '\0',
                "an error without a text");
  fuzz::require(status != RTINDEX_STATUS_INTERNAL, rtindex_last_error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const char* spec = input.pick(std::array{"sorted@cpu", "rx:native@cpu", "hash@cpu"});
  const MadeUp made(input, 0, false);
  const MadeUp searched(input, 0, false);
  rtindex_column column{};
  column.struct_size = sizeof(column);
  column.schema = made.schema();
  column.array = made.array();
  rtindex_column keys = column;
  keys.schema = searched.schema();
  keys.array = searched.array();
  rtindex_index* index = nullptr;
  const rtindex_status built = rtindex_build(&column, spec, nullptr, &index);
  check(built);
  if (built != RTINDEX_STATUS_OK) return 0;
  for (const rtindex_column* lookups : {&column, &keys}) {
    arrow::Owned<ArrowSchema> schema;
    arrow::Owned<ArrowArray> array;
    rtindex_answer_options options{};
    options.struct_size = sizeof(options);
    options.answers = RTINDEX_ANSWER_ANY | RTINDEX_ANSWER_ROWS;
    const rtindex_query query = rtindex_query_equal(lookups);
    check(rtindex_answer(index, &query, &options, nullptr, schema.address(), array.address()));
  }
  check(rtindex_free(index));
  return 0;
}

}  // namespace rtindex
