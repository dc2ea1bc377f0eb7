#include <algorithm>
#include <optional>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/chunk_buffers.hpp"
#include "base/parallel.hpp"
#include "engine/backend.hpp"

namespace rtindex {

namespace {

// The answers of one segment to a chunk of lookups.
class ChunkAnswers {
 public:
  explicit ChunkAnswers(const Request& request)
      : request_(request), needs_matched_(wants_matched(request)) {
    request_.outputs = buffers_.outputs(request.outputs);
    if (needs_matched_) request_.outputs.matched = buffers_.matched;
    if (request.one_hit_is_enough()) request_.answered = answered_;
    if (request.row_counts != nullptr) request_.row_counts = row_counts_;
    if (request.chunk_rows == nullptr) return;
    rows_.resize(1);
    request_.chunk_rows = &rows_;
  }

  // Whether it takes more than the answers themselves to tell which lookups matched: a value may
  // equal the miss value.
  [[nodiscard]] static bool wants_matched(const Request& request) {
    return request.wants_values() || request.outputs.matched != nullptr;
  }

  // Lookups [first, first + count) of `into`, whose answers so far tell which need no other.
  void run(const Segment& segment, const LookupBatch& batch, const Request& into, std::size_t first,
           std::size_t count, const std::uint8_t* matched) {
    buffers_.clear_matched();
    for (std::vector<std::uint32_t>& rows : rows_) rows.clear();
    if (request_.answered != nullptr) find_answered(into, first, count, matched);
    request_.deleted = bits_of(segment.deleted);
    segment.structure->run(batch, request_);
  }

  // Joins the answers to those of lookups from `first` on. `matched` tells which of these have a
  // match, and gets the new ones; it is there if wants_matched().
  void join(const Request& into, std::size_t first, std::size_t count, std::uint8_t* matched) {
    const Outputs& out = into.outputs;
    // A miss is the greatest rowID, and no row at all.
    for (std::size_t i = 0; out.any != nullptr && i < count; ++i)
      out.any[first + i] = Min{}(out.any[first + i], buffers_.any[i]);
    for (std::size_t i = 0; out.first != nullptr && i < count; ++i)
      out.first[first + i] = Min{}(out.first[first + i], buffers_.first[i]);
    for (std::size_t i = 0; out.count != nullptr && i < count; ++i)
      out.count[first + i] += buffers_.count[i];
    if (into.row_counts != nullptr) join_rows(into, first, count);
    if (!needs_matched_) return;
    if (std::none_of(std::begin(buffers_.matched), std::end(buffers_.matched),
                     [](std::uint8_t byte) { return byte != 0; }))
      return;
    if (into.wants_values())
      visit_class(into.value_class(), [&]<class Class>() {
        join_values<Class, Sum>(out.sum, buffers_.sum, first, count, matched);
        join_values<Class, Min>(out.min, buffers_.min, first, count, matched);
        join_values<Class, Max>(out.max, buffers_.max, first, count, matched);
      });
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
  void join_values(void* out, const std::uint64_t* own, std::size_t first, std::size_t count,
                   const std::uint8_t* matched) const {
    if (out == nullptr) return;
    auto* const values = static_cast<Class*>(out) + first;
    const auto* const added = reinterpret_cast<const Class*>(own);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_matched(buffers_.matched, i)) continue;
      values[i] = is_matched(matched, first + i) ? Operation{}(values[i], added[i]) : added[i];
    }
  }

  void join_rows(const Request& into, std::size_t first, std::size_t count) {
    std::uint64_t* const counts = into.row_counts + first;
    if (into.chunk_rows != nullptr)
      insert_rows((*into.chunk_rows)[first / chunk_lookups], counts, count, into.limit);
    for (std::size_t i = 0; i < count; ++i)
      counts[i] = std::min<std::uint64_t>(counts[i] + row_counts_[i], into.limit);
  }

  // Inserts the rows of each lookup behind those that it has.
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

// The first segment, which is the largest, writes the answers; those of the others are joined to
// them chunk by chunk.
void Backend::answer(std::span<const Segment> segments, const ColumnView& lower,
                     const ColumnView& upper, QueryKind kind, const Request& all) const {
  if (segments.size() == 1 && segments.front().deleted == nullptr)
    return segments.front().structure->run(
        LookupBatch(*segments.front().codec, lower, upper, kind, all.ends), all);
  Request request = all;
  if (segments.size() > 1 && all.row_counts != nullptr && all.order != RowOrder::any) {
    rows_in_order(segments, lower, upper, kind, all);
    request.leave_out_rows();
    if (request.answers.empty() && request.outputs.matched == nullptr) return;
  }
  const Segment& main = segments.front();
  const LookupBatch batch(*main.codec, lower, upper, kind, request.ends);
  Request first_request = request;
  first_request.deleted = bits_of(main.deleted);
  std::vector<std::uint8_t> own_matched;
  if (segments.size() > 1 && ChunkAnswers::wants_matched(request) &&
      request.outputs.matched == nullptr) {
    own_matched.assign((batch.size() + 7) / 8, 0);
    first_request.outputs.matched = own_matched.data();
  }
  main.structure->run(batch, first_request);
  std::uint8_t* const matched = first_request.outputs.matched;
  if (segments.size() == 1) return;
  parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
    ChunkAnswers chunk(request);
    for (const Segment& segment : segments.subspan(1)) {
      chunk.run(segment,
                LookupBatch(*segment.codec, lower, upper, kind, request.ends, first, count),
                request, first, count, matched);
      chunk.join(request, first, count, matched);
    }
  });
}

}  // namespace rtindex
