// Changes to columns that are sorted already, of which a GPU stores no rowIDs, or no keys either.
// Before and after each merge the index answers like a scan of a table, and so does its file.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

struct SortedColumn {
  std::string name;
  Type type;
  std::function<Whole(Whole)> key;  // of a row; keys of rows ascend
};

const std::vector<SortedColumn>& sorted_columns() {
  static const std::vector<SortedColumn> all = {
      {"sequence_u32", Type::u32, [](Whole row) { return row; }},
      {"sequence_i64", Type::i64, [](Whole row) { return row - 70; }},
      {"unique_u32", Type::u32, [](Whole row) { return row * 1000 + row % 7; }},
      {"unique_u64", Type::u64, [](Whole row) { return (row << 40) + row % 7; }},
      {"equal_i32", Type::i32, [](Whole row) { return row / 3 - 40; }},
      {"equal_i64", Type::i64, [](Whole row) { return (row / 3) << 40; }},
      {"bursts_u64", Type::u64, [](Whole row) { return (row / 50 << 33) + row % 50; }},
      {"short_span_u64", Type::u64, [](Whole row) { return (Whole{1} << 50) + row * 9; }},
      {"all_equal_u32", Type::u32, [](Whole) { return Whole{5}; }},
  };
  return all;
}

class DeviceSortedChanges : public GpuIndexTest {
 protected:
  static constexpr Whole rows = 600;

  static std::vector<Whole> keys_of(const SortedColumn& column, Whole first, Whole count) {
    std::vector<Whole> keys;
    for (Whole row = first; row < first + count; ++row) keys.push_back(column.key(row));
    return keys;
  }
  static std::vector<Key> as_keys(const SortedColumn& column, const std::vector<Whole>& all) {
    return integers(column.type, all).keys();
  }

  // After each change of an index over each column, without and with included values.
  template <class Change>
  static void check(Change change) {
    for (const SortedColumn& column : sorted_columns())
      for (const bool include : {false, true}) {
        SCOPED_TRACE(column.name + (include ? " with included values" : ""));
        ChangingIndex index(integers(column.type, keys_of(column, 0, rows)), GetParam(),
                            {.seed = 3, .include = include});
        ASSERT_EQ("", index.difference());
        change(index, column);
        expect_like_a_scan(index);
        index.merge();
        expect_like_a_scan(index);
        // And once more, on what the merge has left.
        change(index, column);
        expect_like_a_scan(index);
        index.merge();
        expect_like_a_scan(index);
      }
  }
  static void expect_like_a_scan(ChangingIndex& index) {
    for (int repeat = 0; repeat < 3; ++repeat) ASSERT_EQ("", index.difference());
    ChangingIndex loaded = index.over(deserialize(index.index().serialize()));
    ASSERT_EQ("", loaded.difference());
  }
};

TEST_P(DeviceSortedChanges, AppendRows) {
  check([](ChangingIndex& index, const SortedColumn& column) {
    for (const Whole count : {1, 40, 3}) {
      const auto next = static_cast<Whole>(index.keys().size());
      index.insert(as_keys(column, keys_of(column, next, count)), Shape{column.type});
      ASSERT_EQ("", index.difference());
    }
  });
}

TEST_P(DeviceSortedChanges, InsertKeysInTheMiddle) {
  check([](ChangingIndex& index, const SortedColumn& column) {
    index.insert(as_keys(column, {column.key(0), column.key(300), column.key(17)}),
                 Shape{column.type});
  });
}

TEST_P(DeviceSortedChanges, EraseRows) {
  check([](ChangingIndex& index, const SortedColumn&) {
    const std::vector<std::uint32_t> left = index.rows_not_erased();
    index.erase({left[7], left[200], left[201], left[left.size() - 2]});
  });
}

TEST_P(DeviceSortedChanges, EraseTheFirstAndLastRows) {
  check([](ChangingIndex& index, const SortedColumn&) {
    const std::vector<std::uint32_t> left = index.rows_not_erased();
    index.erase({left[0], left[1], left.back()});
  });
}

TEST_P(DeviceSortedChanges, UpdateKeys) {
  check([](ChangingIndex& index, const SortedColumn& column) {
    index.update({5, 400, 599}, as_keys(column, {column.key(450), column.key(1), column.key(599)}),
                 Shape{column.type});
  });
}

TEST_P(DeviceSortedChanges, EraseEveryRow) {
  check([](ChangingIndex& index, const SortedColumn& column) {
    index.erase(index.rows_not_erased());
    const auto next = static_cast<Whole>(index.keys().size());
    index.insert(as_keys(column, keys_of(column, next, 30)), Shape{column.type});
  });
}

TEST_P(DeviceSortedChanges, OfAnyKind) {
  check([](ChangingIndex& index, const SortedColumn&) {
    for (int step = 0; step < 4; ++step) {
      index.random_change();
      ASSERT_EQ("", index.difference()) << "step " << step;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceSortedChanges,
                         testing::Values("rx:native@cuda", "rx:native@cuda,delta=0", "sorted@cuda",
                                         "btree@cuda", "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
