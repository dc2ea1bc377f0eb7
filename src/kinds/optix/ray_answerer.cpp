#include "kinds/optix/ray_answerer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "kinds/optix/ray_kernels.hpp"
#include "kinds/scene/edge_order.hpp"

namespace rtindex::optix {

namespace {

using cuda::DeviceArray;
using cuda::DeviceRequest;
using cuda::FoundRows;
using cuda::Run;

// Positions in an array of hits have 32 bits.
constexpr std::uint64_t max_collected = std::numeric_limits<std::uint32_t>::max();

bool wants_folding(const DeviceRequest& request) {
  return request.wants_rows() || request.matched != nullptr || request.wants_values();
}

// Whether a ray can carry the state of its lookup in registers: PointHits.
bool fits_registers(const LaunchParams& params) {
  const int aggregates = (params.sum != nullptr ? 1 : 0) + (params.min != nullptr ? 1 : 0) +
                         (params.max != nullptr ? 1 : 0);
  return params.points && params.point == RayKind::perpendicular && aggregates <= 1 &&
         params.lookups.counters == nullptr;
}

}  // namespace

FoundRows RayAnswerer::answer(const cuda::SearchedLookups& searched, const DeviceRequest& request,
                              cuda::RowsWanted wanted, cudaStream_t stream) const {
  const auto& [batch, first, lookups] = searched;
  const std::size_t count = lookups.count;
  if (count == 0) return {};
  const cuda::Queue queue(from_.memory, stream);
  LaunchParams rays = params(batch, lookups);
  if (from_.on_host != nullptr) {
    const Collected collected = collect(rays, sizes_of(rays, no_limit, queue), no_limit, queue);
    require_room(collected, count, "compares full keys");
    FoundRows found = filter_residuals(batch, first, collected, count, wanted.in_order, queue);
    cuda::answer_runs(found.runs.data(), count, {found.rows, found.own.size()}, request, nullptr,
                      cuda::Gather::off, queue);
    return found;
  }
  if (wants_folding(request)) {
    fold(rays, request, queue);
    rays.lookups.counters = nullptr;  // the same rays are cast again for the rows
  }
  if (!wanted.any) return {};
  if (wanted.in_order && !wanted.sizes_only) return rows_in_order(rays, queue);
  FoundRows found;
  found.runs = sizes_of(rays, wanted.limit, queue);
  if (wanted.sizes_only) return found;
  Collected collected = collect(rays, found.runs, wanted.limit, queue);
  found.too_many = collected.total > max_collected;
  return found.too_many ? std::move(found) : rows_of(std::move(collected), count, queue);
}

void RayAnswerer::require_room(const Collected& collected, std::size_t lookups, const char* doing) {
  if (collected.total > max_collected)
    fail(ErrorKind::unsupported,
         "{} lookups match {} rows, and rx:optix {} of at most 2^32 - 1 rows at once: split the "
         "batch",
         lookups, collected.total, doing);
}

LaunchParams RayAnswerer::params(const LookupBatch& batch,
                                 const cuda::DeviceLookups& lookups) const {
  LaunchParams params{};
  params.scene = from_.scene;
  params.intervals = from_.intervals;
  params.point_scene = from_.points;
  if (lookups.boxes != nullptr) params.point_scene.boxes = lookups.boxes->from(lookups.first_box);
  params.point = from_.options.point;
  params.range = from_.options.range;
  params.points = batch.kind() == QueryKind::equal;
  params.lookups = lookups;
  return params;
}

void RayAnswerer::fold(LaunchParams params, const DeviceRequest& request,
                       const cuda::Queue& queue) const {
  const std::size_t lookups = params.lookups.count;
  params.task = Task::answer;
  params.any = request.any;
  params.smallest_row = request.first;
  params.count = request.count;
  if (request.wants_values()) {
    params.sum = request.sum;
    params.min = request.min;
    params.max = request.max;
    params.values = request.values;
    params.value_type = request.value_type;
    params.value_class = class_of(request.value_type);
    params.miss = visit_class(params.value_class, [&]<class Class>() {
      return std::bit_cast<std::uint64_t>(miss_as<Class>(request.miss));
    });
  }
  params.one_hit = request.first == nullptr && request.count == nullptr && !request.wants_values();
  DeviceArray<std::uint32_t> own;
  if (request.matched != nullptr && request.any == nullptr) {
    own = DeviceArray<std::uint32_t>(queue, lookups);
    params.any = own.data();
  }
  const Pipeline& pipeline = fits_registers(params) ? from_.point_pipeline : from_.pipeline;
  pipeline.launch(params, lookups, queue);
  if (request.matched == nullptr) return;
  DeviceRequest bitmap;
  bitmap.matched = request.matched;
  cuda::answer_rows(params.any, lookups, bitmap, queue);
}

DeviceArray<Run> RayAnswerer::sizes_of(LaunchParams params, std::uint32_t limit,
                                       const cuda::Queue& queue) const {
  const std::size_t lookups = params.lookups.count;
  const DeviceArray<std::uint32_t> counts(queue, lookups);
  params.task = Task::count;
  params.limit = limit;
  params.count = counts.data();
  from_.pipeline.launch(params, lookups, queue);
  DeviceArray<Run> sizes(queue, lookups);
  runs_of_counts(counts.data(), lookups, sizes.data(), queue);
  return sizes;
}

RayAnswerer::Collected RayAnswerer::collect(LaunchParams params, const DeviceArray<Run>& sizes,
                                            std::uint32_t limit, const cuda::Queue& queue) const {
  const std::size_t lookups = sizes.size();
  Collected collected;
  collected.offsets = DeviceArray<std::uint64_t>(queue, lookups + 1);
  cuda::offsets_of(cuda::RowSources::of({sizes.data()}), lookups, limit, collected.offsets.data(),
                   queue);
  cuda::copy_to_host(&collected.total, collected.offsets.data() + lookups, sizeof(collected.total),
                     queue);
  if (collected.total == 0 || collected.total > max_collected) return collected;
  collected.primitives = DeviceArray<std::uint32_t>(queue, collected.total);
  params.limit = limit;
  params.task = Task::collect;
  params.lookups.counters = nullptr;  // the same rays are cast again
  params.count = nullptr;
  params.offsets = collected.offsets.data();
  params.collected = collected.primitives.data();
  from_.pipeline.launch(params, params.lookups.count, queue);
  return collected;
}

FoundRows RayAnswerer::rows_of(Collected collected, std::size_t lookups,
                               const cuda::Queue& queue) const {
  FoundRows found;
  found.runs = DeviceArray<Run>(queue, lookups);
  runs_of_offsets(collected.offsets.data(), lookups, found.runs.data(), queue);
  if (from_.scene.rows != nullptr)
    name_rows(from_.scene.rows, collected.primitives.data(), collected.primitives.size(), queue);
  found.own = std::move(collected.primitives);
  found.rows = {found.own.data(), 1};
  return found;
}

FoundRows RayAnswerer::rows_in_order(const LaunchParams& rays, const cuda::Queue& queue) const {
  const std::size_t lookups = rays.lookups.count;
  Collected collected = collect(rays, sizes_of(rays, no_limit, queue), no_limit, queue);
  require_room(collected, lookups, "sorts keys");
  DeviceArray<std::uint64_t> keys(queue, collected.total);
  sort_hits(from_.scene, collected.offsets.data(), lookups, collected.primitives, keys, queue);
  FoundRows found = rows_of(std::move(collected), lookups, queue);
  found.own_keys = std::move(keys);
  found.keys.wide = found.own_keys.data();
  return found;
}

FoundRows RayAnswerer::filter_residuals(const LookupBatch& batch, std::size_t first,
                                        const Collected& collected, std::size_t lookups,
                                        bool in_order, const cuda::Queue& queue) const {
  const EncodedColumn& column = *from_.on_host;
  std::vector<std::uint64_t> offsets(lookups + 1);
  std::vector<std::uint32_t> rows(collected.primitives.size());
  cuda::copy_to_host(offsets.data(), collected.offsets.data(), collected.offsets.bytes(), queue);
  cuda::copy_to_host(rows.data(), collected.primitives.data(), collected.primitives.bytes(), queue);
  // Rows that match move to the front of their lookup's range.
  std::vector<Run> runs(lookups);
  std::vector<std::uint64_t> keys(in_order ? rows.size() : 0);
  parallel_for(lookups, chunk_lookups, [&](std::size_t begin, std::size_t count) {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups];
    batch.encode(first + begin, count, intervals, checks);
    std::vector<EdgeRow> accepted;
    for (std::size_t i = 0; i < count; ++i) {
      accepted.clear();
      for (std::uint64_t at = offsets[begin + i]; at < offsets[begin + i + 1]; ++at) {
        const EdgeRow hit{column.row(rows[at]), column.keys[rows[at]]};
        if (checks[i] == check_none ||
            batch.accepts(first + begin + i, intervals[i], checks[i], hit.row, hit.key))
          accepted.push_back(hit);
      }
      if (in_order)
        std::sort(accepted.begin(), accepted.end(), [&](const EdgeRow& a, const EdgeRow& b) {
          return is_nearer(batch, Edge::first, a, b);
        });
      std::uint64_t end = offsets[begin + i];
      for (const EdgeRow& hit : accepted) {
        if (in_order) keys[end] = hit.key;
        rows[end++] = hit.row;
      }
      runs[begin + i] = {static_cast<std::uint32_t>(offsets[begin + i]),
                         static_cast<std::uint32_t>(end)};
    }
  });
  FoundRows found;
  found.runs = DeviceArray<Run>(queue, lookups);
  cuda::copy_to_device(found.runs.data(), runs.data(), found.runs.bytes(), queue);
  found.own = DeviceArray<std::uint32_t>(queue, rows.size());
  cuda::copy_to_device(found.own.data(), rows.data(), found.own.bytes(), queue);
  found.rows = {found.own.data(), 1};
  if (!in_order) return found;
  found.own_keys = DeviceArray<std::uint64_t>(queue, keys.size());
  cuda::copy_to_device(found.own_keys.data(), keys.data(), found.own_keys.bytes(), queue);
  found.keys.wide = found.own_keys.data();
  return found;
}

}  // namespace rtindex::optix
