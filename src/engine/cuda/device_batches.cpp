
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "engine/batch_runner.hpp"
#include "engine/cuda/box_searcher.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/segment_input.hpp"
#include "order/cuda/device_pointers.hpp"
#include "rows/bitmap_bits.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

namespace {

// Whether all answers to queries of intervals follow from ranks in every segment.
[[nodiscard]] bool answered_by_ranks(std::span<const Segment> segments, const BatchQuery& query,
                                     const Request& request) {
  const BatchWants wants = BatchWants::of(query.kind, request);
  return std::all_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return ranks_are_enough(device_searcher(segment).traits(request.included_column), wants);
  });
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

}  // namespace

void reject_capture(const Plan& plan, Stream caller) {
  if (plan.capturable() || caller.handle == nullptr) return;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(static_cast<cudaStream_t>(caller.handle), &status) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  if (status == cudaStreamCaptureStatusActive)
    fail(ErrorKind::unsupported,
         "this call cannot be captured into a graph, because it waits for {}. Its plan:\n{}",
         plan.casts_rays ? "rays of other calls: use rx:native@cuda"
                         : "the host: pass lookups, values and buffers in device memory",
         plan.describe());
}

bool casts_rays(std::span<const Segment> segments) {
  return device_searcher(segments.front()).traits(0).casts_rays;
}

void write_ordered_rows(std::size_t lookups, const Request& all,
                        const std::function<void(const Request& on_host)>& find_rows) {
  const Outputs& outputs = all.outputs;
  require_on_device(outputs, lookups);
  std::vector<std::uint64_t> offsets(lookups + 1);
  std::vector<std::vector<std::uint32_t>> chunks(chunks_of(lookups));
  Request on_host = all;
  on_host.answers = Answer::rows;
  on_host.outputs = {};
  on_host.counts_values = false;
  on_host.row_counts = offsets.data() + 1;
  on_host.chunk_rows = outputs.rows == nullptr ? nullptr : &chunks;
  find_rows(on_host);
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

void DeviceBatchRunner::run(std::span<const Segment> segments, const BatchQuery& query,
                            const Request& request) const {
  const OnDevice current(gpu_.device);
  if (request.wants_bitmaps()) {
    write_bitmaps(segments, query, request);
    Request others = request;
    others.drop_bitmaps();
    if (others.wants_anything()) run(segments, query, others);
    return;
  }
  if (query.kind == QueryKind::nearest) return answer_nearest(segments, query, request);
  if (query.kind != QueryKind::prefix) return answer(segments, query, request);
  const HostColumn prefixes(query.lower, "prefixes", request.stream);
  answer(segments, PrefixRanges(prefixes.view()).query(), request);
}

void DeviceBatchRunner::answer(std::span<const Segment> segments, const BatchQuery& query,
                               const Request& request) {
  require_answerable({segments, query});
  if (query.kind == QueryKind::box) return answer_boxes(segments, query, request);
  Plan plan;
  plan.set_outputs(request);
  // Only the host compares keys of several segments that are not native.
  plan.orders_on_host = segments.size() > 1 && request.order != RowOrder::any &&
                        request.answers.has(Answer::rows) && !segments.front().codec->native_base();
  const bool encodes_queries = searches_intervals(query.kind) &&
                               encodes_intervals_on_host(query.batch(*segments.front().codec));
  // Lookups on a column of 128 bits may be native.
  const bool has_128_bits = is_128_bit(segments.front().codec->type());
  const auto is_fetched = [&](const ColumnView& end) {
    if (encodes_queries) return is_on_device(end);
    return is_on_device(end) && (has_128_bits || !is_native(end.type())) &&
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
  // Values of intervals and points are folded row by row, unless rays fold them or prefix sums have
  // them.
  rest.counts_values =
      counts_values(segments, request) ||
      ((searches_intervals(query.kind) || searches_points(query.kind)) && request.wants_values() &&
       !device_searcher(segments.front()).traits(request.included_column).folds_hits &&
       !answered_by_ranks(segments, query, request));
  if (plan.orders_on_host) {
    if (request.row_counts != nullptr)
      rows_in_order(segments, query, request);
    else
      write_ordered_rows(query.size(), request,
                         [&](const Request& on_host) { rows_in_order(segments, query, on_host); });
    rest.drop_rows();
    if (!rest.wants_anything()) return;
  }
  const std::vector<Segment> all =
      segments.size() == 1 ? std::vector(segments.begin(), segments.end()) : searched(segments);
  answer_from({all, query}, rest, plan);
}

void answer_from(const BatchSources& sources, const Request& request, const Plan& steps) {
  DeviceBatch batch(targets_of(sources), request);
  Plan all = batch.plan();
  all.orders_on_host = steps.orders_on_host;
  all.fetches_lookups = steps.fetches_lookups;
  all.answers = all.answers | steps.answers;
  reject_capture(all, request.stream);
  if (request.plan != nullptr) *request.plan = all.describe();
  batch.run();
}

namespace {

// The rows of a query, in device memory.
struct RowsOnDevice {
  DeviceArray<std::uint64_t> offsets;
  DeviceArray<std::uint32_t> rows;
};

// Runs the query twice: once to size the buffer of rows, once to fill it.
[[nodiscard]] RowsOnDevice find_all_rows(const DeviceBatchRunner& runner,
                                         std::span<const Segment> segments, const BatchQuery& query,
                                         const Queue& queue) {
  RowsOnDevice found;
  found.offsets = DeviceArray<std::uint64_t>(queue, query.size() + 1);
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.offsets = found.offsets.data();
  const auto find = [&] {
    Request request = request_into({.stream = {queue.stream()}}, {}, outputs);
    request.answers = Answer::rows;
    runner.run(segments, query, request);
  };
  find();
  std::uint64_t count = 0;
  copy_to_host(&count, found.offsets.data() + query.size(), sizeof(count), queue);
  if (count == 0) return found;
  found.rows = DeviceArray<std::uint32_t>(queue, count);
  outputs.rows = found.rows.data();
  outputs.rows_capacity = count;
  find();
  return found;
}

// Sets the rows of lookups in host memory.
void set_bitmaps(const Answers& found, const Request& request) {
  const Outputs& out = request.outputs;
  parallel_for(found.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      for (const std::uint32_t row : found.rows(i)) {
        if (row >= out.bitmap_rows) continue;
        if (out.bitmap != nullptr) set_row(out.bitmap, row);
        if (out.bitmaps != nullptr) set_row(request.bitmap_of(i), row);
      }
  });
}

}  // namespace

void copy_bitmaps(const RowBitmapWords& bitmaps, std::size_t count, std::size_t stride,
                  const Outputs& out, std::uint8_t* to, cudaStream_t stream) {
  const std::size_t bytes = bitmap_bytes(out.bitmap_rows);
  if (bytes == 0 || count == 0) return;
  const bool to_device = out.memory_space == MemorySpace::device;
  check(cudaMemcpy2DAsync(to, bytes, bitmaps.words.data(), stride * sizeof(std::uint32_t), bytes,
                          count, to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost,
                          stream),
        "copying bitmaps");
  if (!to_device) check(cudaStreamSynchronize(stream), "copying bitmaps");
}

void DeviceBatchRunner::write_bitmaps(std::span<const Segment> segments, const BatchQuery& query,
                                      const Request& request) const {
  Plan plan;
  plan.set_outputs(request);
  plan.on_gpu = true;
  plan.counts_on_host = true;
  reject_capture(plan, request.stream);
  if (request.plan != nullptr) *request.plan = plan.describe();
  if (query.kind == QueryKind::box && is_box_searcher(device_searcher(segments.front())))
    return write_box_bitmaps(segments, query, request);
  const bool on_host = query.kind == QueryKind::box
                           ? request.outputs.memory_space == MemorySpace::host
                           : query.lower.memory_space() == MemorySpace::host &&
                                 query.upper.memory_space() == MemorySpace::host;
  if (on_host) {
    AnswersAccess access({.answers = Answer::rows, .stream = request.stream}, query.size());
    run(segments, query, access.request());
    return set_bitmaps(access.finish(), request);
  }
  const Outputs& out = request.outputs;
  const Queue queue(gpu_.memory, static_cast<cudaStream_t>(request.stream.handle));
  const WaitOnExit wait(queue);
  const RowsOnDevice found = find_all_rows(*this, segments, query, queue);
  const std::size_t stride = RowBits::words_of(out.bitmap_rows);
  if (out.bitmap != nullptr) {
    const RowBitmapWords bitmap(out.bitmap_rows, queue);
    set_rows(found.rows.data(), found.rows.size(), bitmap, queue);
    copy_bitmaps(bitmap, 1, stride, out, out.bitmap, queue);
  }
  if (out.bitmaps != nullptr) {
    const RowBitmapWords bitmaps(query.size() * stride * RowBits::word_bits, queue);
    set_rows_of_lookups(found.rows.data(), found.rows.size(), found.offsets.data(), query.size(),
                        out.bitmap_rows, bitmaps, queue);
    copy_bitmaps(bitmaps, query.size(), stride, out, out.bitmaps, queue);
  }
}

RowBitmapPtr DeviceBatchRunner::restricted(const RowBitmapPtr& deleted, const BitmapView& filter,
                                           Stream caller) const {
  const OnDevice current(gpu_.device);
  if (filter.memory_space == MemorySpace::host) {
    Array<std::uint32_t> words(RowBits::words_of(filter.rows));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = missing_rows(filter, i);
    return union_of(deleted, upload_bitmap(words.span(), filter.rows, gpu_.memory));
  }
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(caller.handle)), "reading a filter");
  return union_of(deleted, missing_rows(filter, gpu_.memory));
}

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
  const RowsOnDevice found = find_all_rows(*this, segments, BatchQuery::equal(lookups), queue);
  if (found.rows.size() == 0) return nullptr;
  RowBitmapWords bitmap(row_count, queue);
  set_rows(found.rows.data(), found.rows.size(), bitmap, queue);
  const std::size_t distinct = count_rows(bitmap, queue);
  return std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(bitmap), distinct,
                                           gpu_.memory);
}

}  // namespace rtindex::cuda
