#include "execution/cuda/batch_runner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "execution/cuda/answer_transfer.hpp"
#include "storage/cuda/device_pointers.hpp"

namespace rtindex::cuda {

DeviceCounters::DeviceCounters(const Request& request, const std::shared_ptr<DeviceMemory>& memory)
    : wanted_(request.counters), caller_(static_cast<cudaStream_t>(request.stream.handle)) {
  if (wanted_ == nullptr) return;
  counters_ = DeviceArray<Counters>(memory, 1, stream_.emplace().get());
  copy_to_device(counters_.data(), wanted_, sizeof(Counters), stream_->get());
  stream_->wait();
}

DeviceCounters::~DeviceCounters() {
  if (wanted_ != nullptr) static_cast<void>(cudaStreamSynchronize(caller_));
}

void DeviceCounters::finish() const {
  if (wanted_ == nullptr) return;
  check(cudaStreamSynchronize(caller_), "counting");
  copy_to_host(wanted_, counters_.data(), sizeof(Counters), stream_->get());
}

BatchRunner::BatchRunner(const BatchTarget& target, const std::shared_ptr<DeviceMemory>& memory,
                         StreamUses& uses, const LookupBatch& batch, const Request& request)
    : target_(target),
      memory_(memory),
      uses_(uses),
      batch_(batch),
      request_(request),
      caller_(static_cast<cudaStream_t>(request.stream.handle)),
      encoder_(batch, target.span, target.in_order, memory),
      counters_(request, memory),
      times_(request.launch_ms) {}

void BatchRunner::run() {
  constexpr std::size_t most = 0xffffffffU;
  if (batch_.size() > most)
    fail(ErrorKind::unsupported,
         "expected at most 2^32 - 1 lookups in a batch on a GPU, got {}: split the batch",
         batch_.size());
  require_on_device(batch_, request_);
  if (batch_.lower().memory_space() == MemorySpace::device &&
      request_.outputs.memory_space == MemorySpace::device)
    run_on_device();
  else
    run_on_lanes();
  counters_.finish();
  times_.finish(caller_);
}

// Queues all work on the caller's stream and returns.
void BatchRunner::run_on_device() {
  const RecordUseOnExit record_use(uses_, caller_);
  const Values values = values_on_device(caller_);
  LookupBuffers buffers;
  PinnedBytes unused;  // lookups in device memory are not encoded by the host
  answer_to_device(encode(0, batch_.size(), buffers, unused, caller_), values.data, caller_);
}

// Returns when the answers are there.
void BatchRunner::run_on_lanes() {
  const WorkspaceLease lease;
  Workspace& workspace = *lease;
  Lane& lane = workspace.lanes[0];
  const cudaStream_t stream = lane.stream.get();
  wait_for_caller(workspace);
  const Values values = values_on_device(stream);
  const SyncLanesOnExit sync(workspace);
  if (request_.outputs.memory_space == MemorySpace::device) {
    // One piece as large as the batch: its answers need no room on the host.
    LookupBuffers buffers;
    answer_to_device(encode(0, batch_.size(), buffers, lane.in, stream), values.data, stream);
  } else {
    wait_for(workspace.lanes[1].stream.get(), stream);  // the values
    run_in_pieces(workspace, values.data);
  }
  for (const Lane& each : workspace.lanes) each.stream.wait();
}

void BatchRunner::run_in_pieces(Workspace& workspace, const void* values) {
  AnswerTransfer transfers[2];
  const std::size_t step = piece_size();
  for (std::size_t first = 0, number = 0; first < batch_.size(); first += step, ++number) {
    Lane& lane = workspace.lanes[number % 2];
    AnswerTransfer& transfer = transfers[number % 2];
    transfer.finish(lane.out, lane.stream);
    const cudaStream_t stream = lane.stream.get();
    const std::size_t count = std::min(step, batch_.size() - first);
    LookupBuffers buffers;
    const DeviceLookups lookups = encode(first, count, buffers, lane.in, stream);
    transfer = AnswerTransfer(request_, first, count, memory_, stream);
    FoundRows found = answer(first, lookups, transfer.buffers(), values, stream);
    if (request_.answers.has(Answer::rows)) {
      DeviceArray<std::uint64_t> offsets = offsets_of_rows(found.runs, stream);
      if (!found.too_many)
        transfer.add_rows(std::move(found), std::move(offsets));
      else
        find_in_parts(first, lookups, offsets.data(), stream,
                      [&](const Part& part, const FoundRows& rows) {
                        const auto here = offsets_of_rows(rows.runs, stream);
                        copy_rows(request_, first + part.first, part.count, rows, here.data(),
                                  memory_, stream);
                      });
    }
    transfer.start(lane.out, stream);
  }
  for (std::size_t i = 0; i < 2; ++i)
    transfers[i].finish(workspace.lanes[i].out, workspace.lanes[i].stream);
}

// The caller may have queued work that writes its lookups, values or buffers.
void BatchRunner::wait_for_caller(const Workspace& workspace) const {
  if (batch_.lower().memory_space() != MemorySpace::device &&
      request_.values_space != MemorySpace::device &&
      request_.outputs.memory_space != MemorySpace::device)
    return;
  for (const Lane& lane : workspace.lanes) wait_for(lane.stream.get(), caller_);
}

BatchRunner::Values BatchRunner::values_on_device(cudaStream_t stream) const {
  Values values;
  values.data = request_.values;
  if (request_.included || request_.values == nullptr ||
      request_.values_space == MemorySpace::device ||
      !request_.answers.has_any_of(Answer::sum | Answer::min | Answer::max))
    return values;
  const std::size_t bytes = target_.row_count * width_of(request_.value_type);
  values.copy = DeviceBytes(memory_, bytes, stream);
  copy_to_device(values.copy.data(), request_.values, bytes, stream);
  values.data = values.copy.data();
  return values;
}

// Values may be put into key order once for every piece of ranges, which pays for large ones.
std::size_t BatchRunner::piece_size() const {
  const bool may_gather = batch_.kind() == LookupKind::range && request_.values != nullptr;
  return may_gather ? large_piece_lookups : piece_lookups;
}

DeviceLookups BatchRunner::encode(std::size_t first, std::size_t count, LookupBuffers& buffers,
                                  PinnedBytes& pinned, cudaStream_t stream) {
  DeviceLookups lookups = encoder_.encode(first, count, buffers, pinned, stream);
  lookups.counters = counters_.get();
  lookups.times = &times_;
  return lookups;
}

FoundRows BatchRunner::answer(std::size_t first, const DeviceLookups& lookups, DeviceRequest wanted,
                              const void* values, cudaStream_t stream) {
  wanted.values = values;
  wanted.value_type = request_.value_type;
  wanted.miss = request_.miss;
  const Outputs& outputs = request_.outputs;
  const bool to_device = outputs.memory_space == MemorySpace::device;
  const bool wants_row_ids = to_device ? outputs.rows != nullptr : request_.chunk_rows != nullptr;
  return target_.answerer.answer(batch_, first, lookups, wanted,
                                 {.any = request_.answers.has(Answer::rows),
                                  .limit = request_.limit,
                                  .sizes_only = !wants_row_ids},
                                 stream);
}

void BatchRunner::answer_to_device(const DeviceLookups& lookups, const void* values,
                                   cudaStream_t stream) {
  const Outputs& out = request_.outputs;
  const FoundRows found = answer(0, lookups, device_request(out), values, stream);
  if (out.offsets == nullptr) return;
  offsets_of(found.runs.data(), lookups.count, request_.limit, out.offsets, memory_, stream);
  if (out.rows == nullptr) return;
  if (!found.too_many)
    return collect_rows(found.runs.data(), lookups.count, found.rows, out.offsets, 0,
                        out.rows_capacity, out.rows, stream);
  find_in_parts(0, lookups, out.offsets, stream, [&](const Part& part, const FoundRows& rows) {
    if (part.first_row < out.rows_capacity)
      collect_rows(rows.runs.data(), part.count, rows.rows, out.offsets + part.first,
                   part.first_row, out.rows_capacity - part.first_row, out.rows + part.first_row,
                   stream);
  });
}

template <class Take>
void BatchRunner::find_in_parts(std::size_t first, const DeviceLookups& lookups,
                                const std::uint64_t* offsets, cudaStream_t stream,
                                Take&& take) const {
  constexpr std::uint64_t part_rows = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> starts(lookups.count + 1);
  copy_to_host(starts.data(), offsets, starts.size() * sizeof(std::uint64_t), stream);
  const std::size_t interval_bytes = is_wide(target_.span) ? sizeof(KeyInterval<std::uint64_t>)
                                                           : sizeof(KeyInterval<std::uint32_t>);
  for (std::size_t begin = 0, end = 0; begin < lookups.count; begin = end) {
    for (end = begin + 1; end < lookups.count; ++end)
      if (starts[end + 1] - starts[begin] > part_rows) break;
    DeviceLookups part = lookups.part(begin, end - begin, interval_bytes);
    part.counters = nullptr;  // their work has been counted
    take(Part{begin, part.count, starts[begin]},
         target_.answerer.answer(batch_, first + begin, part, {},
                                 {.any = true, .limit = request_.limit}, stream));
  }
}

DeviceArray<std::uint64_t> BatchRunner::offsets_of_rows(const DeviceArray<Run>& runs,
                                                        cudaStream_t stream) const {
  DeviceArray<std::uint64_t> offsets(memory_, runs.size() + 1, stream);
  offsets_of(runs.data(), runs.size(), request_.limit, offsets.data(), memory_, stream);
  return offsets;
}

}  // namespace rtindex::cuda
