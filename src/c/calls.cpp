#include "c/calls.hpp"

#include <limits>

#include "c/guard.hpp"

namespace rtindex::c {

namespace {

static_assert(static_cast<int>(QueryKind::box) == RTINDEX_QUERY_BOX &&
              static_cast<int>(Ends::open) == RTINDEX_ENDS_OPEN &&
              static_cast<int>(RowOrder::descending) == RTINDEX_ORDER_DESCENDING &&
              static_cast<int>(Direction::nearest) == RTINDEX_DIRECTION_NEAREST &&
              static_cast<int>(JoinKind::anti) == RTINDEX_JOIN_ANTI &&
              static_cast<int>(JoinOrder::any) == RTINDEX_JOIN_ORDER_ANY &&
              static_cast<int>(Answer::last) == RTINDEX_ANSWER_LAST &&
              static_cast<int>(Answer::bitmaps) == RTINDEX_ANSWER_BITMAPS);

AnswerSet answers_from(std::uint32_t bits) {
  if ((bits & (RTINDEX_ANSWER_BITMAP | RTINDEX_ANSWER_BITMAPS)) != 0)
    fail(
        "bitmaps have an entry for each row, other answers for each query: call "
        "rtindex_answer_bitmap, or set the buffers of rtindex_answer_into");
  AnswerSet set;
  for (const Answer answer : all_answers())
    if ((bits & static_cast<std::uint32_t>(answer)) != 0) set = set | answer;
  if (bits != set.bits())
    fail(
        "invalid answers: {}, expected constants such as RTINDEX_ANSWER_ANY | RTINDEX_ANSWER_COUNT",
        bits);
  return set;
}

Tolerance tolerance_of(const rtindex_query& query) {
  switch (query.tolerance_type) {
    case 0: return {};
    case RTINDEX_TYPE_INT64: return query.tolerance_i64;
    case RTINDEX_TYPE_UINT64: return query.tolerance_u64;
    case RTINDEX_TYPE_FLOAT64: return query.tolerance_f64;
    default: break;
  }
  fail(
      "invalid tolerance_type: {}, expected RTINDEX_TYPE_INT64, RTINDEX_TYPE_UINT64, "
      "RTINDEX_TYPE_FLOAT64, or 0 for an unlimited distance",
      query.tolerance_type);
}

MissValues miss_from(const rtindex_miss_values* miss) {
  if (miss == nullptr) return {};
  const rtindex_miss_values values = options_of(miss, "rtindex_miss_values");
  return {.u64 = values.u64, .i64 = values.i64, .f64 = values.f64};
}

}  // namespace

BitmapView bitmap_from(const rtindex_bitmap* bitmap, const char* name) {
  const rtindex_bitmap given = options_of(&required(bitmap, name), "rtindex_bitmap");
  if (given.offset > std::numeric_limits<std::size_t>::max() - given.rows)
    fail("invalid {}: offset {} leaves no room for {} rows", name, given.offset, given.rows);
  return {given.bits, given.rows, given.offset,
          choice(given.memory_space, MemorySpace::device, "memory_space")};
}

CalledQuery::CalledQuery(const Index& index, const rtindex_query* query, Stream stream)
    : columns_([&index] { return index.spec(); }, stream) {
  const rtindex_query input = options_of(&required(query, "query"), "rtindex_query");
  query_.kind = choice(input.kind, QueryKind::box, "kind of query");
  query_.ends = choice(input.ends, Ends::open, "ends");
  query_.neighbour = {.direction = choice(input.direction, Direction::nearest, "direction"),
                      .exact = choice(input.exact, std::int32_t{RTINDEX_EXACT_EXCLUDED}, "exact") ==
                               RTINDEX_EXACT_ALLOWED,
                      .tolerance = tolerance_of(input)};
  if (has_two_ends(query_.kind) && input.lower == nullptr && input.upper == nullptr)
    fail("the ranges have neither lower nor upper ends: set lower, upper or both");
  add_conditions(input);
  if (input.filter != nullptr) query_.filter = bitmap_from(input.filter, "filter");
  query_.lower = columns_.view_if_set(input.lower, "lower");
  query_.upper = columns_.view_if_set(input.upper, "upper");
}

void CalledQuery::add_conditions(const rtindex_query& input) {
  static_assert(static_cast<int>(ConditionKind::isin) == RTINDEX_CONDITION_ISIN);
  if (input.conditions == nullptr && input.condition_count != 0)
    fail("expected {} conditions, got a null pointer", input.condition_count);
  for (std::size_t i = 0; i < input.condition_count; ++i) {
    const rtindex_condition given = options_of(input.conditions + i, "rtindex_condition");
    query_.conditions.push_back(
        {.kind = choice(given.kind, ConditionKind::isin, "kind of condition"),
         .lower = columns_.view_if_set(given.lower, "lower"),
         .upper = columns_.view_if_set(given.upper, "upper"),
         .ends = choice(given.ends, Ends::open, "ends")});
  }
}

AnswerCall::AnswerCall(const rtindex_index& handle, const rtindex_query* query,
                       const rtindex_answer_options* options,
                       const rtindex_diagnostics* diagnostics)
    : input_(options_of(options, "rtindex_answer_options")),
      query_(handle.index, query, {input_.stream}) {
  if (input_.answers != 0) options_.answers = answers_from(input_.answers);
  options_.values = query_.columns().view_if_set(input_.values, "values");
  if (input_.included != nullptr) options_.included = input_.included;
  options_.matched = input_.matched != 0;
  if (input_.limit != nullptr) options_.limit = *input_.limit;
  options_.order = choice(input_.order, RowOrder::descending, "order");
  options_.miss = miss_from(input_.miss);
  options_.stream = {input_.stream};
  const rtindex_diagnostics measured = options_of(diagnostics, "rtindex_diagnostics");
  diagnostics_.ray_ms = measured.ray_ms;
  if (measured.counters != nullptr) {
    static_cast<void>(options_of(measured.counters, "rtindex_counters"));
    counters_for_caller_ = measured.counters;
    diagnostics_.counters = &counters_;
  }
}

void AnswerCall::store_counters() const {
  if (counters_for_caller_ == nullptr) return;
  counters_for_caller_->rays = counters_.rays;
  counters_for_caller_->cells = counters_.cells;
  counters_for_caller_->tested = counters_.tested;
  counters_for_caller_->hits = counters_.hits;
}

Answers AnswerCall::answer(const Index& index) {
  Answers answers = index.answer(query(), options_, diagnostics_);
  store_counters();
  return answers;
}

void AnswerCall::answer_into(const Index& index, const Outputs& outputs) {
  index.answer_into(query(), options_, outputs, diagnostics_);
  store_counters();
}

JoinCall::JoinCall(const rtindex_index& handle, const rtindex_query* query,
                   const rtindex_join_options* options)
    : input_(options_of(options, "rtindex_join_options")),
      query_(handle.index, query, {input_.stream}),
      how_(choice(input_.how, JoinKind::anti, "how")),
      options_{.order = choice(input_.order, JoinOrder::any, "order"), .stream = {input_.stream}} {}

}  // namespace rtindex::c
