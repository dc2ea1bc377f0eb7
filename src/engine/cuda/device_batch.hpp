#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "answers/cuda/fold_rows.hpp"
#include "answers/request.hpp"
#include "base/cuda/device_array.hpp"
#include "base/cuda/stopwatch.hpp"
#include "base/cuda/stream_uses.hpp"
#include "engine/batch_runner.hpp"
#include "engine/cuda/box_kernels.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "engine/cuda/workspace.hpp"
#include "engine/plan.hpp"
#include "keys/lookup_batch.hpp"
#include "rows/cuda/device_row_bitmap.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex::cuda {

// A segment that a batch runs against.
struct SegmentTarget {
  const DeviceSearcher& searcher;
  LookupBatch batch;  // by the segment's codec
  RowBits deleted;
  RowBitmapPtr bitmap;  // that holds `deleted`; null: the caller keeps them
};

// The targets of a query.
[[nodiscard]] std::vector<SegmentTarget> targets_of(const BatchSources& sources);
// Whether a segment has more rows than one array can hold.
[[nodiscard]] bool any_has_too_many(const std::vector<FoundRows>& found);
// The segments that have keys, or the first one.
[[nodiscard]] std::vector<Segment> searched(std::span<const Segment> segments);

// Records the uses of all segments at the end of a call, also of one that fails.
class RecordUsesOnExit {
 public:
  RecordUsesOnExit(const std::vector<SegmentTarget>& targets, cudaStream_t stream)
      : targets_(targets), stream_(stream) {}
  ~RecordUsesOnExit() {
    for (const SegmentTarget& target : targets_) {
      target.searcher.uses().record(stream_);
      record_use(target.bitmap, stream_);
    }
  }
  RecordUsesOnExit(const RecordUsesOnExit&) = delete;
  RecordUsesOnExit& operator=(const RecordUsesOnExit&) = delete;

 private:
  const std::vector<SegmentTarget>& targets_;
  cudaStream_t stream_;
};

// The counters of one call in device memory; none unless the call requests them.
class DeviceCounters {
 public:
  DeviceCounters(const Request& request, const std::shared_ptr<DeviceMemory>& memory);
  // Waits for kernels of a failed call, which may still count.
  ~DeviceCounters();
  DeviceCounters(const DeviceCounters&) = delete;
  DeviceCounters& operator=(const DeviceCounters&) = delete;
  [[nodiscard]] Counters* get() const { return counters_.data(); }
  // Waits for the work on the caller's stream and copies the counters to the caller.
  void finish() const;

 private:
  Counters* wanted_;
  cudaStream_t caller_;
  // The array is released on this stream, which therefore outlives it.
  std::optional<OwnStream> stream_;
  DeviceArray<Counters> counters_;
};

// Throws where a batch has more lookups than 32-bit thread numbers.
void require_batch_size(std::size_t lookups);

// Answers one batch from all segments, with lookups and answers in host or device memory. Segments
// have the same lookups, or each as many of their own: their answers are joined. Device
// data stays on the device; host data moves in bounded pieces, several at a time. Lookups that
// return too many rows for one array are answered again, some at a time.
class DeviceBatch {
 public:
  // Segments in the order of their age, the oldest first; at least one.
  DeviceBatch(std::vector<SegmentTarget> targets, const Request& request);
  // The plan of run().
  [[nodiscard]] const Plan& plan() const { return plan_; }
  void run();
  // Sets the rows of box queries in bitmaps, on the caller's stream.
  void set_bits(const BoxBitmaps& out);

 private:
  // The value column on the device: borrowed, or copied for the call.
  struct Values {
    RowValues column;
    DeviceBytes copy, validity_copy;
  };
  // Lookups of the batch as every segment reads them, until their kernels are queued.
  struct Piece {
    std::size_t first = 0;
    std::size_t count = 0;
    std::vector<LookupElements> elements;  // of targets with the same lookups, once
    std::vector<LookupBuffers> buffers;
    std::vector<DeviceLookups> lookups;
  };
  // Some lookups of those that are answered at once, and the offset of their first rowID.
  struct Part {
    std::size_t first, count;
    std::uint64_t first_row;
  };

  void make_plan();
  void run_on_device();
  void run_on_lanes();
  void run_in_pieces(std::span<Lane> lanes, std::size_t step, const RowValues& values);
  void wait_for_caller(std::span<const Lane> lanes) const;
  [[nodiscard]] Values values_on_device(const Queue& queue) const;
  [[nodiscard]] bool may_gather() const;
  [[nodiscard]] std::size_t piece_size() const;
  [[nodiscard]] Piece encode(std::size_t first, std::size_t count, CopiesIn& in,
                             const Queue& queue);
  // The rows that every segment found, if they are requested.
  [[nodiscard]] std::vector<FoundRows> answer(const Piece& piece, DeviceRequest wanted,
                                              const RowValues& values, const Queue& queue) const;
  // Folds all rows of each lookup, for the answers that searchers do not compute. `counts_work`:
  // the work of the search has not been counted.
  void fold(const Piece& piece, const DeviceRequest& wanted, const RowValues& values,
            bool counts_work, const Queue& queue) const;
  // Without the answers of fold().
  [[nodiscard]] DeviceRequest unfolded_request(const DeviceRequest& wanted) const;
  [[nodiscard]] FoundRows answer_one(std::size_t target, const Piece& piece,
                                     const DeviceRequest& wanted, cudaStream_t stream) const;
  // Computes only the rows of a piece, or of a part of it.
  [[nodiscard]] FoundRows find_rows(std::size_t target, std::size_t first,
                                    const DeviceLookups& lookups, const RowsWanted& wanted,
                                    cudaStream_t stream) const;
  // Whether rows are written to the caller's buffer as they are found.
  [[nodiscard]] bool writes_rows() const {
    return targets_.size() == 1 && traits_[0].points && !traits_[0].folds_hits &&
           request_.join == nullptr && request_.outputs.memory_space == MemorySpace::device;
  }
  void answer_to_device(const Piece& piece, const RowValues& values, const Queue& queue) const;
  void join(const Piece& piece, const JoinRequest& request, const Queue& queue) const;
  // Whether pairs of intervals are joined without an array of their rows.
  [[nodiscard]] bool joins_intervals(const JoinRequest& request) const;
  // Whether a target has the lookups of the one before it.
  [[nodiscard]] bool shares_lookups(std::size_t target) const {
    return target != 0 && &targets_[target].batch.lower() == &targets_[target - 1].batch.lower();
  }
  // Whether a lookup has one row at most, or needs no other.
  [[nodiscard]] bool joins_one_row(const JoinRequest& request) const;
  [[nodiscard]] RowSources sources_of(const std::vector<FoundRows>& found) const;
  // Calls callback(part, rows) for consecutive parts of the lookups whose rows fit one array each.
  void find_in_parts(
      const Piece& piece, const std::uint64_t* offsets, const RowsWanted& wanted,
      cudaStream_t stream,
      const std::function<void(const Part& part, const RowSources& rows)>& callback) const;
  [[nodiscard]] DeviceArray<std::uint64_t> offsets_of_rows(const RowSources& rows,
                                                           std::size_t count,
                                                           const Queue& queue) const;
  // The rows that the request returns.
  [[nodiscard]] RowsWanted rows_wanted(std::uint32_t limit) const {
    return {.any = true, .limit = limit, .in_order = request_.order != RowOrder::any};
  }
  [[nodiscard]] const LookupBatch& batch() const { return targets_.front().batch; }

  std::vector<SegmentTarget> targets_;
  const std::shared_ptr<DeviceMemory>& memory_;
  const Request& request_;
  cudaStream_t caller_;
  std::vector<LookupEncoder> encoders_;
  std::vector<SegmentTraits> traits_;
  Plan plan_;
  DeviceCounters counters_;
  LaunchTimes times_;
};

// Answers queries from segments on one GPU. Steps of the host run before and after a batch.
class DeviceBatchRunner final : public BatchRunner {
 public:
  explicit DeviceBatchRunner(GpuContext gpu) : gpu_(std::move(gpu)) {}

  void run(std::span<const Segment> segments, const BatchQuery& query,
           const Request& request) const override;
  [[nodiscard]] RowBitmapPtr restricted(const RowBitmapPtr& deleted, const BitmapView& filter,
                                        Stream caller) const override;
  [[nodiscard]] RowBitmapPtr matching_rows(std::span<const Segment> segments,
                                           const ColumnView& keys, std::size_t row_count,
                                           Stream caller) const override;

 private:
  // The bitmaps of a request, from the rows of its lookups.
  void write_bitmaps(std::span<const Segment> segments, const BatchQuery& query,
                     const Request& request) const;
  // Points and ranges.
  static void answer(std::span<const Segment> segments, const BatchQuery& query,
                     const Request& request);
  // Points and ranges whose columns lie where they are read; `plan` has the steps of the host.
  static void answer_reachable(std::span<const Segment> segments, const BatchQuery& query,
                               const Request& request, Plan plan);

  // Box queries.
  void write_box_bitmaps(std::span<const Segment> segments, const BatchQuery& query,
                         const Request& request) const;
  static void answer_boxes(std::span<const Segment> segments, const BatchQuery& query,
                           const Request& request);

  // Neighbours: which function runs depends on where keys can be compared and where the answers go.
  void answer_nearest(std::span<const Segment> segments, const BatchQuery& query,
                      const Request& request) const;
  void join_nearest(std::span<const Segment> segments, const BatchQuery& query,
                    const Request& request) const;
  void nearest_on_device(std::span<const Segment> segments, const BatchQuery& query,
                         const Request& request) const;
  static void nearest_native(std::span<const Segment> segments, const BatchQuery& query,
                             const Request& request);
  void nearest_on_host(std::span<const Segment> segments, const BatchQuery& query,
                       const Request& request) const;
  // Neighbours that are intervals.
  void nearest_intervals(std::span<const Segment> segments, const BatchQuery& query,
                         const Request& request) const;

  GpuContext gpu_;
};

// Copies bitmaps of the device to a buffer in host or device memory, without gaps.
void copy_bitmaps(const RowBitmapWords& bitmaps, std::size_t count, std::size_t stride,
                  const Outputs& out, std::uint8_t* to, cudaStream_t stream);

// Runs a batch whose lookups lie where they are read; `steps` has the steps of the host.
void answer_from(const BatchSources& sources, const Request& request, const Plan& steps);

// Rows that only the host can sort, by `find_rows`, written to buffers on the device.
void write_ordered_rows(std::size_t lookups, const Request& all,
                        const std::function<void(const Request& on_host)>& find_rows);

// Throws where a call is captured that cannot be: it would invalidate the capture without an error
// of its own.
void reject_capture(const Plan& plan, Stream caller);
// Whether queries of an index cast rays; its segments are of one kind.
[[nodiscard]] bool casts_rays(std::span<const Segment> segments);

}  // namespace rtindex::cuda
