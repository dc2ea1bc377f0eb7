// Files of a few hundred bytes that claim to hold 2^40 elements are rejected before memory is
// allocated.

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "column_files/column_file.hpp"
#include "column_files/npy_reader.hpp"
#include "out_of_memory/failing_memory.hpp"
#include "support/index_bytes.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20;
constexpr std::uint64_t claimed = std::uint64_t{1} << 40;

std::vector<char> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

void expect_rejected(const std::function<void()>& read) {
  static_cast<void>(take_largest_request());
  EXPECT_EQ(error_of(read), ErrorKind::corrupt_file);
  EXPECT_LT(take_largest_request(), max_bytes);
}

TEST(ClaimedSizes, OfNpyFiles) {
  for (const std::string type : {"<u8", "|S8", "|b1", "<M8[s]"}) {
    SCOPED_TRACE(type);
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                               std::to_string(claimed) + ",), }\n";
    const std::string start = std::string("\x93NUMPY\x01\x00", 8) +
                              static_cast<char>(header.size()) + '\0' + header + "01234567";
    expect_rejected([&] { static_cast<void>(read_npy(FileBytes("a.npy", bytes_of(start)))); });
  }
}

TEST(ClaimedSizes, OfSosdFiles) {
  std::vector<char> bytes(100);
  std::memcpy(bytes.data(), &claimed, sizeof(claimed));
  for (const Type type : {Type::u32, Type::u64})
    expect_rejected([&] { static_cast<void>(read_sosd(FileBytes("a.sosd", bytes), type)); });
}

class ClaimedSizesOfIndexes : public testing::TestWithParam<std::string> {};

// Where each number of a text is, and how long.
std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (is_digit(at)) ++at;
    if (at > begin) numbers.emplace_back(begin, at - begin);
    ++at;
  }
  return numbers;
}

// All eight bytes in a row of the header in turn, thus each count, length and number, and each
// option of the spec. Some mean nothing to a reader, which then gives the index. Nothing takes much
// memory before.
TEST_P(ClaimedSizesOfIndexes, AllocateNoMemory) {
  const std::vector<std::string> keys = {"a", "bb", "a long key that has a tail", "cc"};
  const IndexBytes whole(build(keys, GetParam()).serialize());
  std::size_t rejected = 0;
  const auto expect_little = [&](const auto& change) {
    IndexBytes file = whole;
    change(file);
    const auto bytes = std::as_bytes(std::span(file.bytes));
    static_cast<void>(take_largest_request());
    if (error_of([&] { static_cast<void>(deserialize(bytes)); })) ++rejected;
    EXPECT_LT(take_largest_request(), max_bytes);
  };
  const std::string header = whole.header_bytes();
  const std::string spec = whole.header().texts.at("spec");
  for (const std::uint64_t number : {claimed, std::uint64_t{0xffffffff}, ~std::uint64_t{0} - 7}) {
    for (std::size_t at = 0; at + sizeof(number) <= header.size(); ++at) {
      SCOPED_TRACE(std::to_string(number) + " at " + std::to_string(at));
      expect_little([&](IndexBytes& file) {
        file.put(IndexBytes::header_at + at, number);
        file.set_header(file.header_bytes());
      });
    }
    for (const auto& [at, length] : numbers_in(spec)) {
      const std::string changed = std::string(spec).replace(at, length, std::to_string(number));
      SCOPED_TRACE(changed);
      expect_little([&](IndexBytes& file) { file.set_text("spec", changed); });
    }
  }
  EXPECT_GT(rejected, 10U);
}

INSTANTIATE_TEST_SUITE_P(Indexes, ClaimedSizesOfIndexes,
                         testing::ValuesIn(host_specs(",threads=1")),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace rtindex::test
