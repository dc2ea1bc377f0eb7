// The limits that docs/ promise. Those that take gigabytes or minutes run with RTINDEX_TEST_LONG
// and enough free memory, and say what they need.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "support/counts.hpp"
#include "support/index_bytes.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::size_t block = std::size_t{1} << 20;

// A number of /proc, in KiB or threads, by the start of its line.
std::uint64_t number_in(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::stoull(line.substr(name.size()));
  return 0;
}

// Why a test of so much memory does not run here; "" where it does.
std::string missing(std::uint64_t bytes) {
  const std::uint64_t available = number_in("/proc/meminfo", "MemAvailable:") << 10U;
  const std::string needed = std::to_string(bytes / gib) + " GiB of memory";
  if (!may_take_long()) return "needs RTINDEX_TEST_LONG, and " + needed;
  if (available >= bytes) return "";
  return "needs " + needed + ", of which " + std::to_string(available / gib) + " GiB are free";
}

template <class T, class Make>
Array<T> filled(std::size_t size, Make&& make) {
  Array<T> elements(size);
  parallel_for(size, block, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) elements[i] = make(i);
  });
  return elements;
}

class Limits : public testing::Test {
 protected:
  // Builds an index of the most rows, and adds one row too many.
  static void expect_most_rows(const Array<std::uint32_t>& keys, std::uint32_t key,
                               std::uint32_t first, std::uint32_t count) {
    Index index = build(ColumnView(keys.span()), "sorted@cpu");
    EXPECT_EQ(index.size(), keys.size());
    const std::vector<std::uint32_t> lookups = {key};
    const Answers answers = index.lookup(lookups, Answer::first | Answer::count);
    EXPECT_EQ(answers.first()[0], first);
    EXPECT_EQ(answers.count()[0], count);
    const std::vector<std::uint32_t> all = {0};
    const std::vector<std::uint32_t> end = {miss_row};
    EXPECT_EQ(index.range(all, end, Answer::count).count()[0], keys.size());
    if (keys.size() == miss_row) {
      EXPECT_EQ(error_of([&] { index.insert(lookups); }), ErrorKind::invalid_argument);
    }
    add_count("rows of the largest indexes", "rows", keys.size());
  }
};

TEST_F(Limits, AnIndexHoldsAllRowsButOne) {
  if (const std::string reason = missing(60 * gib); !reason.empty()) GTEST_SKIP() << reason;
  // A permutation, as 2654435761 is odd.
  const auto keys = filled<std::uint32_t>(
      miss_row, [](std::size_t i) { return static_cast<std::uint32_t>(i * 2654435761U); });
  const std::uint32_t last = miss_row - 1;
  expect_most_rows(keys, last * 2654435761U, last, 1);
}

TEST_F(Limits, SupportsAKeyWithHalfOfAllRows) {
  if (const std::string reason = missing(36 * gib); !reason.empty()) GTEST_SKIP() << reason;
  constexpr std::size_t same = std::size_t{1} << 31;
  const auto keys = filled<std::uint32_t>(same + 1, [](std::size_t i) { return i == 0 ? 3U : 7U; });
  expect_most_rows(keys, 7, 1, static_cast<std::uint32_t>(same));
}

// More than 2^32 - 1 rows are rejected before a key is read.
TEST_F(Limits, RejectsAColumnOfMoreRows) {
  const std::uint8_t key = 0;
  const ColumnView column = ColumnView::of(Type::u8, &key, std::size_t{miss_row} + 1);
  for (const std::string& spec : usable_indexes())
    EXPECT_EQ(error_of([&] { static_cast<void>(build(column, spec)); }),
              ErrorKind::invalid_argument)
        << spec;
}

TEST_F(Limits, StringsMayBeLongerThanTwoGigabytes) {
  constexpr std::uint64_t length = std::uint64_t{1} << 31;
  if (const std::string reason = missing(16 * gib); !reason.empty()) GTEST_SKIP() << reason;
  std::vector<std::string> keys = {"short", std::string(length, 'x'), "y"};
  const Index index = build(keys, "rx:native@cpu");
  keys[1].back() = 'y';  // of the same head
  const Answers answers = index.lookup(keys, Answer::first);
  EXPECT_EQ(answers.first()[0], 0U);
  EXPECT_EQ(answers.first()[1], miss_row);
  EXPECT_EQ(answers.first()[2], 2U);
  keys[1].back() = 'x';
  EXPECT_EQ(index.lookup(keys, Answer::first).first()[1], 1U);
}

TEST_F(Limits, ABatchMayHaveMoreLookupsThanAnIndexRows) {
  constexpr std::size_t rows = std::size_t{1} << 16;
  const std::size_t total = may_take_long() ? std::size_t{1} << 33 : std::size_t{1} << 22;
  const std::size_t part = std::min(total, std::size_t{1} << 26);
  const auto keys =
      filled<std::uint32_t>(rows, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  const Index index = build(ColumnView(keys.span()), "rx:native@cpu");
  const auto lookups = filled<std::uint32_t>(
      part, [](std::size_t i) { return static_cast<std::uint32_t>(i * 40503U % (2 * rows)); });
  Array<std::uint32_t> found(part);
  std::size_t matches = 0;
  for (std::size_t done = 0; done < total; done += part) {
    std::fill(found.begin(), found.end(), std::uint32_t{rows});
    index.answer_into(Query::equal(ColumnView(lookups.span())), {}, {.first = found.data()});
    matches += parallel_reduce<std::size_t>(
        part, block, 0,
        [&](std::size_t first, std::size_t count) {
          std::size_t right = 0;
          for (std::size_t i = first; i < first + count; ++i)
            right += found[i] == (lookups[i] < rows ? lookups[i] : miss_row) ? 1 : 0;
          return right;
        },
        [](std::size_t a, std::size_t b) { return a + b; });
  }
  EXPECT_EQ(matches, total);
  add_count("lookups of the largest batch, in parts", "lookups", total);
}

// The most memory that this process may have, as long as it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t more) {
    getrlimit(RLIMIT_AS, &usual_);
    const rlimit small{(number_in("/proc/self/status", "VmSize:") << 10U) + more, usual_.rlim_max};
    setrlimit(RLIMIT_AS, &small);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &usual_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit usual_{};
};

#if !defined(__SANITIZE_ADDRESS__)
// From too little memory for anything to enough for the index.
TEST_F(Limits, BuildsOrRejectsAColumnAtTheEdgeOfMemory) {
  constexpr std::size_t rows = std::size_t{1} << 21;
  const auto keys = filled<std::uint64_t>(rows, [](std::size_t i) { return i * 977 % rows; });
  for (const std::string spec : {"rx:native@cpu,threads=1", "sorted@cpu,threads=1",
                                 "btree@cpu,threads=1", "hash@cpu,threads=1"}) {
    const Index usual = build(ColumnView(keys.span()), spec);
    std::uint64_t rejected = 0;
    bool built = false;
    for (std::uint64_t more = 1 << 20; !built; more += more / 4) {
      ASSERT_LT(more, 4 * gib) << spec;
      const auto kind = error_of([&] {
        const MemoryLimit limit(more);
        const Index index = build(ColumnView(keys.span()), spec);
      });
      built = !kind;
      if (built) break;
      ASSERT_EQ(kind, ErrorKind::out_of_memory) << spec;
      ++rejected;
      ASSERT_EQ(usual.lookup(std::vector<std::uint64_t>{977}, Answer::first).first()[0], 1U);
    }
    EXPECT_GT(rejected, 3U) << spec;
    add_count("builds refused at the edge of memory", spec, rejected);
  }
}
#endif

// Rows count over the whole life of an index. Empty ones take no room in a file, so that a small
// one has as many as an index can have.
TEST_F(Limits, RejectsRowsBeyondTheLimit) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  for (const std::string& spec : host_specs()) {
    IndexBytes file(build(keys, spec).serialize());
    file.set_number("rows", 4294967293);
    Index index = deserialize(std::as_bytes(std::span(file.bytes)));
    EXPECT_EQ(error_of([&] { index.insert(keys); }), ErrorKind::invalid_argument) << spec;
    EXPECT_EQ(index.size(), 4'294'967'293U);
    EXPECT_EQ(index.lookup(keys, Answer::first).first()[2], 2U) << spec;
  }
}

TEST_F(Limits, AProcessMayHaveTenThousandIndexes) {
  const std::size_t total = affordable(10'000);
  std::vector<Index> indexes;
  std::vector<std::string> specs;
  for (const std::string& spec : host_specs())
    // Each scene of Embree brings a device of its own.
    if (!spec.starts_with("rx:embree")) specs.push_back(spec);
  std::vector<std::uint32_t> keys(100);
  const auto build_one = [&](std::size_t number) {
    std::iota(keys.begin(), keys.end(), static_cast<std::uint32_t>(number));
    return build(keys, specs[number % specs.size()]);
  };
  static_cast<void>(build_one(0).lookup(keys));
  const std::uint64_t before = number_in("/proc/self/status", "VmRSS:");
  for (std::size_t i = 0; i < total; ++i) indexes.push_back(build_one(i));
  for (std::size_t i = 0; i < total; ++i) {
    const std::vector<std::uint32_t> lookups = {static_cast<std::uint32_t>(i + 42)};
    ASSERT_EQ(indexes[i].lookup(lookups, Answer::first).first()[0], 42U);
  }
  const std::uint64_t kib = (number_in("/proc/self/status", "VmRSS:") - before) / total;
  EXPECT_LT(kib, 24U) << "KiB for each index of 100 rows";
  EXPECT_LE(number_in("/proc/self/status", "Threads:"),
            2 * static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN)) + 1);
  add_count("indexes of one process", "indexes", total);
}

}  // namespace
}  // namespace rtindex::test
