// Joins into device memory: of unique and of repeated keys, in one segment and in several, with
// ranges and with neighbours, against a full scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/neighbour_scan.hpp"
#include "support/oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

constexpr JoinKind join_kinds[] = {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti};

bool wants_rows(JoinKind how) { return how == JoinKind::inner || how == JoinKind::left; }

// The pairs of a join with the rows that each lookup matches; without rows miss_row.
Pairs pairs_of(const Matches& matches, JoinKind how) {
  Pairs pairs;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bool is_matched = !matches[i].empty();
    if (wants_rows(how))
      for (const std::uint32_t row : matches[i]) pairs.emplace_back(i, row);
    const bool is_kept = how == JoinKind::semi ? is_matched : !is_matched;
    if (is_kept && how != JoinKind::inner) pairs.emplace_back(i, miss_row);
  }
  return pairs;
}

// Calls join(outputs) for the number of pairs, and again for the pairs themselves: for all, and for
// half of them.
template <class Join>
void expect_pairs(Pairs wanted, JoinKind how, const Join& join) {
  const OnGpu count(8);
  JoinOutputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.count = count.as<std::uint64_t>();
  join(outputs);
  ASSERT_EQ(count.read<std::uint64_t>().front(), wanted.size()) << name_of(how);
  for (const std::size_t room : {wanted.size(), wanted.size() / 2}) {
    const OnGpu lookups(8 * room), rows(4 * room);
    outputs.lookups = lookups.as<std::uint64_t>();
    outputs.rows = wants_rows(how) ? rows.as<std::uint32_t>() : nullptr;
    outputs.capacity = room;
    join(outputs);
    ASSERT_EQ(count.read<std::uint64_t>().front(), wanted.size()) << name_of(how);
    const std::vector<std::uint64_t> left = lookups.read<std::uint64_t>();
    const std::vector<std::uint32_t> right = rows.read<std::uint32_t>();
    Pairs found;
    for (std::size_t i = 0; i < room; ++i)
      found.emplace_back(left[i], wants_rows(how) ? right[i] : miss_row);
    for (std::size_t i = 0; i < room; ++i)
      ASSERT_EQ(left[i], wanted[i].first) << name_of(how) << ", pair " << i;
    // The rows of one lookup may come in any order.
    if (room == wanted.size()) {
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, wanted) << name_of(how);
    }
  }
}

std::vector<Key> join_keys(Type type, std::size_t size, std::size_t values, Random& random) {
  std::vector<Key> keys;
  const Whole step = type == Type::u64 || type == Type::i64 ? Whole{1} << 35 : 1;
  for (std::size_t i = 0; i < size; ++i)
    keys.push_back(random.one_in(30) ? Key{std::monostate{}}
                                     : Key{static_cast<Whole>(random.below(values)) * step});
  return keys;
}

struct JoinCase {
  std::string spec;
  Type type;
  std::size_t values;  // distinct keys
};

class DeviceJoins : public GpuTestWithParam<JoinCase> {};

TEST_P(DeviceJoins, PairLikeAScan) {
  const auto& [spec, type, values] = GetParam();
  Random random(values + 3);
  const Shape shape{type};
  ChangingIndex table(TestColumn(shape, join_keys(type, 300, values, random)), spec, {.seed = 5});
  for (int change = 0; change < 4; ++change) {
    const Index& index = table.index();
    const TestColumn keys(shape, join_keys(type, 250, values, random));
    const TestColumn others(shape, join_keys(type, 250, values, random));
    const ColumnOnGpu lower(keys.view());
    const ColumnOnGpu upper(others.view());
    for (const JoinKind how : join_kinds) {
      const Pairs wanted = pairs_of(scan(table.keys(), points(keys)), how);
      for (const ColumnView& from : {lower.view(), keys.view()})
        expect_pairs(wanted, how, [&](const JoinOutputs& outputs) {
          index.join_into(Query::equal(from), how, outputs);
        });
      if (HasFatalFailure()) return;
      if (!index.supports(Answer::any, QueryKind::range)) continue;
      expect_pairs(pairs_of(scan(table.keys(), ranges(keys, others)), how), how,
                   [&](const JoinOutputs& outputs) {
                     index.join_into(Query::range(lower.view(), upper.view()), how, outputs);
                   });
      if (HasFatalFailure()) return;
      if (!index.supports(Answer::any, QueryKind::nearest)) continue;
      const NearestOptions nearest{Direction::backward, change % 2 == 0, {}};
      Matches neighbours;
      for (const Key& key : keys.keys()) {
        const std::uint32_t row = scan_neighbour(table.keys(), key, nearest);
        neighbours.push_back(row == miss_row ? std::vector<std::uint32_t>{}
                                             : std::vector<std::uint32_t>{row});
      }
      expect_pairs(pairs_of(neighbours, how), how, [&](const JoinOutputs& outputs) {
        index.join_into(Query::nearest(lower.view(), nearest), how, outputs);
      });
      if (HasFatalFailure()) return;
    }
    table.random_change();
  }
}

std::vector<JoinCase> join_cases() {
  std::vector<JoinCase> cases;
  for (const char* const spec : {"rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"}) {
    cases.push_back({spec, Type::u32, 40});
    cases.push_back({spec, Type::i64, 5000});
  }
  if (is_available("rx:optix@cuda")) cases.push_back({"rx:optix@cuda", Type::u32, 60});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceJoins, testing::ValuesIn(join_cases()), [](const auto& item) {
  return test_name(item.param.spec) + "_" + std::string(name_of(item.param.type));
});

using UniqueDeviceJoins = GpuTest;

// Unique keys, whose rows are found once and compacted.
TEST_F(UniqueDeviceJoins, PairEveryKey) {
  constexpr std::uint32_t size = 100'000;
  std::vector<std::uint32_t> keys(size);
  for (std::uint32_t row = 0; row < size; ++row) keys[row] = 2 * ((row * 7919U) % size);
  std::vector<std::uint32_t> lookups(size);
  for (std::uint32_t i = 0; i < size; ++i) lookups[i] = (i * 104'729U) % (2 * size);
  std::vector<std::uint32_t> row_of(2 * size, miss_row);
  for (std::uint32_t row = 0; row < size; ++row) row_of[keys[row]] = row;
  Matches matches;
  for (const std::uint32_t key : lookups)
    matches.push_back(row_of[key] == miss_row ? std::vector<std::uint32_t>{}
                                              : std::vector<std::uint32_t>{row_of[key]});
  const ColumnOnGpu on_gpu{ColumnView(lookups)};
  for (const char* const spec : {"rx:native@cuda", "hash@cuda"}) {
    const Index index = build(keys, spec);
    for (const JoinKind how : join_kinds)
      expect_pairs(pairs_of(matches, how), how, [&](const JoinOutputs& outputs) {
        index.join_into(Query::equal(on_gpu.view()), how, outputs);
      });
  }
}

TEST(DeviceJoinsOfTheCpu, AreRefused) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  const Index index = build(keys, "sorted@cpu");
  std::uint64_t count = 0;
  const JoinOutputs outputs{.count = &count, .memory_space = MemorySpace::device};
  EXPECT_EQ(error_of([&] { index.join_into(Query::equal(keys), JoinKind::inner, outputs); }),
            ErrorKind::invalid_argument);
}

using DeviceJoinErrors = GpuTest;

TEST_F(DeviceJoinErrors, SayWhatIsMissing) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  const Index index = build(keys, "rx:native@cuda");
  const OnGpu found(8);
  EXPECT_TRUE(error_of([&] {
    index.join_into(Query::equal(keys), JoinKind::inner, {.memory_space = MemorySpace::device});
  }));
  EXPECT_TRUE(error_of([&] {
    index.join_into(
        Query::equal(keys), JoinKind::inner,
        {.capacity = 3, .count = found.as<std::uint64_t>(), .memory_space = MemorySpace::device});
  }));
}

}  // namespace
}  // namespace rtindex::test
