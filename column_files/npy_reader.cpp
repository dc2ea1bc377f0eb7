#include "column_files/npy_reader.hpp"

#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rtindex {

namespace {

// The meaning of NumPy's dtype text: "<u4", "|S16", "<M8[us]".
struct NpyType {
  Type type = Type::u64;
  std::size_t width = 8;  // bytes of one element
  std::string unit;       // of a timestamp: "us"
};

struct DtypeCode {
  std::string_view code;
  Type type;
};

constexpr std::array<DtypeCode, 11> dtype_codes = {{{"u1", Type::u8},
                                                    {"u2", Type::u16},
                                                    {"u4", Type::u32},
                                                    {"u8", Type::u64},
                                                    {"i1", Type::i8},
                                                    {"i2", Type::i16},
                                                    {"i4", Type::i32},
                                                    {"i8", Type::i64},
                                                    {"b1", Type::boolean},
                                                    {"f4", Type::f32},
                                                    {"f8", Type::f64}}};

[[noreturn]] void reject(std::string_view descr, const std::string& path) {
  const char kind = descr.size() > 1 ? descr[1] : '?';
  switch (kind) {
    case 'f':
      fail(
          "{}: unsupported float dtype '{}': expected float32 or float64; save "
          "a.astype('float32') or a.astype('float64')",
          path, descr);
    case 'U':
      fail(
          "{}: unsupported UTF-32 strings ('{}'): expected byte strings; save "
          "numpy.char.encode(a, 'utf-8')",
          path, descr);
    case 'O':
      fail("{}: unsupported Python objects: save numbers, or strings with a.astype('S')", path);
    case 'm':
      fail("{}: unsupported time spans ('{}'): save integers with a.astype('int64')", path, descr);
    case 'c':
      fail("{}: unsupported complex numbers ('{}'), which have no order: save a.real or a.imag",
           path, descr);
    default:
      fail(
          "{}: unsupported dtype '{}': expected integers, float32, float64, bool, 'S' strings or "
          "datetime64",
          path, descr);
  }
}

// "[us]" after M8; a plain M8 has no unit.
std::string unit_of(std::string_view suffix, std::string_view descr, const std::string& path) {
  if (suffix.empty()) return "";
  if (suffix.size() < 3 || suffix.front() != '[' || suffix.back() != ']') reject(descr, path);
  return std::string(suffix.substr(1, suffix.size() - 2));
}

std::size_t string_width(std::string_view digits, std::string_view descr, const std::string& path) {
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
  if (error != std::errc() || end != digits.data() + digits.size() || width == 0)
    fail("{}: invalid string width in dtype '{}': save the array again", path, descr);
  return width;
}

// Throws for a type that cannot be indexed; the Error names the file and the conversion to apply.
[[nodiscard]] NpyType npy_type(std::string_view descr, const std::string& path) {
  if (descr.size() < 2 || std::string_view("<>=|").find(descr.front()) == std::string_view::npos)
    reject(descr.empty() ? "?" : descr, path);
  const std::string_view code = descr.substr(1);
  if (code.front() == 'S') return {Type::string, string_width(code.substr(1), descr, path), ""};

  NpyType result;
  if (code.starts_with("M8")) {
    result = {Type::timestamp64, 8, unit_of(code.substr(2), descr, path)};
  } else {
    const DtypeCode* found = nullptr;
    for (const DtypeCode& known : dtype_codes)
      if (known.code == code) found = &known;
    if (found == nullptr) reject(descr, path);
    result = {found->type, static_cast<std::size_t>(code[1] - '0'), ""};
  }
  if (descr.front() == '>' && result.width > 1)
    fail("{} is big-endian ('{}'): save a.astype(a.dtype.newbyteorder('<'))", path, descr);
  return result;
}

// The header of an .npy file (format 1.0, 2.0 and 3.0).
struct NpyHeader {
  std::string descr;  // NumPy's dtype text
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;
};

constexpr std::string_view magic = "\x93NUMPY";

// The Python dictionary of a header:
//   {'descr': '<u4', 'fortran_order': False, 'shape': (5,), }
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      if (!seen.insert(key).second) broken("duplicate key");
      expect(':');
      if (key == "descr")
        header.descr = type_text();
      else if (key == "fortran_order")
        header.fortran_order = boolean();
      else if (key == "shape")
        header.shape = tuple();
      else
        broken("unknown key");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) broken("text after the dictionary");
    if (seen.size() != 3) broken("descr, fortran_order or shape is missing");
    return header;
  }

 private:
  [[noreturn]] void broken(std::string_view why) const {
    fail(ErrorKind::corrupt_file,
         "{} has a broken .npy header ({}): save the array again with numpy.save", path_, why);
  }

  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }

  bool accept(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) broken(fmt::format("missing '{}'", c));
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
      broken("missing quoted text");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) broken("unclosed quote");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // A plain dtype is a string; a structured one is a list, which is an Error.
  std::string type_text() {
    skip_spaces();
    if (rest_.empty() || rest_.front() != '[') return quoted();
    fail("{}: unsupported structured dtype: save one field, such as a['{}']", path_, first_field());
  }

  [[nodiscard]] std::string first_field() const {
    const std::size_t open = rest_.find('\'');
    const std::size_t close = rest_.find('\'', open + 1);
    if (open == std::string_view::npos || close == std::string_view::npos) return "name";
    return std::string(rest_.substr(open + 1, close - open - 1));
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) broken("fortran_order is neither True nor False");
    return false;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(');
    while (!accept(')')) {
      std::size_t number = 0;
      skip_spaces();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error == std::errc::result_out_of_range) broken("shape is impossibly large");
      if (error != std::errc()) broken("shape is not a tuple of numbers");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // the suffix of Python 2's long integers
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view rest_;
  const std::string& path_;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}

// Parses the start of a file; errors name `path`.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view file, const std::string& path) {
  if (file.empty()) fail("{} is empty: save an array in it with numpy.save", path);
  if (!file.starts_with(magic)) {
    if (magic.starts_with(file))
      fail(ErrorKind::corrupt_file, "{} is truncated: it ends within the .npy header", path);
    fail(
        "{} is not an .npy file: expected it to start with \\x93NUMPY; pass --format for another "
        "format",
        path);
  }
  constexpr std::size_t version_at = magic.size();
  constexpr std::size_t length_at = version_at + 2;
  if (file.size() < length_at)
    fail(ErrorKind::corrupt_file, "{} is truncated: it ends within the .npy header", path);
  const int major = static_cast<unsigned char>(file[version_at]);
  const int minor = static_cast<unsigned char>(file[version_at + 1]);
  if (major < 1 || major > 3 || minor != 0)
    fail(
        "{}: unsupported .npy version {}.{}: expected 1.0, 2.0 or 3.0; save it again with "
        "numpy.save",
        path, major, minor);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t dictionary_at = length_at + length_bytes;
  if (file.size() < dictionary_at)
    fail(ErrorKind::corrupt_file, "{} is truncated: it ends within the .npy header", path);
  const std::size_t length = little_endian(file.substr(length_at, length_bytes));
  if (length > file.size() - dictionary_at)
    fail(ErrorKind::corrupt_file, "{} is truncated: expected an .npy header of {} bytes, got {}",
         path, length, file.size() - dictionary_at);
  NpyHeader header = DictionaryParser(file.substr(dictionary_at, length), path).parse();
  header.data_offset = dictionary_at + length;
  return header;
}

constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

void require_one_dimension(const NpyHeader& header, const std::string& path) {
  if (header.shape.size() == 1) return;
  if (header.shape.empty())
    fail("{} holds a single value: expected a 1-D array; save a.reshape(1)", path);
  fail("{} holds a {}-D array of shape ({}): expected a 1-D array; save a[:, 0] or a.ravel()", path,
       header.shape.size(), fmt::join(header.shape, ", "));
}

std::vector<std::uint8_t> validity_of_times(const ColumnView& times) {
  const auto* ticks = static_cast<const std::int64_t*>(times.data());
  std::vector<std::uint8_t> bitmap;
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (ticks[row] != not_a_time) continue;
    if (bitmap.empty()) bitmap.assign((times.size() + 7) / 8, 0xff);
    bitmap[row / 8] = static_cast<std::uint8_t>(bitmap[row / 8] & ~(1U << (row % 8)));
  }
  return bitmap;
}

}  // namespace

LoadedColumn read_npy(FileBytes file) {
  const std::string path = file.path();
  const NpyHeader header = parse_npy_header(file.text(), path);
  NpyType type = npy_type(header.descr, path);
  require_one_dimension(header, path);
  LoadedColumn column = LoadedColumn::in_file(std::move(file), header.data_offset, type.type,
                                              type.width, header.shape.front());
  column.set_unit(std::move(type.unit));
  if (type.type == Type::timestamp64) column.set_validity(validity_of_times(column.view()));
  return column;
}

}  // namespace rtindex
