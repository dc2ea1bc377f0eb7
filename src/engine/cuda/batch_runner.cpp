#include "engine/cuda/batch_runner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "answers/cuda/join_answers.hpp"
#include "answers/cuda/joins.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/answer_transfer.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

DeviceCounters::DeviceCounters(const Request& request, const std::shared_ptr<DeviceMemory>& memory)
    : wanted_(request.counters), caller_(static_cast<cudaStream_t>(request.stream.handle)) {
  if (wanted_ == nullptr) return;
  counters_ = DeviceArray<Counters>({memory, stream_.emplace().get()}, 1);
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

namespace {

[[nodiscard]] bool any_has_too_many(const std::vector<FoundRows>& found) {
  return std::any_of(found.begin(), found.end(),
                     [](const FoundRows& rows) { return rows.too_many; });
}

}  // namespace

BatchRunner::BatchRunner(std::vector<SegmentTarget> targets,
                         const std::shared_ptr<DeviceMemory>& memory, const Request& request)
    : targets_(std::move(targets)),
      memory_(memory),
      request_(request),
      caller_(static_cast<cudaStream_t>(request.stream.handle)),
      counters_(request, memory),
      times_(request.ray_ms) {
  for (const SegmentTarget& target : targets_)
    encoders_.emplace_back(target.batch, target.structure.span, target.structure.full);
}

void require_batch_size(std::size_t lookups) {
  constexpr std::size_t most = 0xffffffffU;
  if (lookups > most)
    fail(ErrorKind::unsupported,
         "expected at most 2^32 - 1 lookups in a batch on a GPU, got {}: split the batch", lookups);
}

void BatchRunner::run() {
  require_batch_size(batch().size());
  if (targets_.size() > RowSources::most)
    fail(ErrorKind::unsupported,
         "expected at most {} segments on a GPU, got {}: call merge() before looking up",
         std::size_t{RowSources::most}, targets_.size());
  require_on_device(batch(), request_);
  if (batch().memory_space() == MemorySpace::device &&
      request_.outputs.memory_space == MemorySpace::device)
    run_on_device();
  else
    run_on_lanes();
  counters_.finish();
  times_.finish(caller_);
}

// Queues all work on the caller's stream and returns.
void BatchRunner::run_on_device() {
  const RecordUsesOnExit record_uses(targets_, caller_);
  const Queue queue(memory_, caller_);
  const Values values = values_on_device(queue);
  CopiesIn unused;  // lookups in device memory are not encoded by the host
  answer_to_device(encode(0, batch().size(), unused, queue), values.data, queue);
}

// Returns when the answers are there.
void BatchRunner::run_on_lanes() {
  const WorkspaceLease lease;
  Workspace& workspace = *lease;
  // Where answers need no room on the host, one piece is as large as the batch.
  const bool to_device = request_.outputs.memory_space == MemorySpace::device;
  const std::size_t step = to_device ? batch().size() : piece_size();
  const std::size_t pieces = step == 0 ? 0 : (batch().size() + step - 1) / step;
  // Every lane may have the values in key order: no more of them than two.
  const std::span<Lane> lanes =
      workspace.lanes_for(may_gather() ? std::min<std::size_t>(pieces, 2) : pieces);
  Lane& lane = lanes.front();
  const Queue queue(memory_, lane.stream.get());
  wait_for_caller(lanes);
  const Values values = values_on_device(queue);
  SyncLanesOnExit sync(lanes);
  if (to_device) {
    answer_to_device(encode(0, batch().size(), lane.in, queue), values.data, queue);
    lane.finish();
  } else {
    if (!values.copy.null())
      for (const Lane& other : lanes.subspan(1)) wait_for(other.stream.get(), queue);
    run_in_pieces(lanes, step, values.data);
  }
  sync.release();
}

// Waits for the GPU only where a lane's pinned buffers are filled again, and at the end.
void BatchRunner::run_in_pieces(std::span<Lane> lanes, std::size_t step, const void* values) {
  std::vector<AnswerTransfer> transfers(lanes.size());
  for (std::size_t first = 0, number = 0; first < batch().size(); first += step, ++number) {
    Lane& lane = lanes[number % lanes.size()];
    AnswerTransfer& transfer = transfers[number % lanes.size()];
    const Queue queue(memory_, lane.stream.get());
    lane.reuse();
    transfer.finish(queue);
    const std::size_t count = std::min(step, batch().size() - first);
    const Piece piece = encode(first, count, lane.in, queue);
    transfer = AnswerTransfer(request_, first, count, queue);
    std::vector<FoundRows> found = answer(piece, transfer.buffers(), values, queue);
    if (request_.answers.has(Answer::rows)) {
      const RowSources rows = sources_of(found);
      DeviceArray<std::uint64_t> offsets = offsets_of_rows(rows, count, queue);
      if (!any_has_too_many(found))
        transfer.add_rows(std::move(found), rows, std::move(offsets));
      else
        find_in_parts(piece, offsets.data(), queue, [&](const Part& part, const RowSources& some) {
          const auto here = offsets_of_rows(some, part.count, queue);
          Array<std::uint64_t> starts(here.size());
          copy_to_host(starts.data(), here.data(), here.bytes(), queue);
          copy_rows(request_, first + part.first, some, here.data(), starts.span(), queue);
        });
    }
    transfer.start(lane.out, queue);
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].finish();
    transfers[i].finish({memory_, lanes[i].stream.get()});
  }
}

// The caller may have queued work that writes its lookups, values or buffers.
void BatchRunner::wait_for_caller(std::span<const Lane> lanes) const {
  if (batch().memory_space() != MemorySpace::device &&
      request_.values_space != MemorySpace::device &&
      request_.outputs.memory_space != MemorySpace::device)
    return;
  for (const Lane& lane : lanes) wait_for(lane.stream.get(), caller_);
}

BatchRunner::Values BatchRunner::values_on_device(const Queue& queue) const {
  Values values;
  values.data = request_.values;
  if (request_.included || request_.values == nullptr ||
      request_.values_space == MemorySpace::device ||
      !request_.answers.has_any_of(Answer::sum | Answer::min | Answer::max))
    return values;
  std::size_t rows = 0;
  for (const SegmentTarget& target : targets_) rows = std::max(rows, target.structure.row_count);
  const std::size_t bytes = rows * width_of(request_.value_type);
  values.copy = DeviceBytes(queue, bytes);
  copy_to_device(values.copy.data(), request_.values, bytes, queue);
  values.data = values.copy.data();
  return values;
}

// Values may be put into key order once for every piece of ranges, which pays for large ones.
bool BatchRunner::may_gather() const {
  return batch().kind() == QueryKind::range && request_.values != nullptr;
}

std::size_t BatchRunner::piece_size() const {
  if (may_gather()) return large_piece_lookups;
  std::size_t bytes = AnswerTransfer::bytes_of(request_);
  if (batch().memory_space() == MemorySpace::device) return piece_of(bytes);
  bytes += bytes_of(batch().lower());
  if (batch().kind() == QueryKind::range) bytes += bytes_of(batch().upper());
  return piece_of(bytes);
}

BatchRunner::Piece BatchRunner::encode(std::size_t first, std::size_t count, CopiesIn& in,
                                       const Queue& queue) {
  Piece piece;
  piece.first = first;
  piece.count = count;
  // Segments have codecs of one kind.
  piece.elements =
      elements_on_device(batch(), first, count, encoders_.front().reads_tuples(), in, queue);
  piece.buffers.resize(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    DeviceLookups lookups =
        encoders_[i].encode(first, count, piece.elements, piece.buffers[i], in, queue);
    lookups.deleted = targets_[i].deleted;
    lookups.counters = counters_.get();
    lookups.times = &times_;
    piece.lookups.push_back(lookups);
  }
  return piece;
}

FoundRows BatchRunner::answer_one(std::size_t target, const Piece& piece,
                                  const DeviceRequest& wanted, cudaStream_t stream) const {
  const Outputs& outputs = request_.outputs;
  const bool to_device = outputs.memory_space == MemorySpace::device;
  const bool wants_row_ids = to_device ? outputs.rows != nullptr : request_.chunk_rows != nullptr;
  return targets_[target].structure.answerer.answer(targets_[target].batch, piece.first,
                                                    piece.lookups[target], wanted,
                                                    {.any = request_.answers.has(Answer::rows),
                                                     .limit = request_.limit,
                                                     .sizes_only = !wants_row_ids,
                                                     .in_order = request_.order != RowOrder::any},
                                                    stream);
}

std::vector<FoundRows> BatchRunner::answer(const Piece& piece, DeviceRequest wanted,
                                           const void* values, const Queue& queue) const {
  wanted.values = values;
  wanted.value_type = request_.value_type;
  wanted.miss = request_.miss;
  std::vector<FoundRows> found;
  if (targets_.size() == 1) {
    found.push_back(answer_one(0, piece, wanted, queue));
  } else if (!answer_pair(piece, wanted, queue)) {
    const AnswerJoin join(wanted, piece.count, queue);
    found.push_back(answer_one(0, piece, join.first(), queue));
    for (std::size_t i = 1; i < targets_.size(); ++i) {
      found.push_back(answer_one(i, piece, join.next(), queue));
      join.add(queue);
    }
  }
  return found;
}

// Most lookups of an index with a few new rows: in one kernel for both segments.
bool BatchRunner::answer_pair(const Piece& piece, const DeviceRequest& wanted,
                              cudaStream_t stream) const {
  if (targets_.size() != 2 || request_.answers.has(Answer::rows) || request_.counters != nullptr)
    return false;
  const bool both_elements =
      piece.lookups[0].elements != nullptr && piece.lookups[1].elements != nullptr;
  return both_elements &&
         targets_[0].structure.answerer.answer_with(
             targets_[1].structure.answerer, piece.lookups[0], piece.lookups[1], wanted, stream);
}

void BatchRunner::answer_to_device(const Piece& piece, const void* values,
                                   const Queue& queue) const {
  if (request_.join != nullptr) return join(piece, *request_.join, queue);
  const Outputs& out = request_.outputs;
  const std::vector<FoundRows> found = answer(piece, device_request(out), values, queue);
  if (out.offsets == nullptr) return;
  const RowSources rows = sources_of(found);
  offsets_of(rows, piece.count, request_.limit, out.offsets, queue);
  if (out.rows == nullptr) return;
  if (!any_has_too_many(found))
    return collect_rows(rows, piece.count, out.offsets, 0, out.rows_capacity, out.rows, queue);
  find_in_parts(piece, out.offsets, queue, [&](const Part& part, const RowSources& some) {
    if (part.first_row < out.rows_capacity)
      collect_rows(some, part.count, out.offsets + part.first, part.first_row,
                   out.rows_capacity - part.first_row, out.rows + part.first_row, queue);
  });
}

// Where a lookup has one row at most, the rows are found once and compacted.
void BatchRunner::join(const Piece& piece, const JoinRequest& wanted, const Queue& queue) const {
  const Answerer& main = targets_.front().structure.answerer;
  if (targets_.size() == 1 && batch().kind() == QueryKind::equal && main.has_unique_keys()) {
    const DeviceArray<std::uint32_t> rows(queue, piece.count);
    DeviceRequest request;
    request.any = rows.data();
    static_cast<void>(main.answer(batch(), piece.first, piece.lookups.front(), request, {}, queue));
    return join_rows(rows.data(), piece.count, wanted, queue);
  }
  std::vector<FoundRows> found;
  for (std::size_t i = 0; i < targets_.size(); ++i)
    found.push_back(targets_[i].structure.answerer.answer(targets_[i].batch, piece.first,
                                                          piece.lookups[i], {},
                                                          {.any = true, .limit = no_limit}, queue));
  if (any_has_too_many(found))
    fail(ErrorKind::unsupported,
         "the join has too many pairs for one array: join fewer keys at once");
  join_sources(sources_of(found), piece.count, wanted, queue);
}

// Keys of several segments are compared by their ordered_bits().
RowSources BatchRunner::sources_of(const std::vector<FoundRows>& found) const {
  RowSources all;
  all.order = request_.order;
  for (const FoundRows& rows : found) {
    RowSource& source = all.sources[all.count];
    source = rows.source();
    if (found.size() > 1)
      source.keys.shift = targets_[all.count].batch.codec().native_base().value_or(0);
    ++all.count;
  }
  return all;
}

template <class Take>
void BatchRunner::find_in_parts(const Piece& piece, const std::uint64_t* offsets,
                                cudaStream_t stream, Take&& take) const {
  constexpr std::uint64_t part_rows = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> starts(piece.count + 1);
  copy_to_host(starts.data(), offsets, starts.size() * sizeof(std::uint64_t), stream);
  for (std::size_t begin = 0, end = 0; begin < piece.count; begin = end) {
    for (end = begin + 1; end < piece.count; ++end)
      if (starts[end + 1] - starts[begin] > part_rows) break;
    std::vector<FoundRows> found;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const BatchTarget& target = targets_[i].structure;
      const std::size_t interval_bytes = is_wide(target.span) ? sizeof(KeyInterval<std::uint64_t>)
                                                              : sizeof(KeyInterval<std::uint32_t>);
      DeviceLookups part = piece.lookups[i].part(begin, end - begin, interval_bytes);
      part.counters = nullptr;  // their work has been counted
      found.push_back(target.answerer.answer(
          targets_[i].batch, piece.first + begin, part, {},
          {.any = true, .limit = request_.limit, .in_order = request_.order != RowOrder::any},
          stream));
    }
    take(Part{begin, end - begin, starts[begin]}, sources_of(found));
  }
}

DeviceArray<std::uint64_t> BatchRunner::offsets_of_rows(const RowSources& rows, std::size_t count,
                                                        const Queue& queue) const {
  DeviceArray<std::uint64_t> offsets(queue, count + 1);
  offsets_of(rows, count, request_.limit, offsets.data(), queue);
  return offsets;
}

}  // namespace rtindex::cuda
