#include "engine/cuda/device_neighbours.hpp"

#include <algorithm>
#include <deque>

#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/neighbour_runner.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

std::vector<PackedMap> maps_of(std::span<const Segment> segments) {
  std::vector<PackedMap> maps;
  for (const Segment& segment : searched(segments)) {
    const KeyCodec& codec = *segment.codec;
    if (const auto native = codec.native_map())
      maps.push_back(packed_map(*native));
    else if (const auto map = codec.packed_map())
      maps.push_back(*map);
    else
      return {};
  }
  return maps;
}

void find_neighbours(std::span<const Segment> segments, const BatchQuery& query,
                     const Request& request, std::span<void* const> key_parts) {
  const ColumnView& keys = query.lower;
  const NearestOptions& nearest = query.nearest;
  require_batch_size(keys.size());
  require_on_device(keys, "keys");
  require_on_device(request.outputs, keys.size());
  const KeyDistance farthest = require_nearest(*segments.front().codec, nearest);
  const std::vector<Segment> all = searched(segments);
  const std::vector<PackedMap> maps = maps_of(segments);
  std::deque<SideTargets> sides;
  const auto add = [&](Edge edge) {
    SideTargets& side = sides.emplace_back();
    side.range = neighbour_range(keys, edge, nearest.exact);
    const BatchQuery of_side{side.range.lower, side.range.upper, QueryKind::range, side.range.ends,
                             nearest};
    side.targets = targets_of({all, of_side});
  };
  if (nearest.direction != Direction::forward) add(Edge::last);
  if (nearest.direction != Direction::backward) add(Edge::first);
  NeighbourRunner runner(sides, maps, keys, nearest, farthest, request);
  if (key_parts.empty()) return runner.run();
  NeighbourOutputs outputs;
  outputs.rows = request.outputs.any;
  outputs.matched = request.outputs.matched;
  std::copy(key_parts.begin(), key_parts.end(), std::begin(outputs.key_parts));
  runner.run(outputs);
}

}  // namespace rtindex::cuda
