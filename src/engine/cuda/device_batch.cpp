#include "engine/cuda/device_batch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "answers/cuda/join_answers.hpp"
#include "base/call_control.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/answer_transfer.hpp"
#include "engine/cuda/box_searcher.hpp"
#include "engine/cuda/ordered_searcher.hpp"
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

bool any_has_too_many(const std::vector<FoundRows>& found) {
  return std::any_of(found.begin(), found.end(),
                     [](const FoundRows& rows) { return rows.too_many; });
}

std::vector<Segment> searched(std::span<const Segment> segments) {
  std::vector<Segment> result;
  for (const Segment& segment : segments)
    if (segment.keys() != 0) result.push_back(segment);
  if (result.empty()) result.push_back(segments.front());  // the index has no key
  return result;
}

std::vector<SegmentTarget> targets_of(const BatchSources& sources) {
  std::vector<SegmentTarget> targets;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Segment& segment = sources.segment(i);
    targets.push_back(
        {device_searcher(segment), sources.batch(i), bits_of(segment.deleted), segment.deleted});
  }
  return targets;
}

DeviceBatch::DeviceBatch(std::vector<SegmentTarget> targets, const Request& request)
    : targets_(std::move(targets)),
      memory_(targets_.front().searcher.gpu().memory),
      request_(request),
      caller_(static_cast<cudaStream_t>(request.stream.handle)),
      counters_(request, memory_),
      times_(request.ray_ms) {
  require_batch_size(batch().size());
  if (targets_.size() > Plan::max_segments)
    fail(ErrorKind::unsupported,
         "expected at most {} segments on a GPU, got {}: call merge() before looking up",
         Plan::max_segments, targets_.size());
  for (const SegmentTarget& target : targets_)
    encoders_.emplace_back(target.batch, target.searcher.encoding());
  make_plan();
}

void DeviceBatch::make_plan() {
  const bool to_device = request_.outputs.memory_space == MemorySpace::device;
  BatchWants wants = BatchWants::of(batch().kind(), request_);
  plan_.set_outputs(request_);
  plan_.on_gpu = true;
  plan_.on_callers_stream = to_device && batch().memory_space() == MemorySpace::device;
  plan_.copies_values = wants.values && !request_.included && request_.values != nullptr &&
                        request_.values_space == MemorySpace::host;
  plan_.counts_on_host = request_.join != nullptr && request_.join->total != nullptr;
  plan_.measures = request_.counters != nullptr || request_.ray_ms != nullptr;
  plan_.piece = to_device ? 0 : piece_size();
  plan_.segments = static_cast<std::uint8_t>(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    SegmentTraits traits = targets_[i].searcher.traits(request_.included_column);
    traits.has_deleted_rows = !targets_[i].deleted.empty();
    traits.reads_elements = encoders_[i].reads_elements();
    // Rays are counted before their hits are collected.
    const bool folds_rows = request_.counts_values || (traits.folds_hits && wants.last);
    plan_.folds_rows = plan_.folds_rows || folds_rows;
    plan_.casts_rays = plan_.casts_rays || traits.casts_rays;
    plan_.counts_on_host =
        plan_.counts_on_host ||
        (traits.folds_hits && (wants.rows || traits.compares_full_keys || folds_rows));
    traits_.push_back(traits);
  }
  const bool lists_rows = (wants.rows && !writes_rows()) || plan_.folds_rows;
  const bool has_runs = std::any_of(traits_.begin(), traits_.end(),
                                    [](const auto& one) { return one.intervals || one.points; });
  if (has_runs && lists_rows &&
      (request_.join == nullptr ||
       !(joins_one_row(*request_.join) || joins_intervals(*request_.join))))
    plan_.counts_on_host = true;
  if (request_.counts_values) wants.values = wants.sum_alone = wants.included = false;
  const bool is_pair =
      targets_.size() == 2 && shares_lookups(1) && can_pair(traits_[0], traits_[1], wants);
  // To join values, segments report which lookups matched.
  if (targets_.size() > 1 && wants.values) wants.sum_alone = false;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    wants.kind = targets_[i].batch.kind();
    plan_.steps[i] = {is_pair ? Method::pair : method_of(traits_[i], wants),
                      traits_[i].reads_elements, traits_[i].has_deleted_rows,
                      traits_[i].compares_full_keys};
  }
}

void require_batch_size(std::size_t lookups) {
  constexpr std::size_t max_lookups = 0xffffffffU;
  if (lookups > max_lookups)
    fail(ErrorKind::unsupported,
         "expected at most 2^32 - 1 lookups in a batch on a GPU, got {}: split the batch", lookups);
}

void DeviceBatch::run() {
  require_on_device(batch(), request_);
  check_stop();
  if (plan_.on_callers_stream)
    run_on_device();
  else
    run_on_lanes();
  counters_.finish();
  times_.finish(caller_);
}

// Queues all work on the caller's stream and returns.
void DeviceBatch::run_on_device() {
  const UnstoppableScope queued;
  const RecordUsesOnExit record_uses(targets_, caller_);
  const Queue queue(memory_, caller_);
  const Values values = values_on_device(queue);
  CopiesIn unused;  // lookups in device memory are not encoded by the host
  answer_to_device(encode(0, batch().size(), unused, queue), values.column, queue);
}

void DeviceBatch::set_bits(const BoxBitmaps& out) {
  require_on_device(batch(), request_);
  const RecordUsesOnExit record_uses(targets_, caller_);
  const Queue queue(memory_, caller_);
  const WorkspaceLease lease;
  CopiesIn& in = (*lease).lanes[0].in;
  WaitOnExit wait(queue);  // for the copies
  const Piece piece = encode(0, batch().size(), in, queue);
  for (std::size_t i = 0; i < targets_.size(); ++i)
    box_searcher(targets_[i].searcher)
        .set_bits({targets_[i].batch, 0, piece.lookups[i]}, out, queue);
  if (!in.in_use()) wait.release();
}

// Returns when the answers are complete.
void DeviceBatch::run_on_lanes() {
  const WorkspaceLease lease;
  Workspace& workspace = *lease;
  const bool to_device = request_.outputs.memory_space == MemorySpace::device;
  const std::size_t step = plan_.piece == 0 ? batch().size() : plan_.piece;
  const std::size_t pieces = step == 0 ? 0 : (batch().size() + step - 1) / step;
  // Every lane may allocate the values in key order: at most two lanes.
  const std::span<Lane> lanes =
      workspace.lanes_for(may_gather() ? std::min<std::size_t>(pieces, 2) : pieces);
  Lane& lane = lanes.front();
  const Queue queue(memory_, lane.stream.get());
  wait_for_caller(lanes);
  const Values values = values_on_device(queue);
  SyncLanesOnExit sync(lanes);
  if (to_device) {
    const UnstoppableScope queued;
    answer_to_device(encode(0, batch().size(), lane.in, queue), values.column, queue);
    lane.finish();
  } else {
    if (!values.copy.null())
      for (const Lane& other : lanes.subspan(1)) wait_for(other.stream.get(), queue);
    run_in_pieces(lanes, step, values.column);
  }
  sync.release();
}

// Waits for the GPU only where a lane's pinned buffers are filled again, and at the end.
void DeviceBatch::run_in_pieces(std::span<Lane> lanes, std::size_t step, const RowValues& values) {
  std::vector<AnswerTransfer> transfers(lanes.size());
  for (std::size_t first = 0, number = 0; first < batch().size(); first += step, ++number) {
    const std::size_t left = batch().size() - first;
    const ProgressStage stage(static_cast<double>(std::min(step, left)) /
                              static_cast<double>(left));
    check_stop();
    const UnstoppableScope piece_in_flight;
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
        find_in_parts(piece, offsets.data(), rows_wanted(request_.limit), queue,
                      [&](const Part& part, const RowSources& some) {
                        const auto here = offsets_of_rows(some, part.count, queue);
                        Array<std::uint64_t> starts(here.size());
                        copy_to_host(starts.data(), here.data(), here.bytes(), queue);
                        copy_rows(request_, first + part.first, some, here.data(), starts.span(),
                                  queue);
                      });
    }
    transfer.start(lane.out, queue);
  }
  const UnstoppableScope last_pieces;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].finish();
    transfers[i].finish({memory_, lanes[i].stream.get()});
  }
}

// The caller may have queued work that writes its lookups, values or buffers.
void DeviceBatch::wait_for_caller(std::span<const Lane> lanes) const {
  if (batch().memory_space() != MemorySpace::device &&
      request_.values_space != MemorySpace::device &&
      request_.outputs.memory_space != MemorySpace::device)
    return;
  for (const Lane& lane : lanes) wait_for(lane.stream.get(), caller_);
}

// Values may be put into key order once for every piece of ranges, which pays for large ones.
bool DeviceBatch::may_gather() const {
  return batch().kind() == QueryKind::range && request_.values != nullptr;
}

std::size_t DeviceBatch::piece_size() const {
  if (may_gather()) return large_piece_lookups;
  std::size_t bytes = AnswerTransfer::bytes_of(request_);
  if (batch().memory_space() == MemorySpace::device) return piece_of(bytes);
  bytes += bytes_of(batch().lower()) + batch().conditions().size() * sizeof(Interval);
  if (batch().kind() != QueryKind::equal && batch().kind() != QueryKind::contains)
    bytes += bytes_of(batch().upper());
  return piece_of(bytes);
}

DeviceBatch::Piece DeviceBatch::encode(std::size_t first, std::size_t count, CopiesIn& in,
                                       const Queue& queue) {
  Piece piece;
  piece.first = first;
  piece.count = count;
  piece.buffers.resize(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    // Segments with the same lookups have codecs of one kind.
    if (!shares_lookups(i))
      piece.elements.push_back(encoders_[i].elements(first, count, in, queue));
    DeviceLookups lookups =
        encoders_[i].encode(first, count, piece.elements.back(), piece.buffers[i], in, queue);
    lookups.deleted = targets_[i].deleted;
    lookups.counters = counters_.get();
    lookups.times = &times_;
    piece.lookups.push_back(lookups);
  }
  return piece;
}

FoundRows DeviceBatch::answer_one(std::size_t target, const Piece& piece,
                                  const DeviceRequest& wanted, cudaStream_t stream) const {
  const Outputs& outputs = request_.outputs;
  const bool to_device = outputs.memory_space == MemorySpace::device;
  const bool wants_row_ids = to_device ? outputs.rows != nullptr : request_.chunk_rows != nullptr;
  return targets_[target].searcher.answer_on_device(
      plan_.steps[target].method, {targets_[target].batch, piece.first, piece.lookups[target]},
      wanted,
      {.any = request_.answers.has(Answer::rows) && !writes_rows(),
       .limit = request_.limit,
       .sizes_only = !wants_row_ids,
       .in_order = request_.order != RowOrder::any},
      stream);
}

FoundRows DeviceBatch::find_rows(std::size_t target, std::size_t first,
                                 const DeviceLookups& lookups, const RowsWanted& wanted,
                                 cudaStream_t stream) const {
  // The pairs of one lookup may be written by several calls. Rays return hits in any order, and so
  // do threads that share a box.
  const bool is_split = request_.join != nullptr && request_.join->total != nullptr &&
                        lookups.count == 1 &&
                        (traits_[target].folds_hits || traits_[target].points);
  RowsWanted ordered = wanted;
  ordered.in_order = wanted.in_order || is_split;
  const Method method = method_of(traits_[target], {.kind = targets_[target].batch.kind(),
                                                    .rows = true,
                                                    .included = wanted.by_position,
                                                    .key_order = ordered.in_order});
  return targets_[target].searcher.answer_on_device(
      method, {targets_[target].batch, first, lookups}, {}, ordered, stream);
}

std::vector<FoundRows> DeviceBatch::answer(const Piece& piece, DeviceRequest wanted,
                                           const RowValues& values, const Queue& queue) const {
  const bool rows_are_wanted = request_.answers.has(Answer::rows) && !writes_rows();
  wanted.values = values.data;
  wanted.value_type = request_.value_type;
  wanted.included_column = request_.included_column;
  wanted.miss = request_.miss;
  if (plan_.folds_rows) {
    const DeviceRequest others = unfolded_request(wanted);
    const bool has_others = others.wants_rows() || others.matched != nullptr ||
                            others.wants_values() || rows_are_wanted;
    fold(piece, wanted, values, !has_others, queue);
    if (!has_others) return {};
    wanted = others;
  }
  // Unless fold() has written it: no value is null, and every match has one.
  std::uint8_t* const validity = std::exchange(wanted.validity, nullptr);
  if (wanted.matched == nullptr) wanted.matched = validity;
  std::vector<FoundRows> found;
  if (plan_.steps[0].method == Method::pair) {
    answer_pair(*targets_[0].searcher.ordered_arrays(), *targets_[1].searcher.ordered_arrays(),
                piece.lookups[0], piece.lookups[1], wanted, queue);
  } else if (targets_.size() == 1) {
    found.push_back(answer_one(0, piece, wanted, queue));
  } else {
    const AnswerJoin join(wanted, piece.count, queue);
    found.push_back(answer_one(0, piece, join.first(), queue));
    for (std::size_t i = 1; i < targets_.size(); ++i) {
      found.push_back(answer_one(i, piece, join.next(), queue));
      join.add(queue);
    }
  }
  if (validity != nullptr && validity != wanted.matched && piece.count != 0)
    check(cudaMemcpyAsync(validity, wanted.matched, (piece.count + 7) / 8, cudaMemcpyDeviceToDevice,
                          queue),
          "copying on the GPU");
  return found;
}

void DeviceBatch::answer_to_device(const Piece& piece, const RowValues& values,
                                   const Queue& queue) const {
  if (request_.join != nullptr) return join(piece, *request_.join, queue);
  const Outputs& out = request_.outputs;
  const std::vector<FoundRows> found = answer(piece, device_request(out), values, queue);
  if (out.offsets == nullptr) return;
  if (writes_rows())
    return box_searcher(targets_[0].searcher)
        .write_rows({targets_[0].batch, piece.first, piece.lookups[0]}, request_.limit, out.offsets,
                    out.rows, out.rows_capacity, queue);
  const RowSources rows = sources_of(found);
  offsets_of(rows, piece.count, request_.limit, out.offsets, queue);
  if (out.rows == nullptr) return;
  if (!any_has_too_many(found))
    return collect_rows(rows, piece.count, out.offsets, 0, out.rows_capacity, out.rows, queue);
  find_in_parts(piece, out.offsets, rows_wanted(request_.limit), queue,
                [&](const Part& part, const RowSources& some) {
                  if (part.first_row < out.rows_capacity)
                    collect_rows(some, part.count, out.offsets + part.first, part.first_row,
                                 out.rows_capacity - part.first_row, out.rows + part.first_row,
                                 queue);
                });
}

// Keys of several segments are compared by their ordered_bits().
RowSources DeviceBatch::sources_of(const std::vector<FoundRows>& found) const {
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

void DeviceBatch::find_in_parts(
    const Piece& piece, const std::uint64_t* offsets, const RowsWanted& wanted, cudaStream_t stream,
    const std::function<void(const Part& part, const RowSources& rows)>& callback) const {
  constexpr std::uint64_t part_rows = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> starts(piece.count + 1);
  copy_to_host(starts.data(), offsets, starts.size() * sizeof(std::uint64_t), stream);
  for (std::size_t begin = 0, end = 0; begin < piece.count; begin = end) {
    for (end = begin + 1; end < piece.count; ++end)
      if (starts[end + 1] - starts[begin] > part_rows) break;
    std::vector<FoundRows> found;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      DeviceLookups part = piece.lookups[i].part(begin, end - begin, encoders_[i].interval_bytes());
      part.counters = nullptr;  // their work has been counted
      found.push_back(find_rows(i, piece.first + begin, part, wanted, stream));
    }
    callback(Part{begin, end - begin, starts[begin]}, sources_of(found));
  }
}

DeviceArray<std::uint64_t> DeviceBatch::offsets_of_rows(const RowSources& rows, std::size_t count,
                                                        const Queue& queue) const {
  DeviceArray<std::uint64_t> offsets(queue, count + 1);
  offsets_of(rows, count, request_.limit, offsets.data(), queue);
  return offsets;
}

}  // namespace rtindex::cuda
