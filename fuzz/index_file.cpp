// Damaged index files, with recomputed checksums: opened with and without full verification,
// queried, changed, saved and queried again. An input chooses one of the undamaged files below, the
// bytes, numbers and names to replace, then the queries and changes.

#include <array>
#include <map>

#include <rtindex/rtindex.hpp>

#include "fuzz/support/input.hpp"
#include "fuzz/support/queries.hpp"
#include "support/changing_index.hpp"
#include "support/index_bytes.hpp"
#include "support/lookups.hpp"
#include "support/specs.hpp"

namespace rtindex {

namespace {

constexpr std::array specs = {"rx:native@cpu", "sorted@cpu",    "btree@cpu",
                              "hash@cpu",      "rx:embree@cpu", "rx:embree@cpu,bucket=3"};
constexpr std::array workloads = {"dense_u32",          "clustered_u64",      "sparse_i64",
                                  "nulls_dense_u32",    "any_bits_f32",       "long_strings",
                                  "same_head_strings",  "short_strings",      "urls",
                                  "three_full_ints",    "nulls_in_parts",     "int_string",
                                  "timestamps",         "duplicates_x256",    "bools",
                                  "in_order_dense_u32", "in_order_timestamps"};

struct Whole {
  test::TestColumn column;
  std::vector<test::Batch> batches;
  test::IndexBytes file;
  std::vector<test::IndexBytes::Section> sections;
};

// Few lookups of a batch, so that more files are tested.
test::Batch some_of(const test::Batch& batch) {
  constexpr std::size_t wanted = 8;
  const std::size_t step = batch.size() / wanted + 1;
  std::vector<test::Key> lower;
  std::vector<test::Key> upper;
  for (std::size_t i = 0; i < batch.size(); i += step) {
    lower.push_back(batch.lower.keys()[i]);
    upper.push_back(batch.upper.keys()[i]);
  }
  return {batch.kind, {batch.lower.shape(), lower}, {batch.upper.shape(), upper}};
}

Whole make_whole(const std::string& spec, const std::string& workload, bool is_changed) {
  const test::TestColumn column = test::some_rows(workload, 40);
  test::ChangingIndex changing(column, spec,
                               {.seed = 1, .include = test::includes_values(spec), .max_rows = 0});
  for (int i = 0; is_changed && i < 6; ++i) changing.random_change();
  test::Random random(1);
  test::IndexBytes file(changing.index().serialize());
  const std::vector<test::IndexBytes::Section> sections = file.sections();
  std::vector<test::Batch> batches = test::own_batches(column, 3, random);
  for (test::Batch& batch : batches) batch = some_of(batch);
  return {column, batches, file, sections};
}

const Whole& pick_whole(fuzz::Input& input) {
  static std::map<std::array<std::size_t, 3>, Whole> made;
  const std::array choice = {input.below(specs.size()), input.below(workloads.size()),
                             input.below(2)};
  auto found = made.find(choice);
  if (found == made.end())
    found = made.emplace(choice, make_whole(specs[choice[0]], workloads[choice[1]], choice[2] == 1))
                .first;
  return found->second;
}

std::uint64_t number_from(fuzz::Input& input) {
  static constexpr std::array<std::uint64_t, 12> ends = {
      0,          1,          64,         0x7fffffff, 0x80000000,       0xffffffff,
      0x40000000, 0xfffffffe, 1ULL << 32, 1ULL << 63, (1ULL << 62) + 1, ~std::uint64_t{0}};
  const std::size_t choice = input.below(16);
  return choice < ends.size() ? ends[choice] : input.read<std::uint16_t>();
}

class Damage {
 public:
  Damage(const Whole& whole, fuzz::Input& input)
      : whole_(whole), file_(whole.file), header_(file_.header()), input_(input) {}

  [[nodiscard]] std::string bytes() {
    for (std::size_t edits = input_.below(12); edits > 0; --edits) edit();
    std::string header = bytes_of(header_);
    for (const Replacement& part : replaced_)
      header.replace(std::min(part.at, header.size()), part.length, part.text);
    const std::size_t room = file_.header_bytes().size() + 200;
    if (header != file_.header_bytes() && header.size() < room) file_.set_header(header);
    if (touched_small_) seal();
    return std::move(file_.bytes);
  }

 private:
  void edit() {
    switch (input_.below(8)) {
      case 0: return replace_number();
      case 1: return replace_name();
      case 2: return replace_text();
      case 3: return resize();
      case 4: return fill();
      default: return put_number();
    }
  }

  void replace_number() {
    std::vector<std::uint64_t*> numbers;
    for (auto& [name, number] : header_.numbers) numbers.push_back(&number);
    for (test::IndexBytes::Section& section : header_.sections)
      numbers.insert(numbers.end(), {&section.offset, &section.bytes, &section.checksum});
    *numbers[input_.below(numbers.size())] = number_from(input_);
  }
  // One name for another: sections, numbers and texts change places.
  void replace_name() {
    switch (input_.below(3)) {
      case 0: return swap_values(header_.numbers);
      case 1: return swap_values(header_.texts);
      default: break;
    }
    std::string& first = pick_line().name;
    std::swap(first, pick_line().name);
  }
  template <class T>
  void swap_values(std::map<std::string, T>& entries) {
    const auto pick = [&]() -> T& {
      return std::next(entries.begin(), static_cast<int>(input_.below(entries.size())))->second;
    };
    T& first = pick();
    std::swap(first, pick());
  }
  test::IndexBytes::Section& pick_line() {
    return header_.sections[input_.below(header_.sections.size())];
  }
  // Bytes of the header as it is written.
  void replace_text() {
    const std::size_t at = input_.below(bytes_of(header_).size() + 1);
    const std::size_t length = input_.below(16);
    replaced_.push_back({at, length, input_.text(input_.below(16))});
  }
  void resize() {
    file_.bytes.resize(std::max<std::size_t>(4096, input_.below(2 * file_.bytes.size())));
    file_.put<std::uint64_t>(test::IndexBytes::file_bytes_at, file_.bytes.size());
    file_.seal_prelude();
  }
  const test::IndexBytes::Section* pick_section(std::size_t least) {
    const test::IndexBytes::Section& section = input_.pick(whole_.sections);
    if (section.bytes < least || section.offset + section.bytes > file_.bytes.size())
      return nullptr;
    touched_small_ = touched_small_ || section.small;
    return &section;
  }
  void fill() {
    const test::IndexBytes::Section* section = pick_section(1);
    if (section == nullptr) return;
    const std::size_t from = input_.below(section->bytes);
    const std::size_t size = 1 + input_.below(section->bytes - from);
    file_.bytes.replace(section->offset + from, size, size, input_.read<char>());
  }
  void put_number() {
    const test::IndexBytes::Section* section = pick_section(8);
    if (section == nullptr) return;
    const std::size_t words = section->bytes / 4 - 1;
    const std::size_t at = section->offset + 4 * input_.below(words);
    const std::uint64_t number = number_from(input_);
    if (input_.flag())
      file_.put(at, number);
    else
      file_.put(at, static_cast<std::uint32_t>(number));
  }
  void seal() {
    try {
      file_.seal();
    } catch (const std::exception&) {
      // no header is left whose checksum could be recomputed
    }
  }

  struct Replacement {
    std::size_t at, length;
    std::string text;
  };

  const Whole& whole_;
  test::IndexBytes file_;
  FileHeader header_;
  std::vector<Replacement> replaced_;
  fuzz::Input& input_;
  bool touched_small_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Whole& whole = pick_whole(input);
  const Verify verify = input.flag() ? Verify::full : Verify::quick;
  const std::string bytes = Damage(whole, input).bytes();
  try {
    Index index = deserialize(std::as_bytes(std::span(bytes)), {.verify = verify});
    // Few queries for each file, and many files.
    do fuzz::run_some_query(index, whole.batches, input);
    while (input.flag());
    if (input.at_end()) return 0;
    for (int changes = 0; changes < 3 && !input.at_end(); ++changes)
      fuzz::change(index, whole.column, input);
    if (input.flag()) index = deserialize(index.serialize(), {.verify = Verify::full});
    do fuzz::run_some_query(index, whole.batches, input);
    while (input.flag());
  } catch (const Error& error) {
    fuzz::require(*error.what() != '\0', "an error without a text");
    fuzz::require(error.kind() != ErrorKind::out_of_memory, error.what());
  }
  return 0;
}

}  // namespace rtindex
