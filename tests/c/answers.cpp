// rtindex_answer() and its relatives return what Index::answer() returns.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/rtindex.hpp>

#include "c/c_calls.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

template <class T>
std::vector<T> all_of(std::span<const T> elements) {
  return {elements.begin(), elements.end()};
}

class CAnswers : public CIndexTest {};

TEST_F(CAnswers, NeighboursAndTheirKeys) {
  const std::vector<std::int64_t> times{24, 28, 22};
  const rtindex_column keys = memory_of(RTINDEX_TYPE_INT64, times);
  rtindex_query query = rtindex_query_nearest(&keys, RTINDEX_DIRECTION_BACKWARD);
  query.tolerance_type = RTINDEX_TYPE_INT64;
  query.tolerance_i64 = 1;
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_ANY | RTINDEX_ANSWER_KEY;
  Exported answers;
  ASSERT_EQ("", error_in(rtindex_answer(index(), &query, &options, nullptr, answers.schema_out(),
                                        answers.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("any")),
            (std::vector<std::uint32_t>{3, 5, RTINDEX_MISS_ROW}));
  EXPECT_EQ(answers.format_of("key"), "l");
  const std::vector<std::int64_t> found = elements_of<std::int64_t>(*answers.child("key"));
  EXPECT_EQ(found[0], 23);
  EXPECT_EQ(found[1], 27);
  EXPECT_EQ(static_cast<const std::uint8_t*>(answers.child("key")->buffers[0])[0] & 7, 3);
}

TEST_F(CAnswers, EqualKeysAreNeighboursUnlessExcluded) {
  const std::vector<std::int64_t> batch{26, 29};
  const rtindex_column keys = memory_of(RTINDEX_TYPE_INT64, batch);
  const auto neighbours = [&](std::int32_t direction, std::int32_t exact) {
    rtindex_query query = rtindex_query_nearest(&keys, direction);
    EXPECT_EQ(query.exact, RTINDEX_EXACT_ALLOWED);
    query.exact = exact;
    std::vector<std::int64_t> found(2);
    std::vector<std::uint8_t> matched(1);
    auto outputs = sized<rtindex_outputs>();
    outputs.key = found.data();
    outputs.matched = matched.data();
    EXPECT_EQ("", error_in(rtindex_answer_into(index(), &query, nullptr, nullptr, &outputs)));
    for (std::size_t i = 0; i < 2; ++i)
      if ((matched[0] >> i & 1) == 0) found[i] = -1;
    return found;
  };
  const auto expect = [&](std::int32_t direction, const std::vector<std::int64_t>& excluded) {
    EXPECT_EQ(neighbours(direction, RTINDEX_EXACT_ALLOWED), batch);
    EXPECT_EQ(neighbours(direction, RTINDEX_EXACT_EXCLUDED), excluded);
  };
  expect(RTINDEX_DIRECTION_BACKWARD, {25, 27});
  expect(RTINDEX_DIRECTION_FORWARD, {27, -1});
  expect(RTINDEX_DIRECTION_NEAREST, {25, 27});
}

TEST_F(CAnswers, RangesWithOneEnd) {
  const std::vector<std::int64_t> ends{26};
  const rtindex_column end = memory_of(RTINDEX_TYPE_INT64, ends);
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_COUNT;
  for (const bool is_lower : {true, false}) {
    const rtindex_query query = rtindex_query_range(is_lower ? &end : nullptr,
                                                    is_lower ? nullptr : &end, RTINDEX_ENDS_OPEN);
    Exported answers;
    ASSERT_EQ("", error_in(rtindex_answer(index(), &query, &options, nullptr, answers.schema_out(),
                                          answers.array_out())));
    EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("count")).at(0), is_lower ? 3U : 2U);
  }
}

TEST_F(CAnswers, LimitZeroReturnsNoRowsAndNullReturnsAll) {
  const rtindex_column keys = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_query query = rtindex_query_equal(&keys);
  const std::vector<std::uint32_t> counts{1, 1, 2, 1, 2, 1};
  for (const std::uint32_t limit : {0U, 1U, 2U, RTINDEX_MISS_ROW}) {
    auto options = sized<rtindex_answer_options>();
    options.answers = RTINDEX_ANSWER_COUNT | RTINDEX_ANSWER_ROWS;
    if (limit != RTINDEX_MISS_ROW) options.limit = &limit;
    Exported answers;
    ASSERT_EQ("", error_in(rtindex_answer(index(), &query, &options, nullptr, answers.schema_out(),
                                          answers.array_out())));
    EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("count")), counts);
    std::uint64_t expected = 0;
    for (const std::uint32_t count : counts) expected += std::min(count, limit);
    EXPECT_EQ(static_cast<std::uint64_t>(answers.child("rows")->children[0]->length), expected);
    std::vector<std::uint64_t> offsets(counts.size() + 1);
    auto outputs = sized<rtindex_outputs>();
    outputs.offsets = offsets.data();
    ASSERT_EQ("", error_in(rtindex_answer_into(index(), &query, &options, nullptr, &outputs)));
    EXPECT_EQ(offsets.back(), expected);
  }
}

TEST(CAnswersInto, WritesTheRowsThatFitAndAllOffsets) {
  constexpr std::uint32_t untouched = 77;
  const std::vector<std::int64_t> lower{23, 28, 40, 25};
  const std::vector<std::int64_t> upper{27, 30, 50, 29};
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_column from = memory_of(RTINDEX_TYPE_INT64, lower);
  const rtindex_column to = memory_of(RTINDEX_TYPE_INT64, upper);
  const rtindex_query query = rtindex_query_range(&from, &to, RTINDEX_ENDS_CLOSED);
  for (const char* spec : {"sorted@cpu", "rx:native@cpu"}) {
    CIndex index;
    ASSERT_EQ("", error_in(rtindex_build(&column, spec, nullptr, index.out())));
    const Answers expected =
        build(six_keys, spec)
            .range(lower, upper, {.answers = Answer::rows, .order = RowOrder::ascending});
    const std::size_t total = expected.rows().size();
    ASSERT_EQ(total, 11U);
    auto options = sized<rtindex_answer_options>();
    options.order = RTINDEX_ORDER_ASCENDING;
    for (std::size_t capacity = 0; capacity <= total + 1; ++capacity) {
      std::vector<std::uint64_t> offsets(lower.size() + 1);
      std::vector<std::uint32_t> rows(capacity + 1, untouched);
      auto outputs = sized<rtindex_outputs>();
      outputs.offsets = offsets.data();
      outputs.rows = rows.data();
      outputs.rows_capacity = capacity;
      ASSERT_EQ("",
                error_in(rtindex_answer_into(index.get(), &query, &options, nullptr, &outputs)));
      EXPECT_EQ(offsets, all_of(expected.offsets()));
      std::vector<std::uint32_t> written = all_of(expected.rows());
      written.resize(std::min(capacity, total));
      written.resize(rows.size(), untouched);
      EXPECT_EQ(rows, written) << spec << ", capacity " << capacity;
    }
  }
}

TEST(CAnswersInto, AnswersPrefixes) {
  const std::vector<std::string> texts{"apple", "banana", "apricot", "cherry", "app"};
  const std::vector<std::string> prefixes{"ap", "b", "x", "", "apple pie"};
  const TestColumn column = strings(texts);
  const TestColumn keys = strings(prefixes);
  const ArrowColumn c_column(column);
  const ArrowColumn c_keys(keys, 2);
  const rtindex_query query = rtindex_query_prefix(c_keys.get());
  for (const char* spec : {"sorted@cpu", "rx:native@cpu"}) {
    CIndex index;
    ASSERT_EQ("", error_in(rtindex_build(c_column.get(), spec, nullptr, index.out())));
    const Answers expected = build(column.view(), spec)
                                 .answer(Query::prefix(keys.view()),
                                         {.answers = Answer::first | Answer::count | Answer::rows,
                                          .order = RowOrder::ascending});
    std::vector<std::uint32_t> first(prefixes.size());
    std::vector<std::uint32_t> count(prefixes.size());
    std::vector<std::uint64_t> offsets(prefixes.size() + 1);
    std::vector<std::uint32_t> rows(expected.rows().size());
    auto outputs = sized<rtindex_outputs>();
    outputs.first = first.data();
    outputs.count = count.data();
    outputs.offsets = offsets.data();
    outputs.rows = rows.data();
    outputs.rows_capacity = rows.size();
    auto options = sized<rtindex_answer_options>();
    options.order = RTINDEX_ORDER_ASCENDING;
    ASSERT_EQ("", error_in(rtindex_answer_into(index.get(), &query, &options, nullptr, &outputs)));
    EXPECT_EQ(count, (std::vector<std::uint32_t>{3, 1, 0, 5, 0}));
    EXPECT_EQ(count, all_of(expected.count()));
    EXPECT_EQ(first, all_of(expected.first()));
    EXPECT_EQ(offsets, all_of(expected.offsets()));
    EXPECT_EQ(rows, all_of(expected.rows()));
  }
}

// Whether an answer is an Arrow array or a buffer.
rtindex_status count_keys(const rtindex_index* index, const rtindex_diagnostics* diagnostics,
                          bool into_buffers) {
  const rtindex_column keys = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_query query = rtindex_query_equal(&keys);
  Exported answers;
  std::vector<std::uint32_t> any(six_keys.size());
  auto outputs = sized<rtindex_outputs>();
  outputs.any = any.data();
  return into_buffers ? rtindex_answer_into(index, &query, nullptr, diagnostics, &outputs)
                      : rtindex_answer(index, &query, nullptr, diagnostics, answers.schema_out(),
                                       answers.array_out());
}

TEST_F(CAnswers, ClassicIndexesMeasureNothing) {
  for (const bool into_buffers : {false, true}) {
    auto counters = sized<rtindex_counters>();
    counters.hits = 77;
    double ray_ms = 77;
    auto diagnostics = sized<rtindex_diagnostics>();
    EXPECT_EQ("", error_in(count_keys(index(), &diagnostics, into_buffers)));
    diagnostics.counters = &counters;
    EXPECT_EQ(count_keys(index(), &diagnostics, into_buffers), RTINDEX_STATUS_UNSUPPORTED);
    diagnostics.counters = nullptr;
    diagnostics.ray_ms = &ray_ms;
    EXPECT_EQ(count_keys(index(), &diagnostics, into_buffers), RTINDEX_STATUS_UNSUPPORTED);
    EXPECT_EQ(counters.hits, 77U);
    EXPECT_EQ(ray_ms, 77);
  }
}

TEST(CDiagnostics, RxCountsItsWork) {
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", nullptr, index.out())));
  Counters expected;
  static_cast<void>(
      build(six_keys, "rx:native@cpu").answer(Query::equal(six_keys), {}, {.counters = &expected}));
  ASSERT_GT(expected.hits, 0U);
  for (const bool into_buffers : {false, true}) {
    auto counters = sized<rtindex_counters>();
    auto diagnostics = sized<rtindex_diagnostics>();
    diagnostics.counters = &counters;
    ASSERT_EQ("", error_in(count_keys(index.get(), &diagnostics, into_buffers)));
    EXPECT_EQ((Counters{counters.rays, counters.cells, counters.tested, counters.hits}), expected);
  }
}

TEST(CDiagnostics, StructsOfAnotherSizeAreRejected) {
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", nullptr, index.out())));
  auto counters = sized<rtindex_counters>();
  auto diagnostics = sized<rtindex_diagnostics>();
  diagnostics.counters = &counters;
  counters.struct_size = 0;
  EXPECT_EQ(count_keys(index.get(), &diagnostics, true), RTINDEX_STATUS_INVALID_ARGUMENT);
  counters.struct_size = sizeof(counters);
  diagnostics.struct_size += 8;
  EXPECT_EQ(count_keys(index.get(), &diagnostics, true), RTINDEX_STATUS_INVALID_ARGUMENT);
}

TEST(CAnswersOfColumns, IncludedValues) {
  const std::vector<double> prices{1, 2, 3, 4, 5, 6};
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_column values = memory_of(RTINDEX_TYPE_FLOAT64, prices);
  auto build_options = sized<rtindex_build_options>();
  build_options.include = &values;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", &build_options, index.out())));
  auto info = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index.get(), &info)));
  EXPECT_EQ(info.included, RTINDEX_TYPE_FLOAT64);
  const std::vector<std::uint32_t> changed{2};
  const std::vector<double> price{10};
  const rtindex_column rows = memory_of(RTINDEX_TYPE_UINT32, changed);
  const rtindex_column new_values = memory_of(RTINDEX_TYPE_FLOAT64, price);
  ASSERT_EQ("", error_in(rtindex_set_included(index.get(), &rows, &new_values, nullptr, nullptr)));
  const std::vector<std::int64_t> one{29};
  const rtindex_column lookups = memory_of(RTINDEX_TYPE_INT64, one);
  const rtindex_query query = rtindex_query_equal(&lookups);
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_SUM;
  Exported answers;
  ASSERT_EQ("", error_in(rtindex_answer(index.get(), &query, &options, nullptr,
                                        answers.schema_out(), answers.array_out())));
  EXPECT_EQ(elements_of<double>(*answers.child("sum")), std::vector<double>{15});
}

TEST(CAnswersOfColumns, SeveralIncludedColumns) {
  const std::vector<double> prices{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> pieces{10, 20, 30, 40, 50, 60};
  const std::uint8_t validity = 0b111011;  // the pieces of row 2 are null
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
  rtindex_column parts[] = {memory_of(RTINDEX_TYPE_FLOAT64, prices),
                            memory_of(RTINDEX_TYPE_INT32, pieces)};
  parts[0].name = "price";
  parts[1].name = "pieces";
  parts[1].validity = &validity;
  auto include = sized<rtindex_column>();
  include.type = RTINDEX_TYPE_COMPOSITE;
  include.parts = parts;
  include.part_count = 2;
  auto build_options = sized<rtindex_build_options>();
  build_options.include = &include;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", &build_options, index.out())));
  auto info = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index.get(), &info)));
  EXPECT_EQ(info.included_count, 2U);
  Exported included;
  ASSERT_EQ("", error_in(rtindex_included_columns(index.get(), included.schema_out(),
                                                  included.array_out())));
  EXPECT_EQ(elements_of<std::int32_t>(*included.child("type")),
            (std::vector<std::int32_t>{RTINDEX_TYPE_FLOAT64, RTINDEX_TYPE_INT32}));

  const std::vector<std::int64_t> one{29};  // rows 2 and 4
  const rtindex_column lookups = memory_of(RTINDEX_TYPE_INT64, one);
  const rtindex_query query = rtindex_query_equal(&lookups);
  const auto mean_of = [&](const char* name) {
    auto options = sized<rtindex_answer_options>();
    options.answers = RTINDEX_ANSWER_MEAN;
    options.included = name;
    Exported answers;
    const std::string error = error_in(rtindex_answer(index.get(), &query, &options, nullptr,
                                                      answers.schema_out(), answers.array_out()));
    return error.empty() ? elements_of<double>(*answers.child("mean")) : std::vector<double>{};
  };
  EXPECT_EQ(mean_of("price"), std::vector<double>{4});
  EXPECT_EQ(mean_of("pieces"), std::vector<double>{50});
  EXPECT_TRUE(mean_of(nullptr).empty());
  EXPECT_NE(std::string(rtindex_last_error()).find("'price' and 'pieces'"), std::string::npos);
  EXPECT_TRUE(mean_of("tax").empty());

  const std::vector<std::uint32_t> changed{2};
  const std::vector<double> price{10};
  const rtindex_column rows = memory_of(RTINDEX_TYPE_UINT32, changed);
  const rtindex_column new_values = memory_of(RTINDEX_TYPE_FLOAT64, price);
  ASSERT_EQ("", error_in(rtindex_set_included(index.get(), &rows, &new_values, "price", nullptr)));
  EXPECT_EQ(mean_of("price"), std::vector<double>{7.5});
  const std::vector<std::int32_t> more{70};
  rtindex_column added[] = {memory_of(RTINDEX_TYPE_INT32, more), new_values};
  added[0].name = "pieces";
  added[1].name = "price";
  include.parts = added;
  ASSERT_EQ("", error_in(rtindex_insert(index.get(), &lookups, &include, nullptr, nullptr)));
  EXPECT_EQ(mean_of("pieces"), std::vector<double>{60});
}

TEST(CAnswersOfColumns, TimesKeepTheirUnit) {
  const std::vector<std::int64_t> ticks{10, 20, 30};
  rtindex_column column = memory_of(RTINDEX_TYPE_TIMESTAMP64, ticks);
  column.time_unit = RTINDEX_TIME_UNIT_MICROSECOND;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
  arrow::Owned<ArrowSchema> schema;
  ASSERT_EQ("", error_in(rtindex_column_schema(index.get(), schema.address())));
  EXPECT_STREQ(schema->format, "tsu:");
  column.time_unit = RTINDEX_TIME_UNIT_SECOND;
  const rtindex_query query = rtindex_query_equal(&column);
  ArrowArray array{};
  EXPECT_EQ(rtindex_answer(index.get(), &query, nullptr, nullptr, nullptr, &array),
            RTINDEX_STATUS_INVALID_ARGUMENT);
}

TEST(CAnswersOfColumns, CompositesInMemoryAndAsNeighbours) {
  const std::vector<std::int32_t> users{1, 1, 2};
  const std::vector<double> times{1.5, 2.5, 0.5};
  const std::vector<rtindex_column> parts{memory_of(RTINDEX_TYPE_INT32, users),
                                          memory_of(RTINDEX_TYPE_FLOAT64, times)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_ANY | RTINDEX_ANSWER_KEY;
  rtindex_query query = rtindex_query_nearest(&column, RTINDEX_DIRECTION_BACKWARD);
  query.exact = RTINDEX_EXACT_EXCLUDED;
  Exported answers;
  ASSERT_EQ("", error_in(rtindex_answer(index.get(), &query, &options, nullptr,
                                        answers.schema_out(), answers.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("any")),
            (std::vector<std::uint32_t>{RTINDEX_MISS_ROW, 0, RTINDEX_MISS_ROW}));
  EXPECT_EQ(answers.format_of("key"), "+s");
  EXPECT_EQ(elements_of<double>(*answers.child("key")->children[1]).at(1), 1.5);
}

TEST(CAnswersOfColumns, PartsOfACompositeMayBeArrowArrays) {
  const std::vector<std::string> cities{"Bonn", "Jena", "Bonn"};
  const ArrowColumn city(strings(cities));
  const std::vector<std::int32_t> years{1990, 1990, 1991};
  const std::vector<rtindex_column> parts{*city.get(), memory_of(RTINDEX_TYPE_INT32, years)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  const rtindex_query query = rtindex_query_equal(&column);
  std::vector<std::uint32_t> first(3);
  auto outputs = sized<rtindex_outputs>();
  outputs.first = first.data();
  ASSERT_EQ("", error_in(rtindex_answer_into(index.get(), &query, nullptr, nullptr, &outputs)));
  EXPECT_EQ(first, (std::vector<std::uint32_t>{0, 1, 2}));
}

// An exported child that is moved away lives on when its parent is released.
TEST_F(CAnswers, ChildrenCanBeMovedOut) {
  const rtindex_column lookups = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_query query = rtindex_query_equal(&lookups);
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_FIRST | RTINDEX_ANSWER_COUNT;
  ArrowArray array{};
  ASSERT_EQ("", error_in(rtindex_answer(index(), &query, &options, nullptr, nullptr, &array)));
  const arrow::Owned<ArrowArray> counts(array.children[1]);
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(elements_of<std::uint32_t>(*counts), (std::vector<std::uint32_t>{1, 1, 2, 1, 2, 1}));
}

TEST_F(CAnswers, ADeviceCallInHostMemoryAnswersThere) {
  const rtindex_column lookups = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_query query = rtindex_query_equal(&lookups);
  ArrowDeviceArray answers{};
  ASSERT_EQ("",
            error_in(rtindex_answer_device(index(), &query, nullptr, nullptr, nullptr, &answers)));
  EXPECT_EQ(answers.device_type, ARROW_DEVICE_CPU);
  EXPECT_EQ(answers.sync_event, nullptr);
  EXPECT_EQ(answers.array.length, 6);
  answers.array.release(&answers.array);
  ArrowDeviceArray pairs{};
  ASSERT_EQ("", error_in(rtindex_join_device(index(), &query, nullptr, nullptr, &pairs)));
  EXPECT_EQ(pairs.array.length, 8);
  pairs.array.release(&pairs.array);
}

}  // namespace
}  // namespace rtindex::test
