// Columns of points in every index that holds them, against a scan.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/boxes.hpp"
#include "support/specs.hpp"

namespace rtindex::test::boxes {
namespace {

class Boxes : public testing::TestWithParam<std::string> {};

TEST_P(Boxes, MatchTheScan) {
  Random random(34);
  const std::vector<ValueSource> sources = every_source();
  for (std::size_t columns = 2; columns <= 8; ++columns)
    for (int round = 0; round < 6; ++round) {
      std::vector<ValueSource> some;
      std::string name;
      for (std::size_t c = 0; c < columns; ++c) {
        some.push_back(random.pick(sources));
        name += some.back().name + ", ";
      }
      SCOPED_TRACE(name);
      const std::size_t size = random.below(700);
      const PointTable table = random_points(some, size, random);
      const TestColumn values = random_values(size, random, round % 2 == 0);
      const PointColumns points(table.sources, table.rows);
      const Index index = build(points.view(), GetParam(), {.include = values.view()});
      ASSERT_EQ(index.valid(), size);
      for (const std::size_t boxes : {1, 1, 1, 20, 300})
        ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, boxes, random));
    }
}

TEST_P(Boxes, AreFoundAmongMany) {
  Random random(35);
  const std::vector<ValueSource> sources = {wholes("int32", Type::i32, 0, 1000),
                                            wholes("int64", Type::i64, 0, Whole{1} << 50)};
  for (const std::size_t size : {0, 1, 127, 128, 129, 2048, 2049, 20000}) {
    SCOPED_TRACE(size);
    const PointTable table = random_points(sources, size, random);
    const TestColumn values = random_values(size, random);
    const PointColumns points(table.sources, table.rows);
    const Index index = build(points.view(), GetParam(), {.include = values.view()});
    for (const std::size_t boxes : {1, 1, 30})
      ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, boxes, random));
  }
}

// The second column equals the first or is close to it, the third is constant.
TEST_P(Boxes, AreFoundInCorrelatedColumns) {
  Random random(36);
  PointTable table = random_points(
      {wholes("a", Type::i32, 0, 100000), wholes("b", Type::i32, 0, 100000), skewed()}, 30000,
      random);
  for (std::vector<Part>& row : table.rows)
    row[1] = std::get<Whole>(row[0]) + (random.one_in(3) ? 1 : 0);
  const TestColumn values = random_values(table.rows.size(), random);
  const PointColumns points(table.sources, table.rows);
  const Index index = build(points.view(), GetParam(), {.include = values.view()});
  for (int round = 0; round < 6; ++round)
    ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, 1 + 10 * (round % 2), random));
}

TEST_P(Boxes, ChangeLikeKeys) {
  Random random(37);
  const std::vector<ValueSource> sources = every_source();
  for (int turn = 0; turn < 8; ++turn) {
    std::vector<ValueSource> some;
    for (std::size_t c = 0; c < 2 + random.below(4); ++c) some.push_back(random.pick(sources));
    while (some.size() < 2) some.push_back(sources.front());
    PointTable table = random_points(some, 300, random);
    std::vector<Key> included = random_values(table.rows.size(), random).keys();
    const auto included_column = [&] { return TestColumn({Type::i32}, included); };
    Index index = build(PointColumns(some, table.rows).view(), GetParam() + ",delta=60",
                        {.include = included_column().view()});
    for (int round = 0; round < 5; ++round) {
      Points added;
      for (int i = 0; i < 25; ++i) added.push_back(table.random_row(random));
      const TestColumn new_values = random_values(added.size(), random);
      index.insert(PointColumns(some, added).view(), new_values.view());
      table.rows.insert(table.rows.end(), added.begin(), added.end());
      table.erased.resize(table.rows.size(), false);
      included.insert(included.end(), new_values.keys().begin(), new_values.keys().end());
      const std::vector<std::uint32_t> valid = valid_rows(table.erased, random);
      const std::vector<std::uint32_t> erased(valid.begin(), valid.begin() + 9);
      index.erase(erased);
      for (const std::uint32_t row : erased) table.erased[row] = true;
      const std::vector<std::uint32_t> moved(valid.begin() + 9, valid.begin() + 19);
      Points new_points;
      for (const std::uint32_t row : moved)
        new_points.push_back(table.rows[row] = table.random_row(random));
      index.update(moved, PointColumns(some, new_points).view());
      const std::vector<std::uint32_t> set(valid.begin() + 15, valid.begin() + 25);
      const TestColumn set_values = random_values(set.size(), random);
      index.set_included(set, set_values.view());
      for (std::size_t i = 0; i < set.size(); ++i) included[set[i]] = set_values.keys()[i];
      if (round == 2) index.merge();
      ASSERT_EQ(index.valid(), valid.size() - erased.size());
      const Index snapshot = index.snapshot();
      const Index copy = deserialize(index.serialize());
      for (const std::size_t boxes : {1, 20}) {
        ASSERT_NO_FATAL_FAILURE(expect_answers(snapshot, table, included_column(), boxes, random));
        ASSERT_NO_FATAL_FAILURE(expect_answers(copy, table, included_column(), boxes, random));
      }
    }
  }
}

TEST_P(Boxes, AreSavedAndLoaded) {
  Random random(38);
  const PointTable table = random_points(
      {nullable(texts("string", std::string(70, 'q'))), nullable(skewed())}, 400, random);
  const TestColumn values = random_values(table.rows.size(), random, true);
  const PointColumns points(table.sources, table.rows);
  const auto path = std::filesystem::temp_directory_path() / "rtindex_boxes.rtx";
  build(points.view(), GetParam(), {.include = values.view()}).save(path);
  {
    const Index index = load(path);
    for (const std::size_t boxes : {1, 50})
      ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, boxes, random));
  }
  std::filesystem::remove(path);
}

TEST_P(Boxes, AreFilteredByRows) {
  Random random(39);
  PointTable table = random_points(
      {wholes("int32", Type::i32, 0, 100), wholes("uint8", Type::u8, 0, 9)}, 3000, random);
  const PointColumns points(table.sources, table.rows);
  const Index index = build(points.view(), GetParam());
  std::vector<std::uint8_t> bits(bitmap_bytes(table.rows.size()));
  for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random.bits());
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    table.erased[row] = (bits[row / 8] >> row % 8 & 1) == 0;
  const BoxBatch batch = random_boxes(table, 100, random);
  const Matches matches = scan(table, batch);
  const Query query = batch.query().with_filter({bits.data(), table.rows.size()});
  for (const AnswerSet answers : {AnswerSet(Answer::count), Answer::count | Answer::rows}) {
    const Answers found = index.answer(query, {.answers = answers});
    for (std::size_t i = 0; i < matches.size(); ++i) ASSERT_EQ(found.count()[i], matches[i].size());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Boxes, testing::ValuesIn(point_specs()),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test::boxes
