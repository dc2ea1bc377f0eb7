#include <vector>

#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/device_neighbours.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/nearest_interval_kernels.hpp"
#include "engine/cuda/neighbour_runner.hpp"
#include "engine/nearest_intervals.hpp"
#include "keys/interval_codec.hpp"
#include "order/cuda/device_pointers.hpp"

// The closest intervals of keys, on a GPU.
namespace rtindex::cuda {

namespace {

// NearestIntervals of native keys in device memory, on the caller's stream.
class NearestOnDevice {
 public:
  NearestOnDevice(std::span<const Segment> segments, const BatchQuery& query,
                  const BatchRunner& runner, const Request& request, const Queue& queue)
      : points_(interval_codec(*segments.front().codec)->points()),
        nearest_(query.nearest),
        is_inside_(queue, (query.lower.size() + 7) / 8),
        before_(points_, query.lower.size(), queue),
        behind_(points_, query.lower.size(), queue) {
    const ColumnView& keys = query.lower;
    const std::size_t size = keys.size();
    clear(is_inside_.data(), queue);
    if (nearest_.exact) find_inside(segments, keys, runner, request);
    const DeviceArray<std::uint8_t> is_outside(queue, is_inside_.size());
    const DeviceElements elements{keys.data(), element_type(keys.type()), keys.validity(),
                                  keys.validity_offset(), size};
    find_outside(elements, is_inside_.data(), is_outside.data(), queue);
    const ColumnView others = keys.with_validity(is_outside.data());
    const std::vector<Segment> ends = segments_of_points(segments, IntervalSide::ends);
    const std::vector<Segment> starts = segments_of_points(segments, IntervalSide::starts);
    const auto find = [&](std::span<const Segment> points, IntervalSide side, KeysOnGpu& found) {
      const NearestOptions how = neighbours_on(side, *segments.front().codec, nearest_);
      Request own = request;
      own.answers = Answer::any;
      own.outputs = {.matched = found.valid(), .memory_space = MemorySpace::device};
      find_neighbours(points, {others, others, QueryKind::nearest, {}, how}, own, found.parts());
    };
    const bool wants_ends = nearest_.direction != Direction::forward;
    const bool wants_starts = nearest_.direction != Direction::backward;
    if (wants_ends) find(ends, IntervalSide::ends, before_);
    if (wants_starts) find(starts, IntervalSide::starts, behind_);
    if (wants_ends && wants_starts)
      drop_farther(elements,
                   {before_.parts().front(), behind_.parts().front(), element_type(points_.type()),
                    before_.valid(), behind_.valid()},
                   queue);
    inside_ = keys.with_validity(is_inside_.data());
    ends_ = before_.view();
    starts_ = behind_.view();
    if (nearest_.exact) add(segments, inside_, QueryKind::contains);
    if (wants_ends) add(ends, ends_, QueryKind::equal);
    if (wants_starts) add(starts, starts_, QueryKind::equal);
  }
  NearestOnDevice(const NearestOnDevice&) = delete;
  NearestOnDevice& operator=(const NearestOnDevice&) = delete;

  [[nodiscard]] BatchSources sources() const { return {sources_, queries_}; }

 private:
  void clear(std::uint8_t* bits, cudaStream_t stream) const {
    if (is_inside_.size() != 0)
      check(cudaMemsetAsync(bits, 0, is_inside_.size(), stream), "filling memory");
  }

  void find_inside(std::span<const Segment> segments, const ColumnView& keys,
                   const BatchRunner& runner, const Request& request) const {
    Request own = request;
    own.answers = {};
    own.outputs = {.matched = is_inside_.data(), .memory_space = MemorySpace::device};
    own.counts_values = false;
    own.row_counts = nullptr;
    own.chunk_rows = nullptr;
    own.order = RowOrder::any;
    own.join = nullptr;
    own.plan = nullptr;
    runner.run(segments, {keys, keys, QueryKind::contains, {}, nearest_}, own);
  }

  void add(std::span<const Segment> segments, const ColumnView& keys, QueryKind kind) {
    for (const Segment& segment : segments) {
      sources_.push_back(segment);
      queries_.push_back({keys, keys, kind, {}, nearest_});
    }
  }

  const KeyCodec& points_;
  NearestOptions nearest_;
  DeviceArray<std::uint8_t> is_inside_;  // a bit for each key
  KeysOnGpu before_, behind_;
  ColumnView inside_, ends_, starts_;  // the keys of the queries, null where one has no match
  std::vector<Segment> sources_;
  std::vector<BatchQuery> queries_;
};

// Whether the neighbours of keys among the starts and among the ends are found on the device.
[[nodiscard]] bool are_native(std::span<const Segment> segments, const ColumnView& keys) {
  if (!is_native(keys.type()) || !interval_codec(*segments.front().codec)->points().native_base())
    return false;
  const std::vector<PackedMap> maps = maps_of(segments_of_points(segments, IntervalSide::ends));
  return !maps.empty() && NeighbourRunner::can_join(maps);
}

void answer_from_intervals(std::span<const Segment> segments, const BatchSources& sources,
                           const Request& request, const Plan& steps) {
  Request rest = request;
  rest.counts_values = request.wants_values();  // as for other queries of intervals
  const auto answer = [&](const Request& wanted) {
    answer_closest(segments, wanted, [&](const Request& own) { answer_from(sources, own, steps); });
  };
  if (request.order != RowOrder::any && request.outputs.offsets != nullptr &&
      request.row_counts == nullptr) {
    write_ordered_rows(sources.lookups(), rest, answer);
    rest.drop_rows();
    if (!rest.wants_anything()) return;
  }
  answer(rest);
}

}  // namespace

// With keys in device memory all work is queued on the caller's stream; keys that only the host
// compares, and those in host memory, are a step of the host.
void DeviceBatchRunner::nearest_intervals(std::span<const Segment> segments,
                                          const BatchQuery& query, const Request& request) const {
  const std::vector<Segment> all = searched(segments);
  const bool on_device = query.lower.memory_space() == MemorySpace::device;
  require_batch_size(query.lower.size());
  require_on_device(query.lower, "keys");
  Plan steps;
  steps.on_gpu = true;
  steps.casts_rays = casts_rays(segments);
  if (steps.casts_rays) reject_capture(steps, request.stream);
  if (on_device && are_native(all, query.lower)) {
    const Queue queue(gpu_.memory, static_cast<cudaStream_t>(request.stream.handle));
    const NearestOnDevice nearest(all, query, *this, request, queue);
    return answer_from_intervals(all, nearest.sources(), request, steps);
  }
  steps.fetches_lookups = on_device;
  reject_capture(steps, request.stream);
  const HostColumn keys(query.lower, "keys", request.stream);
  const NearestIntervals nearest(all, keys.view(), query.nearest, *this);
  answer_from_intervals(all, nearest.sources(), request, steps);
}

}  // namespace rtindex::cuda
