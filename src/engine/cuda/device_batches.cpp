#include "engine/cuda/device_batches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/segment_input.hpp"
#include "engine/host_batches.hpp"
#include "order/cuda/device_pointers.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

namespace {

// Rows that only the host can sort, written to buffers on the device.
void write_ordered_rows(std::span<const Segment> segments, const BatchQuery& query,
                        const Request& all) {
  const std::size_t lookups = query.size();
  const Outputs& outputs = all.outputs;
  require_on_device(outputs, lookups);
  std::vector<std::uint64_t> offsets(lookups + 1);
  std::vector<std::vector<std::uint32_t>> chunks(chunks_of(lookups));
  Request on_host = all;
  on_host.row_counts = offsets.data() + 1;
  on_host.chunk_rows = outputs.rows == nullptr ? nullptr : &chunks;
  rows_in_order(segments, query, on_host);
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  auto* const stream = static_cast<cudaStream_t>(all.stream.handle);
  copy_to_device(outputs.offsets, offsets.data(), offsets.size() * sizeof(std::uint64_t), stream);
  std::vector<std::uint32_t> rows;
  for (const std::vector<std::uint32_t>& chunk : chunks) {
    const std::size_t room = outputs.rows_capacity - rows.size();
    rows.insert(rows.end(), chunk.begin(),
                chunk.begin() + static_cast<std::ptrdiff_t>(std::min(room, chunk.size())));
  }
  if (!rows.empty())
    copy_to_device(outputs.rows, rows.data(), rows.size() * sizeof(std::uint32_t), stream);
}

// Whether lookups that are not native are encoded by the host.
[[nodiscard]] bool encodes_on_host(std::span<const Segment> segments) {
  const std::vector<Segment> all = searched(segments);
  return std::any_of(all.begin(), all.end(), [](const Segment& segment) {
    const KeyCodec& codec = *segment.codec;
    return !codec.native_base() && device_searcher(segment).encoding().full == nullptr &&
           !codec.packed_map();
  });
}

// A call that waits for the host would invalidate the capture without an error of its own.
void reject_capture(const Plan& plan, Stream caller) {
  if (plan.capturable() || caller.handle == nullptr) return;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(static_cast<cudaStream_t>(caller.handle), &status) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  if (status == cudaStreamCaptureStatusActive)
    fail(ErrorKind::unsupported,
         "this call cannot be captured into a graph, because it waits for the host: pass lookups, "
         "values and buffers in device memory. Its plan:\n{}",
         plan.describe());
}

}  // namespace

void DeviceBatchRunner::run(std::span<const Segment> segments, const BatchQuery& query,
                            const Request& request) const {
  const OnDevice current(gpu_.device);
  if (query.kind == QueryKind::nearest) return answer_nearest(segments, query, request);
  if (query.kind != QueryKind::prefix) return answer(segments, query, request);
  const HostColumn prefixes(query.lower, "prefixes", request.stream);
  answer(segments, PrefixRanges(prefixes.view()).query(), request);
}

void DeviceBatchRunner::answer(std::span<const Segment> segments, const BatchQuery& query,
                               const Request& request) {
  require_answerable(segments, query);
  Plan plan;
  // Only the host compares keys of several segments that are not native.
  plan.orders_on_host = segments.size() > 1 && request.order != RowOrder::any &&
                        request.answers.has(Answer::rows) && !segments.front().codec->native_base();
  const auto is_fetched = [&](const ColumnView& end) {
    return !is_native(end.type()) && end.memory_space() == MemorySpace::device &&
           (plan.orders_on_host || encodes_on_host(segments));
  };
  plan.fetches_lookups = is_fetched(query.lower) || is_fetched(query.upper);
  if (!plan.fetches_lookups) return answer_reachable(segments, query, request, plan);
  const HostColumn lower(query.lower, "lookups", request.stream);
  const HostColumn upper(query.kind == QueryKind::equal ? ColumnView() : query.upper, "lookups",
                         request.stream);
  BatchQuery on_host{lower.view(), query.kind == QueryKind::equal ? lower.view() : upper.view(),
                     query.kind, query.ends, query.nearest};
  answer_reachable(segments, on_host, request, plan);
}

void DeviceBatchRunner::answer_reachable(std::span<const Segment> segments, const BatchQuery& query,
                                         const Request& request, Plan plan) {
  Request rest = request;
  if (plan.orders_on_host) {
    if (request.row_counts != nullptr)
      rows_in_order(segments, query, request);
    else
      write_ordered_rows(segments, query, request);
    rest.drop_rows();
    if (!rest.wants_anything()) return;
  }
  DeviceBatch batch(targets_of(segments.size() == 1 ? std::vector(segments.begin(), segments.end())
                                                    : searched(segments),
                               query),
                    rest);
  Plan all = batch.plan();
  all.orders_on_host = plan.orders_on_host;
  all.fetches_lookups = plan.fetches_lookups;
  reject_capture(all, request.stream);
  if (request.plan != nullptr) *request.plan = all.describe();
  batch.run();
}

// Runs the query twice: once to size the buffer of rows, once to fill it.
RowBitmapPtr DeviceBatchRunner::matching_rows(std::span<const Segment> segments,
                                              const ColumnView& keys, std::size_t row_count,
                                              Stream caller) const {
  const OnDevice current(gpu_.device);
  if (!is_native(keys.type())) {
    const HostColumn here(keys, "keys", caller);
    return on_gpu(rtindex::matching_rows(segments, here.view(), row_count, *this), gpu_.memory);
  }
  PooledStream stream = build_stream(caller, {{keys, "keys"}});
  const Queue queue(gpu_.memory, stream.get());
  const WaitOnExit wait(queue);
  const OnGpuElements copied(keys, queue);
  const ColumnView lookups = copied.view();
  const DeviceArray<std::uint64_t> offsets(queue, keys.size() + 1);
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.offsets = offsets.data();
  const auto find = [&] {
    Request request = request_into({.stream = {stream.get()}}, {}, outputs);
    request.answers = Answer::rows;
    run(segments, BatchQuery::equal(lookups), request);
  };
  find();
  std::uint64_t count = 0;
  copy_to_host(&count, offsets.data() + keys.size(), sizeof(count), queue);
  if (count == 0) return nullptr;
  const DeviceArray<std::uint32_t> rows(queue, count);
  outputs.rows = rows.data();
  outputs.rows_capacity = count;
  find();
  RowBitmapWords bitmap(row_count, queue);
  set_rows(rows.data(), rows.size(), bitmap, queue);
  const std::size_t distinct = count_rows(bitmap, queue);
  return std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(bitmap), distinct,
                                           gpu_.memory);
}

}  // namespace rtindex::cuda
