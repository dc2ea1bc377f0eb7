#include "tracers/optix/ray_answerer.hpp"

#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "tracers/optix/collect_kernels.hpp"

namespace rtindex::optix {

namespace {

using cuda::DeviceArray;
using cuda::DeviceRequest;
using cuda::FoundRows;
using cuda::Run;

// Positions of what is collected at once have 32 bits.
constexpr std::uint64_t most_collected = std::numeric_limits<std::uint32_t>::max();

bool wants_folding(const DeviceRequest& request) {
  return request.any != nullptr || request.first != nullptr || request.count != nullptr ||
         request.matched != nullptr || request.wants_values();
}

// Whether a lookup's hits fit the registers of its ray: PointHits.
bool fits_registers(const LaunchParams& params) {
  const int aggregates = (params.sum != nullptr ? 1 : 0) + (params.min != nullptr ? 1 : 0) +
                         (params.max != nullptr ? 1 : 0);
  return params.points && params.point == RayKind::perpendicular && aggregates <= 1 &&
         params.counters == nullptr;
}

}  // namespace

FoundRows RayAnswerer::answer(const LookupBatch& batch, std::size_t first,
                              const cuda::DeviceLookups& lookups, const DeviceRequest& request,
                              cuda::RowsWanted wanted, cudaStream_t stream) const {
  const std::size_t count = lookups.count;
  if (count == 0) return {};
  LaunchParams rays = params(batch, lookups);
  if (wanted.again) rays.counters = nullptr;
  if (parts_.on_host != nullptr) {
    const Collected collected =
        collect(rays, sizes_of(rays, count, no_limit, stream), no_limit, stream);
    if (collected.total > most_collected)
      fail(
          "{} lookups hit {} keys whose full values must be compared, and rx:optix collects at "
          "most 2^32 - 1 of them at once: split the batch",
          count, collected.total);
    FoundRows found = narrow(batch, first, collected, count, stream);
    cuda::answer_runs(found.runs.data(), count, found.rows, found.own.size(), false, request,
                      nullptr, cuda::Gather::off, parts_.memory, stream);
    return found;
  }
  if (wants_folding(request)) {
    fold(rays, count, request, stream);
    rays.counters = nullptr;  // the same rays once more, for the rows
  }
  if (!wanted.any) return {};
  FoundRows found;
  found.runs = sizes_of(rays, count, wanted.limit, stream);
  if (wanted.sizes_only) return found;
  Collected collected = collect(rays, found.runs, wanted.limit, stream);
  found.too_many = collected.total > most_collected;
  return found.too_many ? std::move(found) : rows_of(std::move(collected), count, stream);
}

LaunchParams RayAnswerer::params(const LookupBatch& batch,
                                 const cuda::DeviceLookups& lookups) const {
  LaunchParams params{};
  params.scene = parts_.scene;
  params.point = parts_.options.point;
  params.range = parts_.options.range;
  params.points = batch.kind() == LookupKind::point;
  params.intervals = lookups.intervals;
  params.elements = lookups.elements;
  params.element_bytes = lookups.element_bytes;
  params.flip = lookups.flip;
  params.base = lookups.base;
  params.span = lookups.span;
  params.counters = parts_.counters;
  return params;
}

void RayAnswerer::launch(const Pipeline& pipeline, const LaunchParams& params, std::size_t lookups,
                         cudaStream_t stream) const {
  pipeline.launch(params, lookups, parts_.times, parts_.memory, stream);
}

void RayAnswerer::fold(LaunchParams params, std::size_t lookups, const DeviceRequest& request,
                       cudaStream_t stream) const {
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
    own = DeviceArray<std::uint32_t>(parts_.memory, lookups, stream);
    params.any = own.data();
  }
  const Pipeline& pipeline = fits_registers(params) ? parts_.point_pipeline : parts_.pipeline;
  launch(pipeline, params, lookups, stream);
  if (request.matched == nullptr) return;
  DeviceRequest bitmap;
  bitmap.matched = request.matched;
  cuda::answer_rows(params.any, lookups, bitmap, stream);
}

DeviceArray<Run> RayAnswerer::sizes_of(LaunchParams params, std::size_t lookups,
                                       std::uint32_t limit, cudaStream_t stream) const {
  const DeviceArray<std::uint32_t> counts(parts_.memory, lookups, stream);
  params.task = Task::count;
  params.limit = limit;
  params.count = counts.data();
  launch(parts_.pipeline, params, lookups, stream);
  DeviceArray<Run> sizes(parts_.memory, lookups, stream);
  runs_of_counts(counts.data(), lookups, sizes.data(), stream);
  return sizes;
}

RayAnswerer::Collected RayAnswerer::collect(LaunchParams params, const DeviceArray<Run>& sizes,
                                            std::uint32_t limit, cudaStream_t stream) const {
  const auto& memory = parts_.memory;
  const std::size_t lookups = sizes.size();
  Collected collected;
  collected.offsets = DeviceArray<std::uint64_t>(memory, lookups + 1, stream);
  cuda::offsets_of(sizes.data(), lookups, limit, collected.offsets.data(), memory, stream);
  cuda::copy_to_host(&collected.total, collected.offsets.data() + lookups, sizeof(collected.total),
                     stream);
  if (collected.total == 0 || collected.total > most_collected) return collected;
  collected.primitives = DeviceArray<std::uint32_t>(memory, collected.total, stream);
  params.limit = limit;
  params.task = Task::collect;
  params.counters = nullptr;  // the same rays once more
  params.count = nullptr;
  params.offsets = collected.offsets.data();
  params.collected = collected.primitives.data();
  launch(parts_.pipeline, params, lookups, stream);
  return collected;
}

FoundRows RayAnswerer::rows_of(Collected collected, std::size_t lookups,
                               cudaStream_t stream) const {
  FoundRows found;
  found.runs = DeviceArray<Run>(parts_.memory, lookups, stream);
  runs_of_offsets(collected.offsets.data(), lookups, found.runs.data(), stream);
  if (parts_.scene.rows != nullptr)
    name_rows(parts_.scene.rows, collected.primitives.data(), collected.primitives.size(), stream);
  found.own = std::move(collected.primitives);
  found.rows = {found.own.data(), 1};
  return found;
}

FoundRows RayAnswerer::narrow(const LookupBatch& batch, std::size_t first,
                              const Collected& collected, std::size_t lookups,
                              cudaStream_t stream) const {
  const EncodedColumn& column = *parts_.on_host;
  std::vector<std::uint64_t> offsets(lookups + 1);
  std::vector<std::uint32_t> rows(collected.primitives.size());
  cuda::copy_to_host(offsets.data(), collected.offsets.data(), collected.offsets.bytes(), stream);
  cuda::copy_to_host(rows.data(), collected.primitives.data(), collected.primitives.bytes(),
                     stream);
  // Rows that match stay at the front of their lookup's share.
  std::vector<Run> runs(lookups);
  parallel_for(lookups, chunk_lookups, [&](std::size_t begin, std::size_t count) {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups];
    batch.encode(first + begin, count, intervals, checks);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t end = offsets[begin + i];
      for (std::uint64_t at = end; at < offsets[begin + i + 1]; ++at) {
        const std::uint32_t primitive = rows[at];
        const std::uint32_t row = column.row(primitive);
        if (checks[i] == check_none ||
            batch.accepts(first + begin + i, intervals[i], checks[i], row, column.keys[primitive]))
          rows[end++] = row;
      }
      runs[begin + i] = {static_cast<std::uint32_t>(offsets[begin + i]),
                         static_cast<std::uint32_t>(end)};
    }
  });
  FoundRows found;
  found.runs = DeviceArray<Run>(parts_.memory, lookups, stream);
  cuda::copy_to_device(found.runs.data(), runs.data(), found.runs.bytes(), stream);
  found.own = DeviceArray<std::uint32_t>(parts_.memory, rows.size(), stream);
  cuda::copy_to_device(found.own.data(), rows.data(), found.own.bytes(), stream);
  found.rows = {found.own.data(), 1};
  return found;
}

}  // namespace rtindex::optix
