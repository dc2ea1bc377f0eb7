// Every column and every answer through the C interface, as Arrow arrays and into buffers, against
// the full scan.

#include <gtest/gtest.h>

#include <cstring>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr AnswerSet of_values = Answer::sum | Answer::min | Answer::max | AnswerSet(Answer::mean);

// The options of a call, and the structs that they point to.
struct COptions {
  COptions(const AnswerOptions& options, const rtindex_column* values)
      : c(sized<rtindex_answer_options>()),
        miss(sized<rtindex_miss_values>()),
        limit(options.limit) {
    c.answers = options.answers.bits();
    if (limit != no_limit) c.limit = &limit;
    c.order = static_cast<std::int32_t>(options.order);
    c.matched = options.matched ? 1 : 0;
    if (options.answers.has_any_of(of_values)) c.values = values;
    miss.u64 = options.miss.u64;
    miss.i64 = options.miss.i64;
    miss.f64 = options.miss.f64;
    c.miss = &miss;
  }
  COptions(const COptions&) = delete;
  COptions& operator=(const COptions&) = delete;

  rtindex_answer_options c;
  rtindex_miss_values miss;
  std::uint32_t limit;
};

// Decimals as their units, dates as their days. Their misses are those of int64.
Aggregates aggregates_in(const ArrowArray& array, const std::string& format, std::int64_t miss) {
  if (format.starts_with("d:38,")) {
    std::vector<std::int64_t> units;
    const auto* const halves = static_cast<const std::int64_t*>(array.buffers[1]);
    for (std::int64_t i = 0; i < 2 * array.length; i += 2) {
      EXPECT_EQ(halves[i + 1], halves[i] < 0 ? -1 : 0);
      units.push_back(halves[i]);
    }
    return units;
  }
  if (format == "tdD") {
    const auto* const valid = static_cast<const std::uint8_t*>(array.buffers[0]);
    std::vector<std::int64_t> days;
    for (const std::int64_t day : elements_of<std::int32_t>(array)) {
      const std::size_t i = days.size();
      days.push_back(valid == nullptr || (valid[i / 8] >> i % 8 & 1) != 0 ? day : miss);
    }
    return days;
  }
  if (format == "L") return elements_of<std::uint64_t>(array);
  if (format == "l") return elements_of<std::int64_t>(array);
  return elements_of<double>(array);
}

// Nulls mark misses, whose elements are those of misses still.
PlainAnswers plain_answers_in(const Exported& exported, const AnswerOptions& options) {
  PlainAnswers found;
  found.size = static_cast<std::size_t>(exported.array->length);
  const auto rows_of = [&](const char* name) -> std::optional<std::vector<std::uint32_t>> {
    const ArrowArray* child = exported.child(name);
    if (child == nullptr) return std::nullopt;
    return elements_of<std::uint32_t>(*child);
  };
  const auto values_of = [&](const char* name) -> std::optional<Aggregates> {
    const ArrowArray* child = exported.child(name);
    if (child == nullptr) return std::nullopt;
    return aggregates_in(*child, exported.format_of(name), options.miss.i64);
  };
  found.any = rows_of("any");
  found.first = rows_of("first");
  found.last = rows_of("last");
  found.count = rows_of("count");
  found.sum = values_of("sum");
  if (const auto means = values_of("mean")) found.mean = std::get<2>(*means);
  found.min = values_of("min");
  found.max = values_of("max");
  if (const ArrowArray* lists = exported.child("rows"); lists != nullptr) {
    const auto* offsets = static_cast<const std::uint64_t*>(lists->buffers[1]);
    found.offsets.emplace(offsets, offsets + lists->length + 1);
    found.rows = elements_of<std::uint32_t>(*lists->children[0]);
  }
  if (!options.matched) return found;
  for (const char* name : {"any", "first", "last"})
    if (const ArrowArray* child = exported.child(name); child != nullptr) {
      const auto* bits = static_cast<const std::uint8_t*>(child->buffers[0]);
      found.matched.emplace(bits, bits + (found.size + 7) / 8);
    }
  return found;
}

// A batch as Arrow arrays, and its query.
struct CBatch {
  CBatch(const Batch& batch, std::size_t skipped)
      : lower(batch.lower, skipped),
        upper(batch.upper, skipped),
        query(batch.kind == QueryKind::range
                  ? rtindex_query_range(lower.get(), upper.get(), RTINDEX_ENDS_CLOSED)
                  : rtindex_query_equal(lower.get())) {}

  ArrowColumn lower, upper;
  rtindex_query query;
};

// Arrow has no integers of 128 bits.
bool is_in_arrow(const Shape& shape) {
  return shape.type != Type::i128 && shape.type != Type::u128;
}

class EveryWorkloadInC : public testing::TestWithParam<std::string> {};

TEST_P(EveryWorkloadInC, AnswersLikeTheScan) {
  const TestColumn column = workload_named(GetParam()).column();
  Random random(column.size() + 2);
  const std::size_t skipped = column.size() % 11;
  const ArrowColumn keys(column, skipped);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "rx:native@cpu", nullptr, index.out())));
  const TestColumn values = values_of(random.pick(value_types()), column.size(), random);
  const ArrowColumn c_values(values, skipped);
  for (const Batch& batch : interesting_batches(column, 24, random)) {
    if (!is_in_arrow(batch.lower.shape()) || !is_in_arrow(batch.upper.shape())) continue;
    const Matches matches = scan(column.keys(), batch);
    const CBatch lookups(batch, 3);
    for (const AnswerOptions& options : {full_options(), AnswerOptions{.answers = Answer::count}}) {
      const COptions c_options(options, c_values.get());
      Exported answers;
      ASSERT_EQ("", error_in(rtindex_answer(index.get(), &lookups.query, &c_options.c, nullptr,
                                            answers.schema_out(), answers.array_out())));
      ASSERT_EQ(
          "", first_difference(plain_answers_in(answers, options), options, batch, matches, values))
          << text_of(batch.lower.shape());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(C, EveryWorkloadInC, testing::ValuesIn(workload_names()),
                         [](const auto& item) { return item.param; });

TEST(EveryOptionInC, AnswersLikeTheScan) {
  const TestColumn column = workload_named("duplicates_x256").column();
  Random random(7);
  const ArrowColumn keys(column);
  const TestColumn values = with_nulls(values_of(Type::i32, column.size(), random),
                                       [](std::size_t i) { return i % 3 == 0; });
  const ArrowColumn c_values(values);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, index.out())));
  for (const Batch& batch : own_batches(column, 32, random)) {
    const Matches matches = scan(column.keys(), batch);
    const CBatch lookups(batch, 0);
    for (const AnswerOptions& options : every_options()) {
      if (options.answers.empty()) continue;           // 0: RTINDEX_ANSWER_ANY
      if (options.answers.has(Answer::key)) continue;  // of neighbours only
      const COptions c_options(options, c_values.get());
      Exported answers;
      ASSERT_EQ("", error_in(rtindex_answer(index.get(), &lookups.query, &c_options.c, nullptr,
                                            answers.schema_out(), answers.array_out())));
      PlainAnswers found = plain_answers_in(answers, options);
      AnswerOptions checked = options;
      if (!found.matched) checked.matched = false;  // no answer that has nulls
      ASSERT_EQ("", first_difference(found, checked, batch, matches, values)) << text_of(options);
    }
  }
}

TEST(OutputsInC, AnswersLikeTheScan) {
  const TestColumn column = workload_named("duplicates_x256").column();
  Random random(8);
  const ArrowColumn keys(column);
  const TestColumn values = values_of(Type::f32, column.size(), random);
  const ArrowColumn c_values(values);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), nullptr, nullptr, index.out())));
  for (const Batch& batch : own_batches(column, 32, random)) {
    const Matches matches = scan(column.keys(), batch);
    const CBatch lookups(batch, 5);
    const std::size_t size = batch.size();
    PlainAnswers found{.size = size};
    const auto doubles = [&](auto& into) {
      auto& elements = into.emplace().template emplace<2>();
      elements.resize(size);
      return elements.data();
    };
    auto outputs = sized<rtindex_outputs>();
    outputs.any = found.any.emplace(size, 5).data();
    outputs.first = found.first.emplace(size, 5).data();
    outputs.count = found.count.emplace(size, 5).data();
    outputs.matched = found.matched.emplace((size + 7) / 8, std::uint8_t{0xff}).data();
    outputs.sum = doubles(found.sum);
    outputs.min = doubles(found.min);
    outputs.max = doubles(found.max);
    outputs.offsets = found.offsets.emplace(size + 1, 5).data();
    auto c_options = sized<rtindex_answer_options>();
    c_options.values = c_values.get();
    const auto answer = [&] {
      return error_in(
          rtindex_answer_into(index.get(), &lookups.query, &c_options, nullptr, &outputs));
    };
    ASSERT_EQ("", answer());
    found.rows.resize(found.offsets->back());
    outputs.rows = found.rows.data();
    outputs.rows_capacity = found.rows.size();
    ASSERT_EQ("", answer());
    AnswerOptions options = full_options();
    options.miss = {};
    ASSERT_EQ("", first_difference(found, options, batch, matches, values));
  }
}

}  // namespace
}  // namespace rtindex::test
