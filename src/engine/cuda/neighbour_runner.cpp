#include "engine/cuda/neighbour_runner.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/types.hpp"
#include "engine/cuda/answer_transfer.hpp"

namespace rtindex::cuda {

namespace {

// The part of keys that has a distance, on the device: all of native keys, the last of others.
struct KeyElements {
  KeyElements(const ColumnView& keys, std::size_t first, std::size_t count, CopiesIn& in,
              const Queue& queue) {
    const ColumnView& part = keys.type() == Type::composite ? keys.parts().back() : keys;
    last_part = elements_on_device(part, first, count, copy, validity, in, queue);
  }

  DeviceElements last_part;
  DeviceBytes copy, validity;
};

}  // namespace

NeighbourRunner::NeighbourRunner(std::deque<SideTargets>& sides, std::span<const PackedMap> maps,
                                 const ColumnView& keys, const NearestOptions& nearest,
                                 KeyDistance farthest, const Request& request)
    : sides_(sides),
      maps_(maps),
      map_(common_map(maps).value()),
      keys_(keys),
      nearest_(nearest),
      farthest_(farthest),
      memory_(sides.front().targets.front().searcher.gpu().memory),
      request_(request),
      caller_(static_cast<cudaStream_t>(request.stream.handle)),
      is_measured_(nearest.direction == Direction::nearest ||
                   !std::holds_alternative<std::monostate>(nearest.tolerance)),
      counters_(request, memory_),
      times_(request.ray_ms) {
  for (SideTargets& side : sides_)
    for (const SegmentTarget& target : side.targets)
      side.encoders.emplace_back(target.batch, target.searcher.encoding());
}

const KeyCodec& NeighbourRunner::codec() const {
  return sides_.front().targets.front().batch.codec();
}

void NeighbourRunner::run() {
  const Outputs& out = request_.outputs;
  if (out.memory_space == MemorySpace::device) {
    NeighbourOutputs outputs;
    outputs.rows = out.any;
    outputs.key_parts[0] = out.key;
    outputs.matched = out.matched;
    return run(outputs);
  }
  const WorkspaceLease lease;
  Workspace& workspace = *lease;
  const std::span<Lane> lanes =
      workspace.lanes_for((keys_.size() + piece_lookups - 1) / piece_lookups);
  if (keys_.memory_space() == MemorySpace::device)
    for (const Lane& lane : lanes) wait_for(lane.stream.get(), caller_);
  SyncLanesOnExit sync(lanes);
  run_in_pieces(lanes);
  sync.release();
  counters_.finish();
  times_.finish(caller_);
}

void NeighbourRunner::run(const NeighbourOutputs& outputs) {
  if (keys_.memory_space() == MemorySpace::device) {
    const RecordUsesOnExit record_uses(sides_.front().targets, caller_);
    CopiesIn unused;  // nothing comes from the host
    find(0, keys_.size(), outputs, unused, {memory_, caller_});
  } else {
    const WorkspaceLease lease;
    Workspace& workspace = *lease;
    const std::span<Lane> lanes = workspace.lanes_for(1);
    Lane& lane = lanes.front();
    wait_for(lane.stream.get(), caller_);
    SyncLanesOnExit sync(lanes);
    find(0, keys_.size(), outputs, lane.in, {memory_, lane.stream.get()});
    lane.finish();
    sync.release();
  }
  counters_.finish();
  times_.finish(caller_);
}

void NeighbourRunner::run_in_pieces(std::span<Lane> lanes) {
  const std::size_t key_bytes = request_.outputs.key == nullptr ? 0 : width_of(codec().type());
  for (std::size_t first = 0, number = 0; first < keys_.size(); first += piece_lookups, ++number) {
    Lane& lane = lanes[number % lanes.size()];
    lane.reuse();
    const Queue queue(memory_, lane.stream.get());
    const std::size_t count = std::min(piece_lookups, keys_.size() - first);
    AnswerTransfer transfer(request_, first, count, queue, key_bytes);
    NeighbourOutputs outputs;
    outputs.rows = transfer.buffers().any;
    outputs.key_parts[0] = transfer.buffers().key;
    outputs.matched = transfer.buffers().matched;
    find(first, count, outputs, lane.in, queue);
    transfer.start(lane.out, queue);
  }
  for (Lane& lane : lanes) lane.finish();
}

// The neighbours of keys [first, first + count). Where one search finds the requested rows, it
// writes them to the output.
void NeighbourRunner::find(std::size_t first, std::size_t count, const NeighbourOutputs& outputs,
                           CopiesIn& in, const Queue& queue) {
  const bool wants_elements =
      std::any_of(std::begin(outputs.key_parts), std::end(outputs.key_parts),
                  [](const void* part) { return part != nullptr; });
  const std::size_t segments = sides_.front().targets.size();
  const bool wants_keys = is_measured_ || wants_elements || segments > 1;
  const KeyElements keys(keys_, first, count, in, queue);
  NeighbourSide before, behind;
  for (SideTargets& side : sides_) {
    const bool is_last = side.range.edge == Edge::last;
    LookupElements elements;
    elements.lower = is_last ? DeviceElements{.size = count} : keys.last_part;
    elements.upper = is_last ? keys.last_part : DeviceElements{.size = count};
    std::uint32_t* const rows = sides_.size() == 1 ? outputs.rows : nullptr;
    (is_last ? before : behind) =
        find_side(side, first, count, elements, rows, wants_keys, in, queue);
  }
  const bool is_done = !is_measured_ && !wants_elements && outputs.matched == nullptr;
  if (is_done) return;
  finish_neighbours(before, behind, count, map_, {is_measured_, farthest_, keys.last_part}, outputs,
                    queue);
}

NeighbourSide NeighbourRunner::find_side(SideTargets& side, std::size_t first, std::size_t count,
                                         const LookupElements& elements, std::uint32_t* rows,
                                         bool wants_keys, CopiesIn& in, const Queue& queue) {
  NeighbourSide best;
  for (std::size_t i = 0; i < side.targets.size(); ++i) {
    const SegmentTarget& target = side.targets[i];
    LookupBuffers buffers;
    DeviceLookups lookups = side.encoders[i].encode(first, count, elements, buffers, in, queue,
                                                    target.searcher.encoding().edges_read_elements
                                                        ? std::optional(side.range.edge)
                                                        : std::nullopt);
    lookups.deleted = target.deleted;
    lookups.counters = counters_.get();
    lookups.times = &times_;
    NeighbourSide found;
    found.rows = i == 0 ? rows : nullptr;
    if (found.rows == nullptr) {
      found.own_rows = DeviceArray<std::uint32_t>(queue, count);
      found.rows = found.own_rows.data();
    }
    if (wants_keys) {
      found.own_keys = DeviceArray<std::uint64_t>(queue, count);
      found.keys = found.own_keys.data();
    }
    target.searcher.find_edges_on_device({target.batch, first, lookups}, side.range.edge,
                                         found.rows, found.keys, queue);
    if (side.targets.size() > 1) to_common_map(found.keys, count, maps_[i], map_, queue);
    if (i == 0)
      best = std::move(found);
    else
      join_neighbours(best, found, count, side.range.edge, queue);
  }
  return best;
}

}  // namespace rtindex::cuda
