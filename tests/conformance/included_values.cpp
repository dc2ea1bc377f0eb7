// Values that an index keeps in key order answer like the same values passed with the call, and
// move with their rows.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

Index build_including(const TestColumn& column, const std::string& spec, const TestColumn& values) {
  return build(column.view(), spec, {.include = values.view()});
}

std::string check_included(const Index& index, const Batch& batch, const Matches& matches,
                           const AnswerOptions& options, const TestColumn& values) {
  if (!supports(index, options.answers, batch.kind)) return "";
  return check_call(index, batch, matches, options, values, ValuesOf::index);
}

using Case = std::tuple<std::string, std::string>;

class IncludedValues : public testing::TestWithParam<Case> {};

TEST_P(IncludedValues, AnswerLikeAValueColumn) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  Random random(8);
  const std::vector<Batch> batches = own_batches(column, 15, random);
  const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);
  for (const Type type : value_types()) {
    const TestColumn values = values_of(type, column.size(), random);
    const Index index = build_including(column, std::get<0>(GetParam()), values);
    EXPECT_EQ(index.included(), std::vector<IncludedType>({{"", type}}));
    const TestColumn others = values_of(Type::f64, column.size(), random);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (const AnswerOptions& options : {full_options(), AnswerOptions{.answers = Answer::sum},
                                           AnswerOptions{.answers = Answer::mean},
                                           AnswerOptions{.answers = Answer::mean | Answer::min},
                                           AnswerOptions{.answers = Answer::min | Answer::max},
                                           AnswerOptions{.answers = Answer::sum | Answer::count,
                                           .miss = {.u64 = 1, .i64 = 2, .f64 = 3}}})
        ASSERT_EQ("", check_included(index, batches[i], matches[i], options, values))
            << name_of(type) << " " << text_of(options);
      // Values that come with the call go first.
      if (supports(index, full_options().answers, batches[i].kind)) {
        ASSERT_EQ("", check_call(index, batches[i], matches[i], full_options(), others));
      }
    }
  }
}

TEST_P(IncludedValues, SkipNulls) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  Random random(12);
  const std::vector<Batch> batches = own_batches(column, 15, random);
  const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);
  const std::vector<AnswerOptions> every = every_options();
  for (const Type type : value_types()) {
    const TestColumn values = with_null_values(values_of(type, column.size(), random), random);
    const Index index = build_including(column, std::get<0>(GetParam()), values);
    const Index copy = index.copy();
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (const AnswerOptions& options : every_options())
        ASSERT_EQ("", check_included(index, batches[i], matches[i], options, values))
            << name_of(type);
      // All answers show whether the copy has the same values, the others how it reads them.
      for (const AnswerOptions& options : {full_options(), every[i % every.size()]})
        ASSERT_EQ("", check_included(copy, batches[i], matches[i], options, values))
            << name_of(type) << " " << text_of(options);
    }
  }
}

TEST_P(IncludedValues, StayWithTheirRowsThroughUpdates) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  Random random(9);
  for (const Type type : {Type::i32, Type::f64, Type::u64}) {
    const TestColumn values = values_of(type, column.size(), random);
    Index index = build_including(column, std::get<0>(GetParam()), values);
    std::vector<Key> keys = column.keys();
    for (int step = 0; step < 4; ++step) {
      std::vector<std::uint32_t> rows;
      std::vector<Key> changed;
      for (std::size_t row = 0; row < keys.size(); ++row)
        if (random.one_in(4)) {
          rows.push_back(static_cast<std::uint32_t>(row));
          changed.push_back(random.pick(column.keys()));
        }
      index.update(rows, TestColumn(column.shape(), changed).view());
      for (std::size_t i = 0; i < rows.size(); ++i) keys[rows[i]] = changed[i];
      const Oracle oracle(keys);
      for (const Batch& batch : own_batches(TestColumn(column.shape(), keys), 12, random))
        ASSERT_EQ("", check_included(index, batch, oracle.scan(batch), full_options(), values))
            << "step " << step;
    }
  }
}

// A table with several included columns, and the index over it.
class SeveralColumns {
 public:
  SeveralColumns(const TestColumn& column, const std::string& spec)
      : shape_(column.shape()), keys_(column.keys()) {
    std::vector<TestColumn> columns;
    for (std::size_t i = 0; i < types.size(); ++i) columns.push_back(new_values(i, keys_.size()));
    index_.emplace(build(column.view(), spec, {.include = named(columns)}));
    for (std::size_t i = 0; i < types.size(); ++i) values_[i] = columns[i].keys();
  }

  [[nodiscard]] Index& index() { return *index_; }
  void replace(Index index) { index_.emplace(std::move(index)); }

  void insert(std::size_t count) {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < count && !keys_.empty(); ++i) keys.push_back(random_.pick(keys_));
    std::vector<TestColumn> columns;
    for (std::size_t i = 0; i < types.size(); ++i) columns.push_back(new_values(i, keys.size()));
    std::vector<IncludedColumn> reversed = named(columns);
    std::reverse(reversed.begin(), reversed.end());
    index_->insert(TestColumn(shape_, keys).view(), reversed);
    keys_.insert(keys_.end(), keys.begin(), keys.end());
    for (std::size_t i = 0; i < types.size(); ++i)
      values_[i].insert(values_[i].end(), columns[i].keys().begin(), columns[i].keys().end());
  }
  void update() {
    const std::vector<std::uint32_t> rows = some_rows();
    std::vector<Key> keys;
    for (std::size_t i = 0; i < rows.size(); ++i) keys.push_back(random_.pick(keys_));
    index_->update(rows, TestColumn(shape_, keys).view());
    for (std::size_t i = 0; i < rows.size(); ++i) keys_[rows[i]] = keys[i];
  }
  void set_included(std::size_t column) {
    const std::vector<std::uint32_t> rows = some_rows();
    const TestColumn values = new_values(column, rows.size());
    index_->set_included(rows, values.view(), names[column]);
    for (std::size_t i = 0; i < rows.size(); ++i) values_[column][rows[i]] = values.keys()[i];
  }

  [[nodiscard]] std::string difference() {
    const Oracle oracle(keys_);
    for (const Batch& batch : own_batches(TestColumn(shape_, keys_), 12, random_)) {
      const Matches matches = oracle.scan(batch);
      for (std::size_t i = 0; i < types.size(); ++i) {
        AnswerOptions options = random_.pick(every_options());
        if (!supports(*index_, options.answers, batch.kind)) continue;
        options.included = names[i];
        const std::string text =
            check_call(*index_, batch, matches, options, TestColumn(Shape{types[i]}, values_[i]),
                       ValuesOf::index);
        if (!text.empty()) return names[i] + ": " + text;
      }
    }
    return "";
  }

  static constexpr std::array types = {Type::f64, Type::i64, Type::u8};
  inline static const std::array<std::string, 3> names = {"price", "cents", "pieces"};

 private:
  [[nodiscard]] TestColumn new_values(std::size_t column, std::size_t size) {
    const TestColumn values = values_of(types[column], size, random_);
    return column == 0 ? values : with_null_values(values, random_);
  }
  [[nodiscard]] static std::vector<IncludedColumn> named(const std::vector<TestColumn>& columns) {
    std::vector<IncludedColumn> all;
    for (std::size_t i = 0; i < columns.size(); ++i) all.push_back({names[i], columns[i].view()});
    return all;
  }
  [[nodiscard]] std::vector<std::uint32_t> some_rows() {
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < keys_.size(); ++row)
      if (random_.one_in(5)) rows.push_back(static_cast<std::uint32_t>(row));
    random_.shuffle(rows);
    return rows;
  }

  Random random_{14};
  Shape shape_;
  std::vector<Key> keys_;
  std::array<std::vector<Key>, 3> values_;
  std::optional<Index> index_;
};

TEST_P(IncludedValues, AreSeveralColumnsWithNames) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  SeveralColumns table(column, std::get<0>(GetParam()));
  std::vector<IncludedType> wanted;
  for (std::size_t i = 0; i < SeveralColumns::types.size(); ++i)
    wanted.push_back({SeveralColumns::names[i], SeveralColumns::types[i]});
  ASSERT_EQ("", table.difference());
  table.insert(30);
  ASSERT_EQ("", table.difference());
  table.set_included(1);
  ASSERT_EQ("", table.difference());
  table.update();
  table.set_included(2);
  ASSERT_EQ("", table.difference());
  table.replace(table.index().copy());
  EXPECT_EQ(table.index().included(), wanted);
  ASSERT_EQ("", table.difference());
  table.insert(5);
  table.index().merge();
  ASSERT_EQ("", table.difference());
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, IncludedValues,
    testing::Combine(testing::ValuesIn(including_specs()),
                     testing::Values("dense_u32", "sparse_u64", "duplicates_x256", "all_equal_u64",
                                     "nulls_dense_u32", "special_f64", "same_head_strings",
                                     "three_wide_ints", "all_null_i8", "empty_u32", "single_u64",
                                     "in_order_dense_u32", "in_order_nulls",
                                     "in_order_null_ends_u32")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

TEST(IncludedValues, AreRejectedByIndexesWithoutOrder) {
  const TestColumn column = workload_named("dense_u32").column();
  Random random(1);
  const TestColumn values = values_of(Type::i64, column.size(), random);
  for (const std::string& spec : usable_and_bucketed())
    if (!includes_values(spec)) {
      EXPECT_TRUE(error_of([&] { static_cast<void>(build_including(column, spec, values)); }))
          << spec;
    }
}

std::string sentence(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(IncludedValues, AreRejectedByTheirNames) {
  const std::vector<int> keys = {1, 2, 3};
  const std::vector<IncludedColumn> twice = {{"price", keys}, {"price", keys}};
  EXPECT_NE(sentence([&] {
              static_cast<void>(build(keys, "sorted@cpu", {.include = twice}));
            }).find("two included columns are named 'price'"),
            std::string::npos);
  const std::vector<IncludedColumn> unnamed = {{"price", keys}, {"", keys}};
  EXPECT_NE(sentence([&] {
              static_cast<void>(build(keys, "sorted@cpu", {.include = unnamed}));
            }).find("has no name"),
            std::string::npos);
  const std::vector<IncludedColumn> both = {{"price", keys}, {"tax", keys}};
  Index index = build(keys, "sorted@cpu", {.include = both});
  const std::string all = "'price' and 'tax'";
  const auto expect = [&](const std::string& words, const std::function<void()>& call) {
    const std::string text = sentence(call);
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_NE(text.find(all), std::string::npos) << text;
  };
  const auto sum = [&](const std::string& name) {
    return index.lookup(keys, AnswerOptions{.answers = Answer::sum, .included = name});
  };
  expect("name one of them", [&] { static_cast<void>(sum("")); });
  expect("unknown included column 'cost'", [&] { static_cast<void>(sum("cost")); });
  expect("name one of them", [&] { index.set_included(std::vector{0U, 1U, 2U}, keys); });
  expect("'tax' is missing", [&] { index.insert(keys, {{"price", keys}}); });
  expect("name one of them", [&] { index.insert(keys, keys); });
  EXPECT_NE(sentence([&] { index.insert(keys, twice); }).find("passed twice"), std::string::npos);
  EXPECT_EQ(index.size(), 3U);
  EXPECT_EQ(sum("tax").sum_as<std::int64_t>()[2], 3);
  const std::vector<IncludedColumn> one = {{"price", keys}};
  const Index only = build(keys, "sorted@cpu", {.include = one});
  EXPECT_EQ(only.lookup(keys, Answer::sum).sum_as<std::int64_t>()[2], 3);
}

TEST(IncludedValues, AreRejectedIfInvalid) {
  const std::vector<int> keys = {1, 2, 3};
  const std::vector<int> two = {1, 2};
  const std::vector<std::string> texts = {"a", "b", "c"};
  EXPECT_THROW(static_cast<void>(build(keys, {}, {.include = two})), Error);
  EXPECT_THROW(static_cast<void>(build(keys, {}, {.include = texts})), Error);
}

}  // namespace
}  // namespace rtindex::test
