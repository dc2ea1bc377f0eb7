#include <algorithm>
#include <deque>
#include <vector>

#include "engine/cuda/box_searcher.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "engine/cuda/device_segments.hpp"
#include "rows/bitmap_bits.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

// Box queries whose conditions lie where they are read.
namespace rtindex::cuda {

namespace {

// Whether an end of each query is in host memory.
[[nodiscard]] bool has_host_array(const BatchQuery& query) {
  return std::any_of(
      query.conditions.begin(), query.conditions.end(), [](const Condition& condition) {
        const auto is_array = [](const ColumnView& end) {
          return end.has_value() && end.size() != 1 && end.memory_space() == MemorySpace::host;
        };
        return condition.kind == ConditionKind::range &&
               (is_array(condition.lower) || is_array(condition.upper));
      });
}

// Whether the host encodes a condition, some end of which is in device memory.
[[nodiscard]] bool is_fetched(std::span<const Segment> segments, const BatchQuery& query,
                              std::size_t column) {
  const Condition& condition = query.conditions[column];
  if (!is_on_device(condition.lower) && !is_on_device(condition.upper)) return false;
  const auto is_single = [&](const ColumnView& end) {
    return is_on_device(end) && end.size() != query.boxes;
  };
  return has_host_array(query) || is_single(condition.lower) || is_single(condition.upper) ||
         !std::all_of(segments.begin(), segments.end(), [&](const Segment& segment) {
           return encodes_on_device(*point_codec(*segment.codec), column, condition);
         });
}

// A query whose conditions lie where they are read: fetched where the host encodes them.
class ReachableBoxes {
 public:
  ReachableBoxes(std::span<const Segment> segments, const BatchQuery& query, Stream caller)
      : conditions_(query.conditions.begin(), query.conditions.end()), query_(query) {
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      if (!is_fetched(segments, query, c)) continue;
      for (ColumnView* const end : {&conditions_[c].lower, &conditions_[c].upper})
        *end = fetched_.emplace_back(*end, "conditions", caller).view();
    }
    query_.conditions = conditions_;
  }
  ReachableBoxes(const ReachableBoxes&) = delete;
  ReachableBoxes& operator=(const ReachableBoxes&) = delete;

  [[nodiscard]] const BatchQuery& query() const { return query_; }
  [[nodiscard]] bool any_fetched() const { return !fetched_.empty(); }

 private:
  std::vector<Condition> conditions_;
  std::deque<HostColumn> fetched_;
  BatchQuery query_;
};

// Whether a call counts the rows of one box of values in host memory, in one segment.
[[nodiscard]] bool counts_single(std::span<const Segment> segments, const BatchQuery& query,
                                 const Request& request) {
  const auto is_here = [](const Condition& condition) {
    return condition.kind != ConditionKind::isin && !is_on_device(condition.lower) &&
           !is_on_device(condition.upper);
  };
  return query.boxes == 1 && segments.size() == 1 && segments.front().deleted == nullptr &&
         request.answers == AnswerSet(Answer::count) && request.outputs.count != nullptr &&
         request.outputs.memory_space == MemorySpace::host && request.outputs.matched == nullptr &&
         request.join == nullptr && request.counters == nullptr && request.plan == nullptr &&
         is_box_searcher(device_searcher(segments.front())) &&
         std::all_of(query.conditions.begin(), query.conditions.end(), is_here);
}

// By the shortest way, which a single query pays for.
void count_single(const Segment& segment, const BatchQuery& query, const Request& request) {
  const DeviceSearcher& searcher = device_searcher(segment);
  const LookupBatch batch = query.batch(*segment.codec);
  CopiesIn unused;
  LookupBuffers buffers;
  static_cast<void>(LookupEncoder(batch, searcher.encoding())
                        .encode(0, 1, {}, buffers, unused, {searcher.gpu().memory, nullptr}));
  request.outputs.count[0] = box_searcher(searcher).count_single(buffers.boxes);
}

// A bitmap that kernels may set in the caller's memory.
[[nodiscard]] bool is_set_in_place(const Outputs& out) {
  return out.memory_space == MemorySpace::device &&
         reinterpret_cast<std::uintptr_t>(out.bitmap) % sizeof(std::uint32_t) == 0 &&
         bitmap_bytes(out.bitmap_rows) % sizeof(std::uint32_t) == 0;
}

}  // namespace

void DeviceBatchRunner::answer_boxes(std::span<const Segment> segments, const BatchQuery& query,
                                     const Request& request) {
  if (counts_single(segments, query, request))
    return count_single(segments.front(), query, request);
  const ReachableBoxes boxes(segments, query, request.stream);
  Plan plan;
  plan.fetches_lookups = boxes.any_fetched();
  answer_reachable(segments, boxes.query(), request, plan);
}

void DeviceBatchRunner::write_box_bitmaps(std::span<const Segment> segments,
                                          const BatchQuery& query, const Request& request) const {
  require_answerable({segments, query});
  const Outputs& out = request.outputs;
  const Queue queue(gpu_.memory, static_cast<cudaStream_t>(request.stream.handle));
  const std::size_t stride = RowBits::words_of(out.bitmap_rows);
  const bool in_place = out.bitmap != nullptr && is_set_in_place(out);
  const RowBitmapWords own(out.bitmap == nullptr || in_place ? 0 : out.bitmap_rows, queue);
  const RowBitmapWords each(out.bitmaps == nullptr ? 0 : query.size() * stride * RowBits::word_bits,
                            queue);
  BoxBitmaps bits;
  bits.rows = static_cast<std::uint32_t>(out.bitmap_rows);
  bits.stride = stride;
  bits.bitmap = in_place ? reinterpret_cast<std::uint32_t*>(out.bitmap) : own.words.data();
  bits.bitmaps = each.words.data();
  const ReachableBoxes boxes(segments, query, request.stream);
  Request rest = request;
  rest.answers = {};
  const std::vector<Segment> targets = searched(segments);
  DeviceBatch batch(targets_of({targets, boxes.query()}), rest);
  if (in_place)
    check(cudaMemsetAsync(out.bitmap, 0, bitmap_bytes(out.bitmap_rows), queue), "filling memory");
  if (query.size() != 0) batch.set_bits(bits);
  if (out.bitmap != nullptr && !in_place) copy_bitmaps(own, 1, stride, out, out.bitmap, queue);
  if (out.bitmaps != nullptr) copy_bitmaps(each, query.size(), stride, out, out.bitmaps, queue);
}

}  // namespace rtindex::cuda
