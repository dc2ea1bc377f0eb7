#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "answers/request.hpp"
#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/neighbours.hpp"
#include "index/index_state.hpp"
#include "index/narrow_values.hpp"
#include "keys/interval_codec.hpp"
#include "keys/point_codec.hpp"

// Checks queries and runs them.
namespace rtindex {

namespace {

void set_diagnostics(Request& request, const Diagnostics& diagnostics) {
  request.counters = diagnostics.counters;
  request.ray_ms = diagnostics.ray_ms;
  request.plan = diagnostics.plan;
}

}  // namespace

Answers Index::answer(const Query& query, const AnswerOptions& options,
                      const Diagnostics& diagnostics) const {
  if (narrow_type(options.values.type()) == options.values.type())
    return state_->answer(query, options, diagnostics);
  return run_call("answering a batch", &options.control, [&] {
    const NarrowValues values(options.values);
    AnswerOptions narrow = options;
    narrow.values = values.view();
    narrow.control = {};  // this call has it
    return state_->answer(query, narrow, diagnostics);
  });
}

void Index::answer_into(const Query& query, const AnswerOptions& options, const Outputs& outputs,
                        const Diagnostics& diagnostics) const {
  if (narrow_type(options.values.type()) == options.values.type())
    return state_->answer_into(query, options, outputs, diagnostics);
  run_call("answering a batch", &options.control, [&] {
    const NarrowValues values(options.values);
    AnswerOptions narrow = options;
    narrow.values = values.view();
    narrow.control = {};  // this call has it
    state_->answer_into(query, narrow, outputs, diagnostics);
  });
}

bool Index::State::supports(const Version& now, Answer answer, QueryKind query_kind) {
  const Capabilities& can = now.main().searcher->capabilities();
  if (searches_points(query_kind) != now.main().codec->are_points()) return false;
  const bool are_intervals = now.main().codec->are_intervals();
  if (query_kind == QueryKind::nearest)
    return are_intervals
               ? answer != Answer::key && now.main().searcher->interval_points().ends != nullptr
               : can.key_order;
  if (searches_intervals(query_kind) != are_intervals) return false;
  if (answer == Answer::key) return false;
  if (query_kind == QueryKind::prefix)
    return can.ranges && now.main().codec->type() == Type::string;
  return query_kind == QueryKind::equal || can.ranges;
}

void Index::State::require_supported(const Version& now, const AnswerOptions& options,
                                     AnswerSet answers, QueryKind query_kind) const {
  if (options.order != RowOrder::any && now.main().codec->are_points())
    fail(ErrorKind::unsupported,
         "points have no key to return rows in its order: omit the order, and sort the rows");
  if (options.order != RowOrder::any && !now.main().searcher->capabilities().key_order)
    fail(ErrorKind::unsupported,
         "{} does not keep its keys in order and cannot return rows in it: use rx, sorted or "
         "btree",
         spec.text());
  if (answers.has(Answer::key) && now.main().codec->are_intervals())
    fail(ErrorKind::unsupported,
         "intervals have no key to return: request any, and read the start and end of that row");
  if (answers.empty()) answers = Answer::any;  // only the matched bitmap is requested
  for (const Answer answer : all_answers())
    if (answers.has(answer) && !supports(now, answer, query_kind))
      fail(ErrorKind::unsupported,
           "{} cannot answer {} queries with '{}': `rtindex indexes` shows which index can",
           spec.text(), name_of(query_kind), name_of(answer));
}

void Index::State::start_counting(const Version& now, const Diagnostics& diagnostics) const {
  const Capabilities& can = now.main().searcher->capabilities();
  if (diagnostics.counters != nullptr && !can.counters)
    fail(ErrorKind::unsupported, "{} does not count its work: omit counters, or use {}",
         spec.text(), now.main().codec->are_points() ? "rx:embree or rx:optix" : "rx");
  if (diagnostics.ray_ms != nullptr && !can.ray_times)
    fail(ErrorKind::unsupported, "{} does not time its rays: omit ray_ms, or use rx:optix",
         spec.text());
  if (diagnostics.counters != nullptr) *diagnostics.counters = {};
  if (diagnostics.ray_ms != nullptr) *diagnostics.ray_ms = 0;
}

std::optional<ColumnView> Index::State::included_values(const Version& now,
                                                        const AnswerOptions& options,
                                                        AnswerSet answers) const {
  if (!answers.has_any_of(value_answers)) return std::nullopt;
  const std::size_t rows = now.rows();
  const ColumnView& values = options.values;
  if (values.has_value() && !options.included.empty())
    fail("the values of a call are a column or the included column '{}': leave one of them out",
         options.included);
  if (values.has_value() || (included.empty() && options.included.empty() && rows == 0)) {
    require_values(values, rows);
    require_reachable(values, "values");
    return std::nullopt;
  }
  if (included.empty() && options.included.empty())
    fail(
        "sum, mean, min and max need a value column: pass one value per row of the column, or "
        "build "
        "the index with included values");
  const IncludedType& column = included[included_number(options.included)];
  const ColumnView found = ColumnView::of(column.type, nullptr, rows);
  if (has_time_unit(column.type)) return found.with_time_unit(column.time_unit);
  return is_decimal(column.type) ? found.with_scale(column.scale) : found;
}

bool Index::State::has_null_values(const Version& now, const AnswerOptions& options) const {
  if (!options.answers.has_any_of(value_answers)) return false;
  if (options.values.has_value() || included.empty()) return options.values.nullable();
  const std::size_t column = included_number(options.included);
  return std::any_of(now.segments.begin(), now.segments.end(), [&](const Segment& segment) {
    return segment.searcher->included()[column].has_nulls;
  });
}

std::string Index::State::included_names() const {
  std::string names;
  for (std::size_t i = 0; i < included.size(); ++i)
    names += fmt::format("{}'{}'",
                         i == 0                     ? ""
                         : i + 1 == included.size() ? " and "
                                                    : ", ",
                         included[i].name);
  return names;
}

std::size_t Index::State::included_number(const std::string& name) const {
  if (included.empty()) fail("the index has no included values: build it with included values");
  if (name.empty() && included.size() == 1) return 0;
  const auto found = std::find_if(included.begin(), included.end(),
                                  [&](const IncludedType& one) { return one.name == name; });
  if (found != included.end()) return static_cast<std::size_t>(found - included.begin());
  if (name.empty()) fail("the index includes the columns {}: name one of them", included_names());
  if (included.size() == 1 && included.front().name.empty())
    fail(
        "unknown included column '{}': the index includes one column without a name: omit the name",
        name);
  fail("unknown included column '{}': the index includes {}", name, included_names());
}

void Index::State::require_reachable(MemorySpace space, const char* what) const {
  if (space == MemorySpace::device && engine.memory_space == MemorySpace::host)
    fail(
        "the {} are in device memory, which {} cannot read: copy them to host memory, or use an "
        "index on the GPU (@cuda)",
        what, spec.text());
}

void Index::State::require_filter(const Version& now, const BitmapView& filter) const {
  if (filter.rows != now.rows())
    fail("the filter has {} rows but the index has {}: pass a bit for each row", filter.rows,
         now.rows());
  if (filter.bits == nullptr && filter.rows != 0)
    fail("expected the bits of a filter of {} rows, got a null pointer", filter.rows);
  require_reachable(filter.memory_space, "bits of the filter");
}

void Index::State::require_query(const Version& now, const Query& query) const {
  const ColumnView& lower = query.lower;
  const ColumnView& upper = query.upper;
  if (query.filter) require_filter(now, *query.filter);
  require_reachable(lower, "lookups");
  require_same_shape(now, query.kind);
  if (query.kind == QueryKind::box) {
    if (lower.has_value() || upper.has_value())
      fail("unexpected keys in a box query: set the lower and upper ends of its conditions");
    return require_conditions(now, query);
  }
  if (!query.conditions.empty())
    fail("unexpected conditions in a query of kind {}: only boxes have conditions",
         name_of(query.kind));
  if (!has_two_ends(query.kind)) {
    if (upper.has_value())
      fail("unexpected upper ends in a query of kind {}: leave them unset, or use a range",
           name_of(query.kind));
    if (!lower.has_value())
      fail("expected a column of keys for a query of kind {}, got none", name_of(query.kind));
    if (query.kind == QueryKind::prefix) return require_prefixes(now, lower);
    require_comparable(now, lower);
    if (query.kind == QueryKind::contains) return require_whole_points(now, lower);
    if (query.kind != QueryKind::nearest) return;
    if (now.main().codec->are_intervals()) return require_nearest_interval(now, query);
    require_whole_keys(now, lower);
    static_cast<void>(require_nearest(*now.main().codec, query.neighbour));
    return;
  }
  require_reachable(upper, "lookups");
  if (lower.has_value()) require_comparable(now, lower);
  if (upper.has_value()) require_comparable(now, upper);
  if (searches_intervals(query.kind)) require_interval_ends(now, query);
  if (!lower.has_value() || !upper.has_value()) return;
  if (lower.memory_space() != upper.memory_space())
    fail("the lower ends are in {} memory and the upper ends in {} memory: copy one of them",
         name_of(lower.memory_space()), name_of(upper.memory_space()));
  if (lower.size() != upper.size())
    fail("expected as many upper ends as lower ends, got {} lower and {} upper", lower.size(),
         upper.size());
}

void Index::State::require_prefixes(const Version& now, const ColumnView& prefixes) {
  const Type type = now.main().codec->type();
  if (type != Type::string || prefixes.type() != Type::string)
    fail(
        "expected prefixes as strings and a column of strings: the column is {}, the prefixes are "
        "{}",
        name_of(type), name_of(prefixes.type()));
}

void Index::State::require_whole_keys(const Version& now, const ColumnView& keys) const {
  if (const IntervalCodec* const intervals = interval_codec(*now.main().codec))
    return require_intervals(*intervals, keys);
  if (const PointCodec* const points = point_codec(*now.main().codec))
    return require_points(*points, keys);
  require_comparable(now, keys);
  const std::size_t parts = now.main().codec->part_types().size();
  if (keys.type() == Type::composite && keys.parts().size() != parts)
    fail("the keys have {} parts but the composite column has {}: pass a value for each part",
         keys.parts().size(), parts);
}

QueryKind Index::State::searched_kind(const Version& now, const Query& query) {
  const bool is_prefix = query.kind == QueryKind::equal && query.lower.type() == Type::composite &&
                         query.lower.parts().size() < now.main().codec->part_types().size();
  return is_prefix ? QueryKind::range : query.kind;
}

void Index::State::set_included_column(Request& request, const AnswerOptions& options,
                                       bool is_included) const {
  request.included = is_included;
  if (is_included) request.included_column = included_number(options.included);
}

std::vector<Segment> Index::State::filtered(const Version& now, const BitmapView& filter,
                                            Stream stream) const {
  std::vector<Segment> segments = now.segments;
  RowBitmapPtr deleted = segments.front().deleted;
  RowBitmapPtr restricted = engine.batches->restricted(deleted, filter, stream);
  // Segments often share their deleted rows.
  for (Segment& segment : segments) {
    if (segment.deleted != deleted) {
      deleted = segment.deleted;
      restricted = engine.batches->restricted(deleted, filter, stream);
    }
    segment.deleted = restricted;
  }
  return segments;
}

void Index::State::run(const Version& now, const Query& query, const Request& request) const {
  const bool is_range = has_two_ends(query.kind);
  std::vector<Segment> restricted;
  if (query.filter) restricted = filtered(now, *query.filter, request.stream);
  // One loop over the lookups, of several segments one for each.
  constexpr double answering = 0.9;
  const ProgressStage stage(answering, now.segments.size() == 1 ? 1 : answering);
  engine.batches->run(query.filter ? std::span<const Segment>(restricted) : now.segments,
                      {.lower = query.lower,
                       .upper = is_range ? query.upper : query.lower,
                       .kind = searched_kind(now, query),
                       .ends = is_range ? range_ends(query.ends) : RangeEnds{},
                       .nearest = query.neighbour,
                       .conditions = query.conditions,
                       .boxes = query.size()},
                      request);
}

Answers Index::State::answer(const Query& query, const AnswerOptions& options,
                             const Diagnostics& diagnostics) const {
  return run_call("answering a batch", &options.control, [&] {
    if (options.answers.empty() && !options.matched)
      fail(
          "no answer requested: choose any, first, last, count, sum, mean, min, max, rows or "
          "bitmap");
    const Reading now = read();
    require_query(*now, query);
    const std::optional<ColumnView> own_values = included_values(*now, options, options.answers);
    require_supported(*now, options, options.answers, searched_kind(*now, query));
    if (options.answers.has(Answer::bitmaps)) require_bitmap_bytes(*now, query, options);
    start_counting(*now, diagnostics);
    Answers answers;
    threads->run([&] {
      AnswersAccess access(options, own_values ? *own_values : options.values, query.size(),
                           has_null_values(*now, options), now->rows());
      set_included_column(access.request(), options, own_values.has_value());
      set_diagnostics(access.request(), diagnostics);
      run(*now, query, access.request());
      answers = access.finish();
    });
    return answers;
  });
}

void Index::State::answer_into(const Query& query, const AnswerOptions& options,
                               const Outputs& outputs, const Diagnostics& diagnostics) const {
  run_call("answering a batch", &options.control, [&] {
    const AnswerSet answers = answers_of(outputs);
    const std::size_t lookups = query.size();
    if (outputs.rows != nullptr && outputs.offsets == nullptr)
      fail("rows requested without offsets: pass a buffer of (number of lookups + 1) offsets");
    if (answers.empty() && outputs.matched == nullptr && lookups != 0)
      fail("no answer requested: set at least one output buffer");
    require_writable(outputs.memory_space);
    if (outputs.validity != nullptr && !answers.has_any_of(value_answers))
      fail("validity requested without values: set sum, mean, min or max as well");
    const Reading now = read();
    require_query(*now, query);
    require_supported(*now, options, answers, searched_kind(*now, query));
    if (outputs.key != nullptr && width_of(now->main().codec->type()) == 0)
      fail("keys of type {} do not fit a buffer: request them from answer()",
           name_of(now->main().codec->type()));
    const std::optional<ColumnView> own_values = included_values(*now, options, answers);
    start_counting(*now, diagnostics);
    threads->run([&] {
      Request request = request_into(options, own_values ? *own_values : options.values, outputs);
      set_included_column(request, options, own_values.has_value());
      set_diagnostics(request, diagnostics);
      if (outputs.memory_space == MemorySpace::device) return run(*now, query, request);
      for (std::uint8_t* const bitmap : {outputs.matched, outputs.validity})
        if (bitmap != nullptr) std::memset(bitmap, 0, (lookups + 7) / 8);
      const std::size_t bytes = bitmap_bytes(outputs.bitmap_rows);
      if (outputs.bitmap != nullptr) std::memset(outputs.bitmap, 0, bytes);
      if (outputs.bitmaps != nullptr) std::memset(outputs.bitmaps, 0, lookups * bytes);
      RowsInto rows_into(request, lookups);
      run(*now, query, request);
      rows_into.finish();
    });
  });
}

void Index::State::require_bitmap_bytes(const Version& now, const Query& query,
                                        const AnswerOptions& options) {
  const std::size_t bytes = bitmap_bytes(now.rows());
  if (bytes == 0 || query.size() <= options.max_bitmap_bytes / bytes) return;
  fail(
      "the bitmaps of {} queries over {} rows take more than {} bytes: pass fewer queries, raise "
      "max_bitmap_bytes, or request one bitmap of all queries ('bitmap')",
      query.size(), now.rows(), options.max_bitmap_bytes);
}

void Index::State::require_writable(MemorySpace space) const {
  if (space == MemorySpace::device && engine.memory_space == MemorySpace::host)
    fail(
        "the output buffers are in device memory, which {} cannot write: use an index on the GPU "
        "(@cuda)",
        spec.text());
}

void Index::State::require_comparable(const Version& now, const ColumnView& lookups) const {
  if (lookups.interval_ends()) fail("expected keys, got intervals: pass points or ranges of them");
  if (lookups.are_points())
    fail("expected keys, got points: pass ColumnView::composite, or build the index over points");
  const IntervalCodec* const intervals = interval_codec(*now.main().codec);
  (intervals == nullptr ? *now.main().codec : intervals->points()).require_comparable(lookups);
  const auto require_unit = [](TimeUnit unit, TimeUnit expected) {
    if (unit != expected && unit != TimeUnit::unspecified && expected != TimeUnit::unspecified)
      fail("the column counts time in {} and the lookups in {}: convert the lookups",
           name_of(expected), name_of(unit));
  };
  const auto require_scale = [](int given, int expected) {
    if (given != expected)
      fail(
          "the decimals of the column have the scale {} and those of the lookups {}: cast the "
          "lookups to the scale {}",
          expected, given, expected);
  };
  if (intervals == nullptr || lookups.type() == Type::composite) {
    require_unit(lookups.time_unit(), time_unit);
    require_scale(lookups.scale(), scale);
  } else {
    require_unit(lookups.time_unit(), part_time_units.front());
    require_scale(lookups.scale(), part_scales.front());
  }
  for (std::size_t i = 0; i < part_time_units.size() && i < lookups.parts().size(); ++i) {
    require_unit(lookups.parts()[i].time_unit(), part_time_units[i]);
    require_scale(lookups.parts()[i].scale(), part_scales[i]);
  }
}

}  // namespace rtindex
