#include "support/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/checker.hpp"
#include "support/joins.hpp"

namespace rtindex::test::boxes {

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

ValueSource dictionary(ValueSource source) {
  source.name = "dictionary of " + source.name;
  source.is_dictionary = true;
  return source;
}

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
      texts("long string", std::string(70, 'q')),
      dictionary(wholes("int16", Type::i16, -9, 9)),
      nullable(dictionary(texts("string", "")))};
}

std::vector<Part> PointTable::random_row(Random& random) const {
  std::vector<Part> row;
  for (const ValueSource& source : sources)
    row.push_back(source.has_nulls && random.one_in(5) ? Part(std::monostate{})
                                                       : source.make(random));
  return row;
}

namespace {

// The values of a dictionary column of these keys: each key, the last ones first, one of them
// twice, and a null.
std::vector<Key> values_of(const std::vector<Key>& keys) {
  std::vector<Key> values;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key)
    if (!is_null(*key) &&
        std::ranges::none_of(values, [&](const Key& value) { return compare(value, *key) == 0; }))
      values.push_back(*key);
  if (!values.empty()) values.push_back(values.front());
  values.push_back({std::monostate{}});
  return values;
}

// The position of each key among the values. A null has none, or that of the null.
TestColumn positions_in(const std::vector<Key>& values, const std::vector<Key>& keys) {
  std::vector<Key> positions;
  for (const Key& key : keys) {
    if (is_null(key) && positions.size() % 2 == 0) {
      positions.push_back({std::monostate{}});
      continue;
    }
    const auto found = std::ranges::find_if(values, [&](const Key& value) {
      return is_null(value) || is_null(key) ? is_null(value) && is_null(key)
                                            : compare(value, key) == 0;
    });
    positions.push_back({Whole{found - values.begin()}});
  }
  return {Shape{Type::i32}, std::move(positions)};
}

}  // namespace

PointColumns::PointColumns(const std::vector<ValueSource>& sources, const Points& rows) {
  for (std::size_t c = 0; c < sources.size(); ++c) {
    std::vector<Key> keys;
    for (const std::vector<Part>& row : rows) keys.push_back({row[c]});
    if (!sources[c].is_dictionary) {
      columns_.push_back({TestColumn(sources[c].shape, std::move(keys)), std::nullopt});
      continue;
    }
    const std::vector<Key> values = values_of(keys);
    columns_.push_back({TestColumn(sources[c].shape, values), positions_in(values, keys)});
  }
}

ColumnView PointColumns::view() const {
  std::vector<ColumnView> views;
  for (const Column& column : columns_)
    views.push_back(column.positions
                        ? ColumnView::dictionary(column.positions->view(), column.values.view())
                        : column.values.view());
  return ColumnView::points(std::move(views));
}

PointTable random_points(std::vector<ValueSource> sources, std::size_t size, Random& random) {
  PointTable table{std::move(sources), {}, std::vector<bool>(size, false)};
  for (std::size_t i = 0; i < size; ++i) table.rows.push_back(table.random_row(random));
  return table;
}

Condition TestCondition::condition() const {
  return {kind, lower ? lower->view() : ColumnView(), upper ? upper->view() : ColumnView(), ends};
}

bool TestCondition::matches(const Part& value, std::size_t query) const {
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

Query BoxBatch::query() const {
  std::vector<Condition> all;
  for (const TestCondition& one : conditions) all.push_back(one.condition());
  return Query::box(std::move(all));
}

namespace {

constexpr Ends every_ends[] = {Ends::closed, Ends::right_open, Ends::left_open, Ends::open};

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

}  // namespace

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

TestColumn random_values(std::size_t size, Random& random, bool has_nulls) {
  std::vector<Key> values;
  for (std::size_t i = 0; i < size; ++i)
    values.push_back({has_nulls && random.one_in(4) ? Part(std::monostate{})
                                                    : Part(random.between(-1000000, 1000000))});
  return {{Type::i32}, values};
}

namespace {

constexpr AnswerSet all_answers_of_boxes =
    Answer::any | Answer::first | Answer::last | Answer::count | Answer::sum | Answer::min |
    Answer::max | Answer::mean | Answer::bitmap | Answer::bitmaps | Answer::rows;

}  // namespace

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
  if (!index.included().empty()) all.values = {};
  ASSERT_NO_FATAL_FAILURE(expect(all));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::count}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::count, .matched = true}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::sum | Answer::max, .values = all.values}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::any}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::bitmap}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::bitmap | Answer::bitmaps}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = {}, .matched = true}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::rows}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::rows, .limit = 2}));
  ASSERT_NO_FATAL_FAILURE(expect({.answers = Answer::rows | Answer::count, .limit = 0}));
  ASSERT_NO_FATAL_FAILURE(expect_some_joins(index, query, matches, random));
}

}  // namespace rtindex::test::boxes
