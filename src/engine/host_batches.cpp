#include "engine/batch_runner.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/chunk_buffers.hpp"
#include "answers/counted_aggregate.hpp"
#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "engine/nearest_intervals.hpp"
#include "engine/plan.hpp"

namespace rtindex {

namespace {

// The answers of one segment to a chunk of lookups.
class ChunkAnswers {
 public:
  explicit ChunkAnswers(const Request& request)
      : request_(request), needs_matched_(wants_matched(request)) {
    request_.outputs = buffers_.outputs(request.outputs);
    buffers_.receive_counts(request_);
    if (needs_matched_) request_.outputs.matched = buffers_.matched;
    if (request.one_hit_is_enough()) request_.answered = answered_;
    if (request.row_counts != nullptr) request_.row_counts = row_counts_;
    if (request.chunk_rows == nullptr) return;
    rows_.resize(1);
    request_.chunk_rows = &rows_;
  }

  // Whether a bitmap of matched lookups is needed beside the answers: a value may equal the miss
  // value.
  [[nodiscard]] static bool wants_matched(const Request& request) {
    return request.wants_values() || request.outputs.matched != nullptr;
  }

  // Answers lookups [first, first + count) of `into`. Those that `into` has fully answered are
  // skipped.
  void run(const Segment& segment, const LookupBatch& batch, const Request& into, std::size_t first,
           std::size_t count, const std::uint8_t* matched) {
    buffers_.clear_matched();
    for (std::vector<std::uint32_t>& rows : rows_) rows.clear();
    if (request_.answered != nullptr) find_answered(into, first, count, matched);
    if (into.outputs.bitmaps != nullptr) request_.outputs.bitmaps = into.bitmap_of(first);
    request_.deleted = bits_of(segment.deleted);
    segment.searcher->answer(batch, request_);
  }

  // Joins the answers into those of the lookups from `first` on. `matched` has the lookups with a
  // match so far and is updated; null unless wants_matched().
  void join(const Request& into, std::size_t first, std::size_t count, std::uint8_t* matched) {
    const Outputs& out = into.outputs;
    // A miss is the greatest rowID, so that a row replaces it.
    for (std::size_t i = 0; out.any != nullptr && i < count; ++i)
      out.any[first + i] = Min{}(out.any[first + i], buffers_.any[i]);
    for (std::size_t i = 0; out.first != nullptr && i < count; ++i)
      out.first[first + i] = Min{}(out.first[first + i], buffers_.first[i]);
    for (std::size_t i = 0; out.last != nullptr && i < count; ++i)
      out.last[first + i] = Last{}(out.last[first + i], buffers_.last[i]);
    for (std::size_t i = 0; out.count != nullptr && i < count; ++i)
      out.count[first + i] += buffers_.count[i];
    if (into.row_counts != nullptr) join_rows(into, first, count);
    if (!needs_matched_) return;
    if (std::none_of(std::begin(buffers_.matched), std::end(buffers_.matched),
                     [](std::uint8_t byte) { return byte != 0; }))
      return;
    if (into.wants_values())
      visit_class(into.value_class(), [&]<class Class>() {
        join_values<Class, Sum>(into, out.sum, buffers_.sum, first, count, matched);
        join_values<Class, Min>(into, out.min, buffers_.min, first, count, matched);
        join_values<Class, Max>(into, out.max, buffers_.max, first, count, matched);
        for (std::size_t i = 0; into.mean_sums != nullptr && i < count; ++i)
          mean_sum<Class>(into.mean_sums[first + i]) += mean_sum<Class>(buffers_.mean_sums[i]);
      });
    for (std::size_t i = 0; into.value_counts != nullptr && i < count; ++i)
      into.value_counts[first + i] += buffers_.value_counts[i];
    for (std::size_t i = 0; i < (count + 7) / 8; ++i)
      matched[first / 8 + i] =
          static_cast<std::uint8_t>(matched[first / 8 + i] | buffers_.matched[i]);
  }

 private:
  void find_answered(const Request& into, std::size_t first, std::size_t count,
                     const std::uint8_t* matched) {
    const std::uint32_t* const any = into.outputs.any;
    for (std::size_t byte = 0; byte < (count + 7) / 8; ++byte) {
      if (matched != nullptr) {
        answered_[byte] = matched[first / 8 + byte];
        continue;
      }
      unsigned bits = 0;
      for (std::size_t i = 8 * byte; i < std::min(count, 8 * byte + 8); ++i)
        bits |= (any[first + i] != miss_row ? 1U : 0U) << (i % 8);
      answered_[byte] = static_cast<std::uint8_t>(bits);
    }
  }

  template <class Class, class Operation>
  void join_values(const Request& into, void* out, const std::uint64_t* own, std::size_t first,
                   std::size_t count, const std::uint8_t* matched) const {
    if (out == nullptr) return;
    const std::uint32_t* const counts = into.value_counts;
    auto* const values = static_cast<Class*>(out) + first;
    const auto* const added = reinterpret_cast<const Class*>(own);
    for (std::size_t i = 0; i < count; ++i) {
      if (counts != nullptr ? buffers_.value_counts[i] == 0 : !is_matched(buffers_.matched, i))
        continue;
      const bool has_value =
          counts != nullptr ? counts[first + i] != 0 : is_matched(matched, first + i);
      values[i] = has_value ? Operation{}(values[i], added[i]) : added[i];
    }
  }

  void join_rows(const Request& into, std::size_t first, std::size_t count) {
    std::uint64_t* const counts = into.row_counts + first;
    if (into.chunk_rows != nullptr)
      insert_rows((*into.chunk_rows)[first / chunk_lookups], counts, count, into.limit);
    for (std::size_t i = 0; i < count; ++i)
      counts[i] = std::min<std::uint64_t>(counts[i] + row_counts_[i], into.limit);
  }

  // Appends the rows of each lookup to those that it has.
  void insert_rows(std::vector<std::uint32_t>& rows, const std::uint64_t* counts, std::size_t count,
                   std::uint32_t limit) const {
    if (rows_.front().empty()) return;
    std::vector<std::uint32_t> joined;
    joined.reserve(rows.size() + rows_.front().size());
    auto old_rows = rows.begin();
    auto new_rows = rows_.front().begin();
    for (std::size_t i = 0; i < count; ++i) {
      const auto old_count = static_cast<std::ptrdiff_t>(counts[i]);
      const auto fits =
          static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(row_counts_[i], limit - counts[i]));
      joined.insert(joined.end(), old_rows, old_rows + old_count);
      joined.insert(joined.end(), new_rows, new_rows + fits);
      old_rows += old_count;
      new_rows += static_cast<std::ptrdiff_t>(row_counts_[i]);
    }
    rows = std::move(joined);
  }

  Request request_;
  bool needs_matched_;
  ChunkBuffers buffers_;
  std::uint64_t row_counts_[chunk_lookups];
  std::uint8_t answered_[chunk_lookups / 8];
  std::vector<std::vector<std::uint32_t>> rows_;
};

}  // namespace

namespace {

// Replaces a prefix by the least string above all strings that begin with it; false where there is
// none.
[[nodiscard]] bool make_successor(std::string& prefix) {
  constexpr char greatest = '\xff';
  while (!prefix.empty() && prefix.back() == greatest) prefix.pop_back();
  if (prefix.empty()) return false;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return true;
}

// The first segment, which is the largest, writes the answers; those of the others are joined to
// them chunk by chunk.
void answer_from_all(const BatchSources& sources, const Request& request) {
  const Segment& main = sources.segment(0);
  const std::size_t lookups = sources.lookups();
  Request first_request = request;
  first_request.deleted = bits_of(main.deleted);
  std::vector<std::uint8_t> own_matched;
  if (sources.size() > 1 && ChunkAnswers::wants_matched(request) &&
      request.outputs.matched == nullptr) {
    own_matched.assign((lookups + 7) / 8, 0);
    first_request.outputs.matched = own_matched.data();
  }
  main.searcher->answer(sources.batch(0), first_request);
  std::uint8_t* const matched = first_request.outputs.matched;
  if (sources.size() == 1) return;
  parallel_for(lookups, chunk_lookups, [&](std::size_t first, std::size_t count) {
    ChunkAnswers chunk(request);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      chunk.run(sources.segment(i), sources.batch(i, first, count), request, first, count, matched);
      chunk.join(request, first, count, matched);
    }
  });
}

}  // namespace

Plan plan_of(std::span<const Segment> segments, const BatchQuery& query, const Request& request) {
  const Method method = query.kind == QueryKind::nearest ? Method::edges : Method::fold;
  Plan plan;
  plan.set_outputs(request);
  plan.orders_on_host =
      segments.size() > 1 && request.row_counts != nullptr && request.order != RowOrder::any;
  plan.segments =
      static_cast<std::uint8_t>(std::min<std::size_t>(segments.size(), Plan::max_segments));
  plan.more_segments = segments.size() - plan.segments;
  for (std::size_t i = 0; i < plan.segments; ++i)
    plan.steps[i] = {method, false, segments[i].deleted != nullptr,
                     query.batch(*segments[i].codec).has_residual()};
  return plan;
}

PrefixRanges::PrefixRanges(const ColumnView& prefixes)
    : lower_(prefixes), own_upper_(Type::string, prefixes.size()) {
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (!prefixes.valid(i)) continue;
    std::string& upper = own_upper_.string(i);
    upper = prefixes.string(i);
    own_upper_.set_valid(i, make_successor(upper));
  }
  upper_ = own_upper_.view();
}

BatchQuery PrefixRanges::query() const {
  BatchQuery query = BatchQuery::equal(lower_);
  return {lower_,
          upper_,
          QueryKind::range,
          {.upper_open = true, .null_upper_is_none = true},
          query.nearest};
}

namespace {

// Divides the sums of all segments by the number of their values.
void write_means(const Request& request, std::size_t lookups) {
  visit_class(request.value_class(), [&]<class Class>() {
    parallel_for(lookups, chunk_lookups, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        request.outputs.mean[i] =
            request.value_counts[i] == 0
                ? request.miss.f64
                : mean_of<Class>(mean_sum<Class>(request.mean_sums[i]), request.value_counts[i]);
    });
  });
}

void answer_from(const BatchSources& sources, const Request& request);

void answer_counted(const BatchSources& sources, Request request) {
  const bool has_means = request.answers.has(Answer::mean);
  const std::size_t lookups = sources.lookups();
  Array<std::uint32_t> counts(lookups);
  Array<MeanSum> sums(has_means ? lookups : 0);
  std::uint8_t* const validity = std::exchange(request.outputs.validity, nullptr);
  request.value_counts = counts.data();
  if (has_means) request.mean_sums = sums.data();
  answer_from(sources, request);
  if (has_means) write_means(request, lookups);
  for (std::size_t i = 0; validity != nullptr && i < lookups; ++i)
    if (counts[i] != 0) set_matched(validity, i);
}

void answer_from(const BatchSources& sources, const Request& request) {
  const std::size_t lookups = sources.lookups();
  const bool needs_counts = request.outputs.validity != nullptr &&
                            request.outputs.matched == nullptr && request.wants_values();
  if (request.value_counts == nullptr && lookups != 0 &&
      (needs_counts || counts_values(sources.segments(), request)))
    return answer_counted(sources, request);
  if (request.outputs.validity != nullptr) {  // no value is null: every match has one
    Request others = request;
    others.outputs.validity = nullptr;
    answer_from(sources, others);
    std::copy_n(request.outputs.matched, (lookups + 7) / 8, request.outputs.validity);
    return;
  }
  require_answerable(sources);
  if (request.pairs != nullptr) return append_pairs(sources, request);
  const Segment& main = sources.segment(0);
  if (sources.size() == 1 && main.deleted == nullptr)
    return main.searcher->answer(sources.batch(0), request);
  if (sources.size() == 1 || request.row_counts == nullptr || request.order == RowOrder::any)
    return answer_from_all(sources, request);
  rows_in_order(sources.segments(), sources.query(0), request);
  Request others = request;
  others.drop_rows();
  if (others.wants_anything()) answer_from_all(sources, others);
}

}  // namespace

bool counts_values(std::span<const Segment> segments, const Request& request) {
  if (!request.wants_values()) return false;
  if (request.answers.has(Answer::mean) || request.validity != nullptr) return true;
  return request.included && std::any_of(segments.begin(), segments.end(), [&](const Segment& one) {
           return one.searcher->included()[request.included_column].has_nulls;
         });
}

void HostBatchRunner::run(std::span<const Segment> segments, const BatchQuery& query,
                          const Request& request) const {
  if (query.kind == QueryKind::prefix)
    return run(segments, PrefixRanges(query.lower).query(), request);
  if (request.plan != nullptr) *request.plan = plan_of(segments, query, request).describe();
  if (query.kind != QueryKind::nearest) return answer_from({segments, query}, request);
  if (!segments.front().codec->are_intervals())
    return answer_nearest(segments, query, request, *this);
  const NearestIntervals nearest(segments, query.lower, query.nearest, *this);
  answer_closest(segments, request,
                 [&](const Request& wanted) { answer_from(nearest.sources(), wanted); });
}

RowBitmapPtr HostBatchRunner::restricted(const RowBitmapPtr& deleted, const BitmapView& filter,
                                         Stream) const {
  return std::make_shared<const FilteredRows>(deleted, filter);
}

RowBitmapPtr HostBatchRunner::matching_rows(std::span<const Segment> segments,
                                            const ColumnView& keys, std::size_t row_count,
                                            Stream) const {
  return rtindex::matching_rows(segments, keys, row_count, *this);
}

RowBitmapPtr matching_rows(std::span<const Segment> segments, const ColumnView& keys,
                           std::size_t row_count, const BatchRunner& points) {
  constexpr std::size_t row_grain = std::size_t{1} << 15;
  AnswersAccess access({.answers = Answer::rows}, keys.size());
  points.run(segments, BatchQuery::equal(keys), access.request());
  const Answers found = access.finish();
  const std::span<const std::uint32_t> rows = found.rows();
  if (rows.size() <= row_grain) {
    SparseBitmapBuilder matching(row_count);
    for (const std::uint32_t row : rows) matching.add(row);
    return std::move(matching).finish();
  }
  RowBitmapBuilder matching(row_count);
  parallel_for(rows.size(), row_grain, [&](std::size_t first, std::size_t count) {
    // Two equal keys match the same rows.
    for (const std::uint32_t row : rows.subspan(first, count)) static_cast<void>(matching.add(row));
  });
  return std::move(matching).finish();
}

}  // namespace rtindex
