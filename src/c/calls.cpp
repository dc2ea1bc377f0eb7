#include "c/calls.hpp"
#include "c/guard.hpp"

namespace rtindex::c {

namespace {

static_assert(static_cast<int>(BatchKind::prefix) == RTINDEX_PREFIX &&
              static_cast<int>(Ends::open) == RTINDEX_OPEN &&
              static_cast<int>(RowOrder::descending) == RTINDEX_DESCENDING &&
              static_cast<int>(Direction::nearest) == RTINDEX_CLOSEST &&
              static_cast<int>(JoinKind::anti) == RTINDEX_ANTI &&
              static_cast<int>(Answer::key) == RTINDEX_KEY);

constexpr std::uint32_t every_answer = 2 * RTINDEX_KEY - 1;

AnswerSet answers_from(std::uint32_t bits) {
  if (bits > every_answer)
    fail("invalid answers: {}, expected constants such as RTINDEX_ANY | RTINDEX_COUNT", bits);
  AnswerSet set;
  for (const Answer answer : all_answers())
    if ((bits & static_cast<std::uint32_t>(answer)) != 0) set = set | answer;
  return set;
}

Tolerance tolerance_of(const rtindex_nearest_options& options) {
  switch (options.tolerance_type) {
    case 0: return {};
    case RTINDEX_INT64: return options.tolerance_i64;
    case RTINDEX_UINT64: return options.tolerance_u64;
    case RTINDEX_FLOAT64: return options.tolerance_f64;
    default: break;
  }
  fail(
      "invalid tolerance_type: {}, expected RTINDEX_INT64, RTINDEX_UINT64, RTINDEX_FLOAT64, or 0 "
      "for no tolerance",
      options.tolerance_type);
}

NearestOptions nearest_from(const rtindex_nearest_options* given) {
  const rtindex_nearest_options options = options_of(given, "rtindex_nearest_options");
  return {.direction = choice(options.direction, Direction::nearest, "direction"),
          .exact = options.exclude_equal == 0,
          .tolerance = tolerance_of(options)};
}

MissValues miss_from(const rtindex_miss_values* given) {
  if (given == nullptr) return {};
  const rtindex_miss_values values = options_of(given, "rtindex_miss_values");
  return {.u64 = values.u64, .i64 = values.i64, .f64 = values.f64};
}

}  // namespace

Batch::Batch(const Index& index, std::int32_t batch_kind, const rtindex_column* lower,
             const rtindex_column* upper, Stream stream)
    : kind(choice(batch_kind, BatchKind::prefix, "kind of lookup")),
      columns([&index] { return index.spec(); }, stream) {
  if (kind == BatchKind::range) {
    if (lower == nullptr && upper == nullptr)
      fail("the ranges have neither lower nor upper ends: pass at least one of them");
    lower_keys = columns.view_if_given(lower, "lower");
    upper_keys = columns.view_if_given(upper, "upper");
    return;
  }
  if (upper != nullptr)
    fail("unexpected upper keys: only lookups of the kind RTINDEX_RANGE have them, pass null");
  lower_keys = columns.view(lower, "lower");
}

MemorySpace Batch::space() const {
  return (lower_keys.given() ? lower_keys : upper_keys).memory_space();
}

std::size_t Batch::size() const { return (lower_keys.given() ? lower_keys : upper_keys).size(); }

LookupCall::LookupCall(const rtindex_index& handle, std::int32_t kind, const rtindex_column* lower,
                       const rtindex_column* upper, const rtindex_lookup_options* options)
    : index_(&handle.index),
      given_(options_of(options, "rtindex_lookup_options")),
      batch_(*index_, kind, lower, upper, {given_.stream}) {
  if (given_.answers != 0) options_.answers = answers_from(given_.answers);
  options_.values = batch_.columns.view_if_given(given_.values, "values");
  options_.matched = given_.matched != 0;
  if (given_.limit != 0) options_.limit = given_.limit;
  options_.order = choice(given_.order, RowOrder::descending, "order");
  options_.ends = choice(given_.ends, Ends::open, "ends");
  options_.miss = miss_from(given_.miss);
  options_.stream = {given_.stream};
  options_.launch_ms = given_.launch_ms;
  if (given_.counters != nullptr) {
    static_cast<void>(options_of(given_.counters, "rtindex_counters"));
    options_.counters = &counters_;
  }
  nearest_ = nearest_from(given_.nearest);
}

void LookupCall::store_counters() const {
  if (given_.counters == nullptr) return;
  given_.counters->rays = counters_.rays;
  given_.counters->cells = counters_.cells;
  given_.counters->tested = counters_.tested;
  given_.counters->hits = counters_.hits;
}

Answers LookupCall::found() const {
  const ColumnView& keys = batch_.lower_keys;
  switch (batch_.kind) {
    case BatchKind::range: return index_->range(keys, batch_.upper_keys, options_);
    case BatchKind::nearest: return index_->nearest(keys, nearest_, options_);
    case BatchKind::prefix: return index_->starts_with(keys, options_);
    case BatchKind::point: break;
  }
  return index_->lookup(keys, options_);
}

Answers LookupCall::answer() {
  Answers answers = found();
  store_counters();
  return answers;
}

void LookupCall::answer_into(const Outputs& outputs) {
  const ColumnView& keys = batch_.lower_keys;
  switch (batch_.kind) {
    case BatchKind::range: index_->range_into(keys, batch_.upper_keys, options_, outputs); break;
    case BatchKind::nearest: index_->nearest_into(keys, nearest_, options_, outputs); break;
    case BatchKind::point: index_->lookup_into(keys, options_, outputs); break;
    case BatchKind::prefix:
      fail(ErrorKind::unsupported,
           "prefixes are answered as Arrow arrays only: call rtindex_lookup()");
  }
  store_counters();
}

JoinCall::JoinCall(const rtindex_index& handle, std::int32_t kind, const rtindex_column* lower,
                   const rtindex_column* upper, const rtindex_join_options* options)
    : index_(&handle.index),
      given_(options_of(options, "rtindex_join_options")),
      batch_(*index_, kind, lower, upper, {given_.stream}),
      how_(choice(given_.how, JoinKind::anti, "how")),
      ends_(choice(given_.ends, Ends::open, "ends")),
      nearest_(nearest_from(given_.nearest)) {
  if (batch_.kind == BatchKind::prefix)
    fail(ErrorKind::unsupported,
         "prefixes cannot be joined: look them up with RTINDEX_ROWS instead");
}

JoinedRows JoinCall::join() {
  if (batch_.kind == BatchKind::range)
    return index_->join_range(batch_.lower_keys, batch_.upper_keys, how_, ends_);
  if (batch_.kind == BatchKind::nearest)
    return index_->join_asof(batch_.lower_keys, nearest_, how_);
  return index_->join(batch_.lower_keys, how_);
}

void JoinCall::join_into(const JoinOutputs& outputs) {
  if (batch_.kind == BatchKind::range)
    index_->join_range_into(batch_.lower_keys, batch_.upper_keys, how_, ends_, outputs, stream());
  else if (batch_.kind == BatchKind::nearest)
    index_->join_asof_into(batch_.lower_keys, nearest_, how_, outputs, stream());
  else
    index_->join_into(batch_.lower_keys, how_, outputs, stream());
}

void JoinCall::join_in_parts(std::size_t most, const TakeJoined& take) {
  if (batch_.kind == BatchKind::range)
    index_->join_range_in_parts(batch_.lower_keys, batch_.upper_keys, how_, ends_, most, take);
  else if (batch_.kind == BatchKind::nearest)
    index_->join_asof_in_parts(batch_.lower_keys, nearest_, how_, most, take);
  else
    index_->join_in_parts(batch_.lower_keys, how_, most, take);
}

}  // namespace rtindex::c
