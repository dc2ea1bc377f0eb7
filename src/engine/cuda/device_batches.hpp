#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "engine/batch_runner.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

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

// Throws where a call that waits for the host is captured: it would invalidate the capture without
// an error of its own.
void reject_capture(const Plan& plan, Stream caller);

}  // namespace rtindex::cuda
