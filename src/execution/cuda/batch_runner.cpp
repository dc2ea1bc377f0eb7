#include "execution/cuda/batch_runner.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "execution/cuda/answer_buffers.hpp"
#include "execution/cuda/batch_piece.hpp"
#include "storage/cuda/device_pointers.hpp"

namespace rtindex::cuda {

namespace {

// rowIDs that move at once on their way to the host.
constexpr std::size_t piece_rows = std::size_t{1} << 24;

}  // namespace

// Some lookups of those that are answered at once, and where their rowIDs start among all.
struct BatchRunner::LookupPart {
  std::size_t first, count;
  std::uint64_t first_row;
};

// The value column on the device: borrowed, or copied for the call.
struct BatchRunner::Values {
  const void* data = nullptr;
  DeviceBytes copy;
};

void BatchRunner::run(const LookupBatch& batch, const Request& request) const {
  constexpr std::size_t most = 0xffffffffU;
  if (batch.size() > most)
    fail("a batch of {} lookups is too large for a GPU: split it into batches of at most 2^32 - 1",
         batch.size());
  require_on_device(batch, request);
  if (batch.lower().memory_space() == MemorySpace::device &&
      request.outputs.memory_space == MemorySpace::device)
    run_on_device(batch, request);
  else
    run_in_pieces(batch, request);
}

BatchRunner::Values BatchRunner::values_on_device(const Request& request,
                                                  cudaStream_t stream) const {
  Values values;
  values.data = request.values;
  if (request.included || request.values == nullptr ||
      request.values_space == MemorySpace::device ||
      !request.answers.has_any_of(Answer::sum | Answer::min | Answer::max))
    return values;
  const std::size_t bytes = scene_.row_count * width_of(request.value_type);
  values.copy = DeviceBytes(scene_.memory, bytes, stream);
  copy_to_device(values.copy.data(), request.values, bytes, stream);
  values.data = values.copy.data();
  return values;
}

void BatchRunner::run_on_device(const LookupBatch& batch, const Request& request) const {
  auto* const stream = static_cast<cudaStream_t>(request.stream.handle);
  const Outputs& outputs = request.outputs;
  scene_.built.hold_back(stream);
  const Values values = values_on_device(request, stream);
  DeviceRequest wanted = device_request(outputs);
  wanted.values = values.data;
  wanted.value_type = request.value_type;
  wanted.miss = request.miss;
  Piece piece;
  const std::size_t count = batch.size();
  const DeviceLookups lookups = lookups_on_device(batch, 0, count, stream, piece, nullptr);
  const FoundRows found = scene_.answerer.answer(batch, 0, lookups, wanted,
                                                 {.any = outputs.offsets != nullptr,
                                                  .limit = request.limit,
                                                  .sizes_only = outputs.rows == nullptr},
                                                 stream);
  if (outputs.offsets != nullptr) rows_to_device(batch, lookups, request, found, stream);
}

void BatchRunner::rows_to_device(const LookupBatch& batch, const DeviceLookups& lookups,
                                 const Request& request, const FoundRows& found,
                                 cudaStream_t stream) const {
  const Outputs& out = request.outputs;
  offsets_of(found.runs.data(), lookups.count, request.limit, out.offsets, scene_.memory, stream);
  if (out.rows == nullptr) return;
  if (!found.too_many)
    return collect_rows(found.runs.data(), lookups.count, found.rows, out.offsets, 0,
                        out.rows_capacity, out.rows, stream);
  find_in_parts(batch, 0, lookups, out.offsets, request.limit, stream,
                [&](const LookupPart& part, const FoundRows& rows) {
                  if (part.first_row < out.rows_capacity)
                    collect_rows(rows.runs.data(), part.count, rows.rows, out.offsets + part.first,
                                 part.first_row, out.rows_capacity - part.first_row,
                                 out.rows + part.first_row, stream);
                });
}

// Rows of lookups [first, first + lookups.count) of the batch, too many for one array, some lookups
// at a time.
template <class Take>
void BatchRunner::find_in_parts(const LookupBatch& batch, std::size_t first,
                                const DeviceLookups& lookups, const std::uint64_t* offsets,
                                std::uint32_t limit, cudaStream_t stream, Take&& take) const {
  constexpr std::uint64_t part_rows = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> starts(lookups.count + 1);
  copy_to_host(starts.data(), offsets, starts.size() * sizeof(std::uint64_t), stream);
  const std::size_t interval_bytes =
      scene_.is_wide ? sizeof(KeyInterval<std::uint64_t>) : sizeof(KeyInterval<std::uint32_t>);
  for (std::size_t begin = 0, end = 0; begin < lookups.count; begin = end) {
    for (end = begin + 1; end < lookups.count; ++end)
      if (starts[end + 1] - starts[begin] > part_rows) break;
    DeviceLookups part = lookups;
    part.count = end - begin;
    if (part.intervals != nullptr)
      part.intervals = static_cast<const std::byte*>(part.intervals) + begin * interval_bytes;
    if (part.elements != nullptr)
      part.elements = static_cast<const std::byte*>(part.elements) + begin * part.element_bytes;
    take(LookupPart{begin, part.count, starts[begin]},
         scene_.answerer.answer(batch, first + begin, part, {},
                                {.any = true, .limit = limit, .again = true}, stream));
  }
}

namespace {

// One piece of a batch on its way back to the host.
struct InFlight {
  std::size_t first = 0;
  std::size_t count = 0;
  bool any = false;
  AnswerBuffers buffers;
  FoundRows found;
  DeviceArray<std::uint64_t> offsets;
  bool rows_are_there = false;
};

// Answers of a piece from pinned memory to where the user wants them.
void deliver(const InFlight& flight, const Outputs& outputs, const std::byte* pinned) {
  for_each_part(outputs, flight.buffers.request, flight.count,
                [&](void* out, const void*, std::size_t width, std::size_t bytes) {
                  const std::size_t at = width == 0 ? flight.first / 8 : flight.first * width;
                  std::memcpy(static_cast<std::byte*>(out) + at, pinned, bytes);
                  pinned += bytes;
                });
}

void start_delivery(const InFlight& flight, const Outputs& outputs, std::byte* pinned,
                    cudaStream_t stream) {
  for_each_part(outputs, flight.buffers.request, flight.count,
                [&](void*, const void* buffer, std::size_t, std::size_t bytes) {
                  check(cudaMemcpyAsync(pinned, buffer, bytes, cudaMemcpyDeviceToHost, stream),
                        "copying from the GPU");
                  pinned += bytes;
                });
}

// The rowIDs of a piece, chunk by chunk as a Request has them.
void deliver_rows(const InFlight& flight, const Request& request,
                  const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  std::vector<std::uint64_t> offsets(flight.count + 1);
  copy_to_host(offsets.data(), flight.offsets.data(), offsets.size() * sizeof(std::uint64_t),
               stream);
  for (std::size_t i = 0; i < flight.count; ++i)
    request.row_counts[flight.first + i] = offsets[i + 1] - offsets[i];
  if (request.chunk_rows == nullptr) return;
  const std::uint64_t total = offsets.back();
  const DeviceArray<std::uint32_t> part(memory, std::min<std::uint64_t>(total, piece_rows), stream);
  std::vector<std::uint32_t> copied;
  std::size_t lookup = 0;
  for (std::uint64_t begin = 0; begin < total; begin += piece_rows) {
    const std::uint64_t size = std::min<std::uint64_t>(piece_rows, total - begin);
    collect_rows(flight.found.runs.data(), flight.count, flight.found.rows, flight.offsets.data(),
                 begin, size, part.data(), stream);
    copied.resize(size);
    copy_to_host(copied.data(), part.data(), size * sizeof(std::uint32_t), stream);
    for (std::uint64_t at = begin; at < begin + size;) {
      while (offsets[lookup + 1] <= at) ++lookup;
      const std::size_t chunk = (flight.first + lookup) / chunk_lookups;
      const std::size_t chunk_end =
          std::min((chunk + 1) * chunk_lookups - flight.first, flight.count);
      const std::uint64_t end = std::min(begin + size, offsets[chunk_end]);
      std::vector<std::uint32_t>& into = (*request.chunk_rows)[chunk];
      into.insert(into.end(), copied.begin() + static_cast<std::ptrdiff_t>(at - begin),
                  copied.begin() + static_cast<std::ptrdiff_t>(end - begin));
      at = end;
    }
  }
}

}  // namespace

void BatchRunner::run_in_pieces(const LookupBatch& batch, const Request& request) const {
  const WorkspaceLease lease(scene_.workspaces);
  Workspace& workspace = *lease;
  const cudaStream_t first_stream = workspace.lanes[0].stream.get();
  const bool to_device = request.outputs.memory_space == MemorySpace::device;
  for (Workspace::Lane& lane : workspace.lanes) {
    scene_.built.hold_back(lane.stream.get());
    // What the caller has queued comes first: its lookups or buffers may be part of it.
    if (batch.lower().memory_space() == MemorySpace::device ||
        request.values_space == MemorySpace::device || to_device) {
      const Event before;
      before.record(static_cast<cudaStream_t>(request.stream.handle));
      before.hold_back(lane.stream.get());
    }
  }
  const Values values = values_on_device(request, first_stream);
  const LanesAtRest at_rest(workspace);
  const Event values_there;
  values_there.record(first_stream);
  values_there.hold_back(workspace.lanes[1].stream.get());

  const bool wants_rows = request.answers.has(Answer::rows);
  const bool wants_row_ids =
      to_device ? request.outputs.rows != nullptr : request.chunk_rows != nullptr;
  InFlight flights[2];
  const auto land = [&](std::size_t lane_number) {
    InFlight& flight = flights[lane_number];
    if (!flight.any) return;
    Workspace::Lane& lane = workspace.lanes[lane_number];
    lane.stream.wait();
    deliver(flight, request.outputs, lane.out.data());
    if (wants_rows && !flight.rows_are_there)
      deliver_rows(flight, request, scene_.memory, lane.stream.get());
    flight = InFlight{};
  };
  if (to_device && wants_rows && batch.size() == 0)
    check(cudaMemsetAsync(request.outputs.offsets, 0, sizeof(std::uint64_t), first_stream),
          "filling memory");
  // Answers that go to the device are written there by one piece as large as the batch. Values may
  // be gathered once for every piece.
  const bool may_gather = batch.kind() == LookupKind::range && request.values != nullptr;
  const std::size_t step = to_device    ? std::max<std::size_t>(batch.size(), 1)
                           : may_gather ? large_piece_lookups
                                        : piece_lookups;
  for (std::size_t first = 0, number = 0; first < batch.size(); first += step, ++number) {
    const std::size_t lane_number = number % 2;
    land(lane_number);
    Workspace::Lane& lane = workspace.lanes[lane_number];
    const cudaStream_t stream = lane.stream.get();
    InFlight& flight = flights[lane_number];
    flight.first = first;
    flight.count = std::min(step, batch.size() - first);
    Piece piece;
    const DeviceLookups lookups =
        lookups_on_device(batch, first, flight.count, stream, piece, &lane.in);
    if (to_device) {
      flight.buffers.request = device_request(request.outputs);
    } else {
      flight.buffers = make_buffers(request.outputs, flight.count, scene_.memory, stream);
    }
    DeviceRequest wanted = flight.buffers.request;
    wanted.values = values.data;
    wanted.value_type = request.value_type;
    wanted.miss = request.miss;
    flight.found = scene_.answerer.answer(
        batch, first, lookups, wanted,
        {.any = wants_rows, .limit = request.limit, .sizes_only = !wants_row_ids}, stream);
    if (to_device) {
      if (wants_rows) rows_to_device(batch, lookups, request, flight.found, stream);
      lane.stream.wait();
      flight = InFlight{};
      continue;
    }
    if (wants_rows) {
      flight.offsets = DeviceArray<std::uint64_t>(scene_.memory, flight.count + 1, stream);
      offsets_of(flight.found.runs.data(), flight.count, request.limit, flight.offsets.data(),
                 scene_.memory, stream);
    }
    if (flight.found.too_many) {
      find_in_parts(batch, first, lookups, flight.offsets.data(), request.limit, stream,
                    [&](const LookupPart& part, FoundRows found) {
                      InFlight rows{.first = first + part.first, .count = part.count};
                      rows.offsets =
                          DeviceArray<std::uint64_t>(scene_.memory, part.count + 1, stream);
                      offsets_of(found.runs.data(), part.count, request.limit, rows.offsets.data(),
                                 scene_.memory, stream);
                      rows.found = std::move(found);
                      deliver_rows(rows, request, scene_.memory, stream);
                    });
      flight.rows_are_there = true;
    }
    reserve(lane.out, answer_bytes(request.outputs, flight.count));
    start_delivery(flight, request.outputs, lane.out.data(), stream);
    flight.any = true;
  }
  land(0);
  land(1);
  for (Workspace::Lane& lane : workspace.lanes) lane.stream.wait();
}

}  // namespace rtindex::cuda
