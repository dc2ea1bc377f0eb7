#include "storage/cuda/batch_runner.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/codec.hpp"
#include "storage/cuda/answer_buffers.hpp"
#include "storage/cuda/device_pointers.hpp"
#include "storage/cuda/order_lookups.hpp"

namespace rtindex::cuda {

namespace {

// Lookups that move at once when they come from the host: a multiple of the chunks that rows are
// collected in.
constexpr std::size_t piece_lookups = std::size_t{1} << 20;
// rowIDs that move at once on their way to the host.
constexpr std::size_t piece_rows = std::size_t{1} << 24;

void reserve(PinnedBytes& pinned, std::size_t bytes) {
  if (pinned.size() < bytes) pinned = PinnedBytes(std::max(bytes, 2 * pinned.size()));
}

const void* offset(const ColumnView& column, std::size_t first) {
  return static_cast<const std::byte*>(column.data()) + first * width_of(column.type());
}

}  // namespace

// Device memory that a piece of a batch needs until its kernels are done.
struct BatchRunner::Piece {
  DeviceBytes lower, upper, validity, intervals, places;
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
  if (batch.lower().place() == Place::device && request.outputs.place == Place::device)
    run_on_device(batch, request);
  else
    run_in_pieces(batch, request);
}

BatchRunner::Values BatchRunner::values_on_device(const Request& request,
                                                  cudaStream_t stream) const {
  Values values;
  values.data = request.values;
  if (request.included || request.values == nullptr || request.values_place == Place::device ||
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
  const FoundRows found = scene_.answerer.answer(
      batch, 0, lookups, wanted, {outputs.offsets != nullptr, request.limit}, stream);
  if (outputs.offsets == nullptr) return;
  offsets_of(found.runs.data(), count, request.limit, outputs.offsets, scene_.memory, stream);
  if (outputs.rows != nullptr)
    collect_rows(found.runs.data(), count, found.rows, outputs.offsets, 0, outputs.rows_capacity,
                 outputs.rows, stream);
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
  const bool to_device = request.outputs.place == Place::device;
  for (Workspace::Lane& lane : workspace.lanes) {
    scene_.built.hold_back(lane.stream.get());
    // What the caller has queued comes first: its lookups or buffers may be part of it.
    if (batch.lower().place() == Place::device || request.values_place == Place::device ||
        to_device) {
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
  InFlight flights[2];
  const auto land = [&](std::size_t lane_number) {
    InFlight& flight = flights[lane_number];
    if (!flight.any) return;
    Workspace::Lane& lane = workspace.lanes[lane_number];
    lane.stream.wait();
    deliver(flight, request.outputs, lane.out.data());
    if (wants_rows) deliver_rows(flight, request, scene_.memory, lane.stream.get());
    flight = InFlight{};
  };
  if (to_device && wants_rows && batch.size() == 0)
    check(cudaMemsetAsync(request.outputs.offsets, 0, sizeof(std::uint64_t), first_stream),
          "filling memory");
  // Answers that go to the device are written there by one piece as large as the batch.
  const std::size_t step = to_device ? std::max<std::size_t>(batch.size(), 1) : piece_lookups;
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
    flight.found =
        scene_.answerer.answer(batch, first, lookups, wanted, {wants_rows, request.limit}, stream);
    if (to_device) {
      if (wants_rows) {
        offsets_of(flight.found.runs.data(), flight.count, request.limit, request.outputs.offsets,
                   scene_.memory, stream);
        if (request.outputs.rows != nullptr)
          collect_rows(flight.found.runs.data(), flight.count, flight.found.rows,
                       request.outputs.offsets, 0, request.outputs.rows_capacity,
                       request.outputs.rows, stream);
      }
      lane.stream.wait();
      flight = InFlight{};
      continue;
    }
    if (wants_rows) {
      flight.offsets = DeviceArray<std::uint64_t>(scene_.memory, flight.count + 1, stream);
      offsets_of(flight.found.runs.data(), flight.count, request.limit, flight.offsets.data(),
                 scene_.memory, stream);
    }
    reserve(lane.out, answer_bytes(request.outputs, flight.count));
    start_delivery(flight, request.outputs, lane.out.data(), stream);
    flight.any = true;
  }
  land(0);
  land(1);
  for (Workspace::Lane& lane : workspace.lanes) lane.stream.wait();
}

DeviceLookups BatchRunner::lookups_on_device(const LookupBatch& batch, std::size_t first,
                                             std::size_t count, cudaStream_t stream, Piece& piece,
                                             PinnedBytes* pinned) const {
  const KeyCodec& codec = batch.codec();
  const ColumnView& lower = batch.lower();
  const ColumnView& upper = batch.upper();
  DeviceLookups lookups;
  lookups.count = count;
  const std::optional<std::uint64_t> base = codec.native_base();
  if (!base) {
    if (scene_.is_wide)
      encode_on_host<std::uint64_t>(batch, first, count, stream, piece, pinned);
    else
      encode_on_host<std::uint32_t>(batch, first, count, stream, piece, pinned);
  } else {
    const bool point = batch.kind() == LookupKind::point;
    const auto on_device = [&](const ColumnView& column, DeviceBytes& keys,
                               DeviceBytes& bits) -> DeviceElements {
      DeviceElements elements{offset(column, first), element_type(column.type()), column.validity(),
                              column.validity_offset() + first, count};
      if (column.place() == Place::device) return elements;
      const std::size_t bytes = count * width_of(column.type());
      keys = DeviceBytes(scene_.memory, bytes, stream);
      copy_to_device(keys.data(), elements.data, bytes, stream);
      elements.data = keys.data();
      if (elements.validity != nullptr) {
        const std::size_t first_byte = elements.validity_offset / 8;
        elements.validity_offset %= 8;
        const std::size_t size = (elements.validity_offset + count + 7) / 8;
        bits = DeviceBytes(scene_.memory, size, stream);
        copy_to_device(bits.data(), elements.validity + first_byte, size, stream);
        elements.validity = static_cast<const std::uint8_t*>(bits.data());
      }
      return elements;
    };
    DeviceBytes upper_validity;
    const DeviceElements low = on_device(lower, piece.lower, piece.validity);
    const DeviceElements high = point ? low : on_device(upper, piece.upper, upper_validity);
    const NativeMap map{element_type(codec.type()), *base, codec.span(), codec.empty()};
    const bool is_integer = low.type.kind == ElementType::Kind::unsigned_int ||
                            low.type.kind == ElementType::Kind::signed_int;
    if (point && lower.type() == codec.type() && is_integer && low.type.bytes >= 4 &&
        low.validity == nullptr && !codec.empty() && !scene_.in_order) {
      lookups.elements = low.data;
      lookups.element_bytes = low.type.bytes;
      lookups.flip = low.type.kind == ElementType::Kind::signed_int
                         ? std::uint64_t{1} << (8 * low.type.bytes - 1)
                         : 0;
      lookups.base = *base;
      lookups.span = codec.span();
      return lookups;
    }
    if (scene_.is_wide)
      encode_on_device<std::uint64_t>(low, high, map, stream, piece);
    else
      encode_on_device<std::uint32_t>(low, high, map, stream, piece);
  }
  lookups.intervals = piece.intervals.data();
  if (scene_.in_order && count > 1) {
    if (scene_.is_wide)
      put_in_order<std::uint64_t>(lookups, stream, piece);
    else
      put_in_order<std::uint32_t>(lookups, stream, piece);
  }
  return lookups;
}

template <class Key>
void BatchRunner::encode_on_host(const LookupBatch& batch, std::size_t first, std::size_t count,
                                 cudaStream_t stream, Piece& piece, PinnedBytes* pinned) const {
  const std::size_t bytes = count * sizeof(KeyInterval<Key>);
  PinnedBytes own;
  if (pinned == nullptr) pinned = &own;
  reserve(*pinned, bytes);
  auto* const out = reinterpret_cast<KeyInterval<Key>*>(pinned->data());
  parallel_for(count, chunk_lookups, [&](std::size_t begin, std::size_t size) {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups];
    batch.encode(first + begin, size, intervals, checks);
    for (std::size_t i = 0; i < size; ++i)
      out[begin + i] = intervals[i].empty()
                           ? KeyInterval<Key>{1, 0}
                           : KeyInterval<Key>{static_cast<Key>(intervals[i].lower),
                                              static_cast<Key>(intervals[i].upper)};
  });
  piece.intervals = DeviceBytes(scene_.memory, bytes, stream);
  check(cudaMemcpyAsync(piece.intervals.data(), pinned->data(), bytes, cudaMemcpyHostToDevice,
                        stream),
        "copying to the GPU");
  if (pinned == &own) check(cudaStreamSynchronize(stream), "copying to the GPU");
}

template <class Key>
void BatchRunner::encode_on_device(const DeviceElements& lower, const DeviceElements& upper,
                                   const NativeMap& map, cudaStream_t stream, Piece& piece) const {
  piece.intervals = DeviceBytes(scene_.memory, lower.size * sizeof(KeyInterval<Key>), stream);
  encode_lookups(lower, upper, map, static_cast<KeyInterval<Key>*>(piece.intervals.data()), stream);
}

template <class Key>
void BatchRunner::put_in_order(DeviceLookups& lookups, cudaStream_t stream, Piece& piece) const {
  auto ordered = order_lookups(static_cast<const KeyInterval<Key>*>(lookups.intervals),
                               lookups.count, scene_.span, scene_.memory, stream);
  piece.intervals = ordered.intervals.take_bytes();
  piece.places = ordered.places.take_bytes();
  lookups.intervals = piece.intervals.data();
  lookups.places = static_cast<const std::uint32_t*>(piece.places.data());
}

}  // namespace rtindex::cuda
