// Columns of points against an oracle that tests every row with every box.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/checker.hpp"
#include "support/join_oracle.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test::boxes {
namespace {

constexpr const char* spec = "rx:native@cpu";
constexpr Ends every_ends[] = {Ends::closed, Ends::right_open, Ends::left_open, Ends::open};

// Makes the values of a column, and those that conditions compare with them.
struct ValueSource {
  std::string name;
  Shape shape;
  std::function<Part(Random&)> make;
  bool has_nulls = false;
};

ValueSource wholes(const std::string& name, Type type, Whole low, Whole high) {
  return {name, {type}, [=](Random& random) -> Part { return random.between(low, high); }};
}

ValueSource texts(const std::string& name, const std::string& beginning) {
  return {name, {Type::string}, [=](Random& random) -> Part {
            return beginning + std::string(1, static_cast<char>('a' + random.below(8))) +
                   std::string(random.below(3), 'x');
          }};
}

ValueSource nullable(ValueSource source) {
  source.name += " with nulls";
  source.has_nulls = true;
  return source;
}

// Many values are equal, a few are far away.
ValueSource skewed() {
  return {"skewed", {Type::i64}, [](Random& random) -> Part {
            if (random.one_in(2)) return Whole{7};
            if (random.one_in(20)) return random.between(smallest_of(Type::i64), -1);
            return Whole{1} << random.below(40);
          }};
}

std::vector<ValueSource> every_source() {
  return {
      wholes("int32", Type::i32, -50, 50),
      wholes("uint8", Type::u8, 0, 255),
      nullable(wholes("int16", Type::i16, -5, 5)),
      wholes("uint64", Type::u64, 0, largest_of(Type::u64)),
      nullable(wholes("all of uint64", Type::u64, 0, largest_of(Type::u64))),
      nullable(wholes("all of int32", Type::i32, smallest_of(Type::i32), largest_of(Type::i32))),
      wholes("date", Type::date32, -20, 20),
      wholes("timestamp", Type::timestamp64, 1700000000000, 1700000900000),
      wholes("bool", Type::boolean, 0, 1),
      wholes("constant", Type::i32, 5, 5),
      wholes("int128", Type::i128, -(Whole{1} << 100), Whole{1} << 100),
      skewed(),
      nullable({"double",
                {Type::f64},
                [](Random& random) -> Part {
                  return random.one_in(30) ? HUGE_VAL : std::floor(random.real(-40, 40)) / 4;
                }}),
      {"float",
       {Type::f32},
       [](Random& random) -> Part { return std::floor(random.real(-99, 99)); }},
      nullable(texts("string", "")),
      texts("long string", std::string(70, 'q'))};
}

using Points = std::vector<std::vector<Part>>;  // rows of values

struct PointTable {
  std::vector<ValueSource> sources;
  Points rows;
  std::vector<bool> erased;

  [[nodiscard]] std::vector<Part> random_row(Random& random) const {
    std::vector<Part> row;
    for (const ValueSource& source : sources)
      row.push_back(source.has_nulls && random.one_in(5) ? Part(std::monostate{})
                                                         : source.make(random));
    return row;
  }
};

// Owns the columns of some points.
class PointColumns {
 public:
  PointColumns(const std::vector<ValueSource>& sources, const Points& rows) {
    for (std::size_t c = 0; c < sources.size(); ++c) {
      std::vector<Key> keys;
      for (const std::vector<Part>& row : rows) keys.push_back({row[c]});
      columns_.emplace_back(sources[c].shape, std::move(keys));
    }
  }
  [[nodiscard]] ColumnView view() const {
    std::vector<ColumnView> views;
    for (const TestColumn& column : columns_) views.push_back(column.view());
    return ColumnView::points(std::move(views));
  }

 private:
  std::vector<TestColumn> columns_;
};

PointTable random_points(std::vector<ValueSource> sources, std::size_t size, Random& random) {
  PointTable table{std::move(sources), {}, std::vector<bool>(size, false)};
  for (std::size_t i = 0; i < size; ++i) table.rows.push_back(table.random_row(random));
  return table;
}

// The condition on one column of a batch: unset ends have no column, scalars one element.
struct TestCondition {
  ConditionKind kind = ConditionKind::none;
  Ends ends = Ends::closed;
  std::optional<TestColumn> lower, upper;

  [[nodiscard]] Condition condition() const {
    return {kind, lower ? lower->view() : ColumnView(), upper ? upper->view() : ColumnView(), ends};
  }
  [[nodiscard]] bool matches(const Part& value, std::size_t query) const {
    const bool is_null = std::holds_alternative<std::monostate>(value);
    if (kind == ConditionKind::none) return true;
    if (kind == ConditionKind::is_null) return is_null;
    if (is_null) return false;
    if (kind == ConditionKind::isin)
      return std::any_of(lower->keys().begin(), lower->keys().end(),
                         [&](const Key& key) { return compare(value, key.front()) == 0; });
    const auto is_beyond = [&](const std::optional<TestColumn>& end, bool is_open, int direction) {
      if (!end) return false;
      const Part& bound = end->keys()[end->size() == 1 ? 0 : query].front();
      if (std::holds_alternative<std::monostate>(bound)) return true;
      const int order = compare(value, bound) * direction;
      return order > 0 || (order == 0 && is_open);
    };
    return !is_beyond(lower, ends == Ends::left_open || ends == Ends::open, -1) &&
           !is_beyond(upper, ends == Ends::right_open || ends == Ends::open, 1);
  }
};

struct BoxBatch {
  std::size_t size;
  std::vector<TestCondition> conditions;

  [[nodiscard]] Query query() const {
    std::vector<Condition> all;
    for (const TestCondition& one : conditions) all.push_back(one.condition());
    return Query::box(std::move(all));
  }
};

TestCondition random_condition(const ValueSource& source, std::size_t size, Random& random) {
  TestCondition condition;
  if (random.one_in(4)) return condition;
  if (random.one_in(6)) {
    condition.kind = ConditionKind::is_null;
    return condition;
  }
  if (random.one_in(5)) {
    condition.kind = ConditionKind::isin;
    std::vector<Key> values;
    for (std::size_t i = 0; i < random.below(6); ++i) values.push_back({source.make(random)});
    condition.lower = TestColumn(source.shape, values);
    return condition;
  }
  condition.kind = ConditionKind::range;
  condition.ends = every_ends[random.below(4)];
  const bool are_scalars = random.one_in(3);
  std::vector<Key> lower, upper;
  for (std::size_t i = 0; i < (are_scalars ? 1 : size); ++i) {
    Part low = source.make(random);
    Part high = random.one_in(4) ? low : source.make(random);
    if (compare(low, high) > 0 && !random.one_in(8)) std::swap(low, high);
    if (random.one_in(40)) low = std::monostate{};
    lower.push_back({low});
    upper.push_back({high});
  }
  if (random.one_in(6)) upper.resize(1);
  if (!random.one_in(6)) condition.lower = TestColumn(source.shape, lower);
  if (!random.one_in(6)) condition.upper = TestColumn(source.shape, upper);
  return condition;
}

BoxBatch random_boxes(const PointTable& table, std::size_t size, Random& random) {
  BoxBatch batch{size, {}};
  for (const ValueSource& source : table.sources)
    batch.conditions.push_back(random_condition(source, size, random));
  // One of each query, so that the batch has its size.
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i) keys.push_back({table.sources.front().make(random)});
  if (size != 1)
    batch.conditions.front() = {ConditionKind::range, Ends::closed, std::nullopt,
                                TestColumn(table.sources.front().shape, keys)};
  if (random.one_in(5)) batch.conditions.resize(1);
  return batch;
}

Matches scan(const PointTable& table, const BoxBatch& batch) {
  Matches matches(batch.size);
  for (std::size_t query = 0; query < batch.size; ++query)
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      bool is_match = !table.erased[row];
      for (std::size_t c = 0; c < batch.conditions.size() && is_match; ++c)
        is_match = batch.conditions[c].matches(table.rows[row][c], query);
      if (is_match) matches[query].push_back(static_cast<std::uint32_t>(row));
    }
  return matches;
}

TestColumn random_values(std::size_t size, Random& random, bool has_nulls = false) {
  std::vector<Key> values;
  for (std::size_t i = 0; i < size; ++i)
    values.push_back({has_nulls && random.one_in(4) ? Part(std::monostate{})
                                                    : Part(random.between(-1000000, 1000000))});
  return {{Type::i32}, values};
}

constexpr AnswerSet all_answers_of_boxes =
    Answer::any | Answer::first | Answer::last | Answer::count | Answer::sum | Answer::min |
    Answer::max | Answer::mean | Answer::bitmap | Answer::bitmaps | Answer::rows;

// Expects every answer. `values`: a value for each row, which the index includes as well.
void expect_answers(const Index& index, const PointTable& table, const TestColumn& values,
                    std::size_t boxes, Random& random) {
  const BoxBatch batch = random_boxes(table, boxes, random);
  const Query query = batch.query();
  ASSERT_EQ(query.size(), boxes);
  const Matches matches = scan(table, batch);
  const TestColumn none = integers(Type::u8, std::vector<Whole>(boxes, 0));
  const Batch shown{QueryKind::range, none, none};
  const auto expect = [&](const AnswerOptions& options) {
    const Answers answers = index.answer(query, options);
    ASSERT_EQ(first_difference(plain_answers(answers, options), options, shown, matches, values),
              "");
  };
  AnswerOptions all{.answers = all_answers_of_boxes, .values = values.view()};
  all.matched = true;
  ASSERT_NO_FATAL_FAILURE(expect(all));
  all.values = {};  // the included ones
  ASSERT_NO_FATAL_FAILURE(expect(all));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::count}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::count, .matched = true}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::sum | Answer::max}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::any}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::bitmap}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::bitmap | Answer::bitmaps}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = {}, .matched = true}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::rows}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::rows, .limit = 2}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::rows | Answer::count, .limit = 0}));
  for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti})
    ASSERT_EQ(join_difference(index.join(query, how), matches, how), "");
}

TEST(Boxes, AreFoundLikeByTheScan) {
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
      const Index index = build(points.view(), spec, {.include = values.view()});
      ASSERT_EQ(index.live(), size);
      for (const std::size_t boxes : {1, 1, 1, 20, 300})
        ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, boxes, random));
    }
}

TEST(Boxes, AreFoundAmongMany) {
  Random random(35);
  const std::vector<ValueSource> sources = {wholes("int32", Type::i32, 0, 1000),
                                            wholes("int64", Type::i64, 0, Whole{1} << 50)};
  for (const std::size_t size : {0, 1, 127, 128, 129, 2048, 2049, 20000}) {
    SCOPED_TRACE(size);
    const PointTable table = random_points(sources, size, random);
    const TestColumn values = random_values(size, random);
    const PointColumns points(table.sources, table.rows);
    const Index index = build(points.view(), spec, {.include = values.view()});
    for (const std::size_t boxes : {1, 1, 30})
      ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, boxes, random));
  }
}

// The second column equals the first or is close to it, the third is constant.
TEST(Boxes, AreFoundInCorrelatedColumns) {
  Random random(36);
  PointTable table = random_points(
      {wholes("a", Type::i32, 0, 100000), wholes("b", Type::i32, 0, 100000), skewed()}, 30000,
      random);
  for (std::vector<Part>& row : table.rows)
    row[1] = std::get<Whole>(row[0]) + (random.one_in(3) ? 1 : 0);
  const TestColumn values = random_values(table.rows.size(), random);
  const PointColumns points(table.sources, table.rows);
  const Index index = build(points.view(), spec, {.include = values.view()});
  for (int round = 0; round < 6; ++round)
    ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, 1 + 10 * (round % 2), random));
}

TEST(Boxes, ChangeLikeKeys) {
  Random random(37);
  const std::vector<ValueSource> sources = every_source();
  for (int turn = 0; turn < 8; ++turn) {
    std::vector<ValueSource> some;
    for (std::size_t c = 0; c < 2 + random.below(4); ++c) some.push_back(random.pick(sources));
    while (some.size() < 2) some.push_back(sources.front());
    PointTable table = random_points(some, 300, random);
    std::vector<Key> included = random_values(table.rows.size(), random).keys();
    const auto included_column = [&] { return TestColumn({Type::i32}, included); };
    Index index = build(PointColumns(some, table.rows).view(), std::string(spec) + ",delta=60",
                        {.include = included_column().view()});
    for (int round = 0; round < 5; ++round) {
      Points added;
      for (int i = 0; i < 25; ++i) added.push_back(table.random_row(random));
      const TestColumn new_values = random_values(added.size(), random);
      index.insert(PointColumns(some, added).view(), new_values.view());
      table.rows.insert(table.rows.end(), added.begin(), added.end());
      table.erased.resize(table.rows.size(), false);
      included.insert(included.end(), new_values.keys().begin(), new_values.keys().end());
      std::vector<std::uint32_t> live;
      for (std::uint32_t row = 0; row < table.rows.size(); ++row)
        if (!table.erased[row]) live.push_back(row);
      random.shuffle(live);
      const std::vector<std::uint32_t> erased(live.begin(), live.begin() + 9);
      index.erase(erased);
      for (const std::uint32_t row : erased) table.erased[row] = true;
      const std::vector<std::uint32_t> moved(live.begin() + 9, live.begin() + 19);
      Points new_points;
      for (const std::uint32_t row : moved)
        new_points.push_back(table.rows[row] = table.random_row(random));
      index.update(moved, PointColumns(some, new_points).view());
      const std::vector<std::uint32_t> set(live.begin() + 15, live.begin() + 25);
      const TestColumn set_values = random_values(set.size(), random);
      index.set_included(set, set_values.view());
      for (std::size_t i = 0; i < set.size(); ++i) included[set[i]] = set_values.keys()[i];
      if (round == 2) index.merge();
      ASSERT_EQ(index.live(), live.size() - erased.size());
      const Index snapshot = index.snapshot();
      const Index copy = deserialize(index.serialize());
      for (const std::size_t boxes : {1, 20}) {
        ASSERT_NO_FATAL_FAILURE(expect_answers(snapshot, table, included_column(), boxes, random));
        ASSERT_NO_FATAL_FAILURE(expect_answers(copy, table, included_column(), boxes, random));
      }
    }
  }
}

TEST(Boxes, AreSavedAndLoaded) {
  Random random(38);
  const PointTable table = random_points(
      {nullable(texts("string", std::string(70, 'q'))), nullable(skewed())}, 400, random);
  const TestColumn values = random_values(table.rows.size(), random, true);
  const PointColumns points(table.sources, table.rows);
  const auto path = std::filesystem::temp_directory_path() / "rtindex_boxes.rtx";
  build(points.view(), spec, {.include = values.view()}).save(path);
  {
    const Index index = load(path);
    for (const std::size_t boxes : {1, 50})
      ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, values, boxes, random));
  }
  std::filesystem::remove(path);
}

TEST(Boxes, AreFilteredByRows) {
  Random random(39);
  PointTable table = random_points(
      {wholes("int32", Type::i32, 0, 100), wholes("uint8", Type::u8, 0, 9)}, 3000, random);
  const PointColumns points(table.sources, table.rows);
  const Index index = build(points.view(), spec);
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

void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    FAIL() << "expected an error: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(BoxErrors, SayWhatToDo) {
  const std::vector<int> ints = {1, 5, 9};
  const std::vector<long> longs = {4, 6, 20};
  const std::vector<std::string> words = {"a", "b", "c"};
  const std::vector<int> two = {1, 2};
  const ColumnView column = ColumnView::points({ints, longs});
  expect_error([&] { static_cast<void>(ColumnView::points({ints})); }, "2 to 8 columns, got 1");
  expect_error([&] { static_cast<void>(ColumnView::points(std::vector<ColumnView>(9, ints))); },
               "2 to 8 columns, got 9");
  expect_error([&] { static_cast<void>(ColumnView::points({ints, two})); }, "differ in length");
  for (const char* const other : {"sorted@cpu", "btree@cpu", "hash@cpu"})
    expect_error([&] { static_cast<void>(build(column, other)); }, "cannot index points");
  Index index = build(column, spec);
  const auto answer = [&](std::vector<Condition> conditions) {
    static_cast<void>(index.answer(Query::box(std::move(conditions)), {.answers = Answer::count}));
  };
  expect_error([&] { answer({{}, {}, {}}); }, "3 conditions but the points have 2 columns");
  expect_error([&] { answer({Condition::equal(words)}); }, "string values cannot be compared");
  expect_error(
      [&] {
        answer({Condition::equal(ints), Condition::equal(two)});
      },
      "expected conditions of one length");
  expect_error([&] { static_cast<void>(index.lookup(ints)); }, "holds points");
  expect_error([&] { static_cast<void>(index.answer(Query::nearest(ints))); }, "holds points");
  expect_error([&] { static_cast<void>(index.select(ints)); }, "no key to rank them by");
  expect_error(
      [&] {
        static_cast<void>(
            index.answer(Query::box({}), {.answers = Answer::rows, .order = RowOrder::ascending}));
      },
      "points have no key");
  expect_error([&] { index.insert(ints); }, "the index holds points, got int32");
  expect_error(
      [&] {
        index.insert(ColumnView::points({ints, longs, ints}));
      },
      "the points have 3 columns, expected 2");
  expect_error(
      [&] {
        index.insert(ColumnView::points({words, longs}));
      },
      "string values cannot be column 1");
  expect_error([&] { index.erase_keys(column); }, "erased by their rows");
  EXPECT_EQ(index.size(), 3U);
  const Index keys = build(ints, spec);
  expect_error([&] { static_cast<void>(keys.answer(Query::box({}))); },
               "box queries search points");
  expect_error([&] { static_cast<void>(keys.lookup(column)); }, "got points");
}

}  // namespace
}  // namespace rtindex::test::boxes
