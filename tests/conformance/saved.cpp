// Every usable index on every column: saved, loaded, queried, changed and saved again.

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/description.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class Saved : public testing::TestWithParam<Case> {};

void expect_scan(const Index& index, const TestColumn& column, Random& random) {
  const TestColumn values = values_of(random.pick(value_types()), column.size(), random);
  const Oracle oracle(column.keys());
  for (const Batch& batch : own_batches(column, 24, random)) {
    if (!supports(index, full_options().answers, batch.kind)) continue;
    ASSERT_EQ("", check_call(index, batch, oracle.scan(batch), full_options(), values));
  }
}

// Some rows get the keys of other rows.
TestColumn update_some(Index& index, const TestColumn& column, Random& random) {
  if (column.size() == 0) return column;
  std::vector<Key> keys = column.keys();
  std::vector<std::uint32_t> rows;
  std::vector<Key> new_keys;
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    if (!random.one_in(5)) continue;
    rows.push_back(row);
    new_keys.push_back(random.pick(column.keys()));
    keys[row] = new_keys.back();
  }
  index.update(rows, TestColumn(column.shape(), new_keys).view());
  return {column.shape(), keys};
}

TEST_P(Saved, AnswersLikeTheScan) {
  const auto& [index_name, workload_name] = GetParam();
  const TestColumn column = workload_named(workload_name).column();
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  Random random(column.size() + 3);
  for (const std::string& spec : specs_of(index_name)) {
    SCOPED_TRACE(spec);
    const Index built = build(column.view(), spec);
    built.save(folder.file("a.rtindex"));
    Index index = load(folder.file("a.rtindex"), {.verify = Verify::full});
    EXPECT_EQ(index.spec(), built.spec());
    EXPECT_EQ(index.size(), built.size());
    EXPECT_EQ(index.type(), built.type());
    EXPECT_EQ(index.memory_usage().parts.size(), built.memory_usage().parts.size());
    expect_scan(index, column, random);

    // The mapping outlives its file's name, and an update leaves the file as it is.
    const TestColumn changed = update_some(index, column, random);
    expect_scan(index, changed, random);
    index.save(folder.file("b.rtindex"));
    expect_scan(load(folder.file("a.rtindex")), column, random);
    const Index again = load(folder.file("b.rtindex"));
    std::filesystem::remove(folder.file("b.rtindex"));
    expect_scan(again, changed, random);
    EXPECT_EQ(folder.count_files(), 1U);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, Saved,
                         testing::Combine(testing::ValuesIn(usable_indexes()),
                                          testing::ValuesIn(workload_names())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

class SavedChanges : public testing::TestWithParam<Case> {
 protected:
  // Every way to have the same index once more.
  [[nodiscard]] std::vector<Index> restored(const Index& index) const {
    index.save(path_);
    std::vector<Index> all;
    all.push_back(load(path_));
    all.push_back(load(path_, {.verify = Verify::full}));
    all.push_back(deserialize(index.serialize(), {.verify = Verify::full}));
    all.push_back(index.copy());
    all.push_back(index.snapshot().copy());
    all.push_back(load(path_).snapshot());
    return all;
  }

  TemporaryFolder folder_{TemporaryFolder::Medium::memory};
  std::string path_ = folder_.file("a.rtindex");
};

// With several segments, erased and null rows and rows that have moved.
TEST_P(SavedChanges, AnswerLikeTheScan) {
  const auto& [index_name, workload_name] = GetParam();
  for (const std::string& spec : {index_name, index_name + ",delta=64"}) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(some_rows(workload_name, 250), spec,
                           {.seed = 70, .include = includes_values(spec), .max_rows = 0});
    for (int round = 0; round < 2; ++round) {
      for (int change = 0; change < 4; ++change) changing.random_change();
      std::vector<Index> again = restored(changing.index());
      for (std::size_t i = 0; i < again.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "round " << round << ", way " << i);
        EXPECT_EQ(described(again[i], "segments"), described(changing.index(), "segments"));
        EXPECT_EQ(again[i].serialize(), changing.index().serialize());
        ChangingIndex other = changing.over(std::move(again[i]));
        ASSERT_EQ("", other.difference()) << other.index().describe();
        other.random_change();
        ASSERT_EQ("", other.difference()) << other.index().describe();
      }
      changing = changing.over(load(path_));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, SavedChanges,
    testing::Combine(testing::ValuesIn(usable_and_bucketed()),
                     testing::Values("sparse_u64", "nulls_dense_u32", "special_f64",
                                     "nulls_same_head_strings", "int_string", "three_wide_ints",
                                     "nulls_in_parts", "empty_u32", "in_order_dense_u32",
                                     "in_order_timestamps")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

}  // namespace
}  // namespace rtindex::test
