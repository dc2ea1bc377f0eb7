// Columns that are sorted already: what an index stores of them, and which changes keep it so.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/description.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// What is kept of the keys and rowIDs.
enum class KeptParts : std::uint8_t { pairs, keys, nothing };

class SortedColumns : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!is_available(spec())) GTEST_SKIP() << spec() << " is not available";
  }
  static std::string spec() { return GetParam(); }

  [[nodiscard]] static KeptParts kept(const Index& index) {
    const std::string layout = described(index, "layout");
    EXPECT_NE(layout, "") << index.describe();
    if (layout.starts_with("sorted pairs")) return KeptParts::pairs;
    return layout.starts_with("neither") ? KeptParts::nothing : KeptParts::keys;
  }

  [[nodiscard]] static double bytes_a_key(const Index& index) {
    return static_cast<double>(index.memory_usage().resident) / static_cast<double>(index.size());
  }

  // An index over keys first, first + step, ...
  [[nodiscard]] static ChangingIndex changing(Whole first, Whole count, Whole step) {
    return {integers(Type::i64, numbers(first, count, step)), spec(), {.seed = 5}};
  }
  [[nodiscard]] static std::vector<Whole> numbers(Whole first, Whole count, Whole step) {
    std::vector<Whole> all;
    for (Whole i = 0; i < count; ++i) all.push_back(first + i * step);
    return all;
  }
  static std::vector<Key> as_keys(const std::vector<Whole>& all) {
    return integers(Type::i64, all).keys();
  }
  static void insert(ChangingIndex& index, const std::vector<Whole>& keys) {
    index.insert(as_keys(keys), Shape{Type::i64});
  }

  // After a merge, as before it, the index answers like a scan.
  static void expect_after_merge(ChangingIndex& changing, KeptParts wanted) {
    ASSERT_EQ("", changing.difference());
    changing.merge();
    ASSERT_EQ("", changing.difference());
    EXPECT_EQ(kept(changing.index()), wanted) << changing.index().describe();
    // Files have the same layout, and can be changed again.
    ChangingIndex loaded = changing.over(deserialize(changing.index().serialize()));
    EXPECT_EQ(kept(loaded.index()), wanted);
    ASSERT_EQ("", loaded.difference());
    insert(loaded, {1'000'000});
    loaded.merge();
    ASSERT_EQ("", loaded.difference());
  }
};

TEST_P(SortedColumns, StoreNoRowIDs) {
  constexpr std::size_t size = 100'000;
  std::vector<std::uint64_t> wide(size);
  std::vector<std::uint32_t> narrow(size);
  Random random(7);
  for (std::size_t i = 1; i < size; ++i) {
    wide[i] = wide[i - 1] + (random.bits() >> 30);
    narrow[i] = narrow[i - 1] + static_cast<std::uint32_t>(random.below(40'000));
  }
  const std::vector<std::uint64_t> short_span(narrow.begin(), narrow.end());
  const double locator = spec().starts_with("btree") ? 0.6 : 0.3;  // inner nodes
  EXPECT_LE(bytes_a_key(build(wide, spec())), 8 + locator);
  EXPECT_LE(bytes_a_key(build(narrow, spec())), 4 + locator);
  EXPECT_LE(bytes_a_key(build(short_span, spec())), 4 + locator);
  EXPECT_EQ(kept(build(wide, spec())), KeptParts::keys);
  std::swap(wide[500], wide[501]);
  EXPECT_EQ(kept(build(wide, spec())), KeptParts::pairs);
}

TEST_P(SortedColumns, StoreNoKeysOfASequence) {
  std::vector<std::int64_t> keys(100'000);
  std::iota(keys.begin(), keys.end(), -40);
  const Index index = build(keys, spec());
  EXPECT_EQ(kept(index), KeptParts::nothing);
  EXPECT_LE(bytes_a_key(index), 0.1);
}

TEST_P(SortedColumns, StayWithoutRowIDsWhereRowsAreAppended) {
  ChangingIndex sequence = changing(-5, 300, 1);
  insert(sequence, {295});
  insert(sequence, numbers(296, 40, 1));
  expect_after_merge(sequence, KeptParts::nothing);
  insert(sequence, {336, 337, 340, 340});
  expect_after_merge(sequence, KeptParts::keys);
  for (Whole key = 340; key < 360; ++key) insert(sequence, {key});
  expect_after_merge(sequence, KeptParts::keys);
}

TEST_P(SortedColumns, StayWithoutRowIDsWhereRowsAreErasedAtTheEnds) {
  ChangingIndex sequence = changing(0, 300, 1);
  sequence.erase({0, 1, 2, 299});
  expect_after_merge(sequence, KeptParts::nothing);
  ChangingIndex gaps = changing(0, 300, 9);
  gaps.erase({0, 1, 2, 299});
  expect_after_merge(gaps, KeptParts::keys);
  insert(gaps, {9000});  // its row does not follow the last one
  expect_after_merge(gaps, KeptParts::pairs);
}

TEST_P(SortedColumns, GetRowIDsWhereRowsAreErased) {
  for (const Whole step : {1, 9}) {
    ChangingIndex erased = changing(0, 300, step);
    erased.erase({150});
    expect_after_merge(erased, KeptParts::pairs);
  }
}

TEST_P(SortedColumns, GetRowIDsWhereKeysMove) {
  for (const Whole step : {1, 9}) {
    ChangingIndex smaller = changing(0, 300, step);
    insert(smaller, {-7, 4});
    expect_after_merge(smaller, KeptParts::pairs);
    ChangingIndex updated = changing(0, 300, step);
    updated.update({20, 40}, as_keys({7000, 3}), Shape{Type::i64});
    expect_after_merge(updated, KeptParts::pairs);
    ChangingIndex without_key = changing(0, 300, step);
    without_key.update({20}, {Key{Part{}}}, Shape{Type::i64});
    expect_after_merge(without_key, KeptParts::pairs);
  }
}

TEST_P(SortedColumns, StayWithoutRowIDsWhereKeysStayInOrder) {
  ChangingIndex updated = changing(0, 300, 9);
  updated.update({20, 21}, as_keys({181, 181}), Shape{Type::i64});
  expect_after_merge(updated, KeptParts::keys);
}

TEST_P(SortedColumns, StayWithoutRowIDsWhereValuesChange) {
  for (const std::int64_t step : {1, 9}) {
    std::vector<std::int64_t> keys(300);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i) * step;
    std::vector<std::int32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0);
    Index index = build(keys, spec(), {.include = values});
    index.set_included(std::vector<std::uint32_t>{3, 150, 299}, std::vector<std::int32_t>{1, 2, 3});
    index.insert(std::vector{keys.back() + step}, std::vector<std::int32_t>{4});
    index.merge();
    EXPECT_EQ(kept(index), step == 1 ? KeptParts::nothing : KeptParts::keys);
    values[3] = 1;
    values[150] = 2;
    values[299] = 3;
    const Answers sums = index.lookup(keys, Answer::sum);
    for (std::size_t i = 0; i < keys.size(); ++i)
      ASSERT_EQ(sums.sum_as<std::int64_t>()[i], values[i]);
    const Answers all = index.range(std::vector{keys.front()}, std::vector{keys.back() + step},
                                    Answer::sum | Answer::first);
    EXPECT_EQ(all.sum_as<std::int64_t>()[0], std::accumulate(values.begin(), values.end(), 4));
    EXPECT_EQ(all.first()[0], 0U);
  }
}

TEST_P(SortedColumns, OfStringsStoreNoRowIDs) {
  for (const std::string name : {"in_order_same_head_strings", "all_equal_strings"})
    EXPECT_EQ(kept(build(workload_named(name).column().view(), spec())), KeptParts::keys) << name;
  EXPECT_EQ(kept(build(workload_named("same_head_strings").column().view(), spec())),
            KeptParts::pairs);
}

INSTANTIATE_TEST_SUITE_P(Indexes, SortedColumns,
                         testing::Values("rx:native@cpu", "sorted@cpu", "btree@cpu",
                                         "rx:native@cuda", "sorted@cuda", "btree@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
