#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/cuda/ordered_searcher.hpp"
#include "engine/host_segments.hpp"
#include "engine/segment_builder.hpp"

namespace rtindex::cuda {

// Makes segments on one GPU, of columns in host or device memory. Keys that only the host can
// decode or encode are a step of the host's builder, whose searchers lie on the GPU.
class DeviceSegmentBuilder final : public SegmentBuilder {
 public:
  DeviceSegmentBuilder(GpuContext gpu, DeviceSearchers kind);

  [[nodiscard]] NewSegment build(const ColumnView& column,
                                 const BuildOptions& options) const override;
  [[nodiscard]] NewSegment build_rows(const NewRows& input, std::span<const Segment> current,
                                      std::size_t row_count) const override;
  [[nodiscard]] Segment merge(std::span<const Segment> segments, std::size_t row_count,
                              bool is_all) const override;
  [[nodiscard]] LoadedSearcher load(const FileReader& file, const KeyCodec& codec,
                                    std::size_t rows) const override;
  [[nodiscard]] RowBitmapPtr load_bitmap(Array<std::uint32_t> words,
                                         std::size_t rows) const override;
  [[nodiscard]] CheckedRows check_rows(const ColumnView& rows, const RowStates& states,
                                       Stream caller) const override;
  [[nodiscard]] MarkedRows mark_rows(const ColumnView& rows, const RowStates& states,
                                     std::span<const RowBitmapPtr> bitmaps,
                                     Stream caller) const override;
  [[nodiscard]] std::optional<Refit> plan_refit(const Segment& segment, const ColumnView& rows,
                                                const ColumnView& new_keys,
                                                Stream stream) const override;

 private:
  // Elements of a native column on the GPU, and what else a segment is made of.
  struct NativeRows {
    Type type;            // of the column
    DeviceElements keys;  // of that type, or their bits_type
    DeviceExtent extent;
    RowIds ids;
    std::size_t row_count;
    std::vector<ElementValues> included = {};
    bool rows_may_follow = true;  // DeviceRows::rows_may_follow
    // Of keys that are encoded already, before the base is subtracted; null: of the type.
    std::shared_ptr<KeyCodec> codec = {};
    std::uint64_t base = 0;
    std::shared_ptr<DeviceFullKeys> full = {};
  };

  [[nodiscard]] NewSegment build_native(PooledStream made_on, const NativeRows& input,
                                        SegmentUse use, const MemoryMeter& meter) const;
  // The main segment, with its included values if they are set.
  [[nodiscard]] NewSegment build_main(PooledStream made_on, NativeRows rows,
                                      std::span<const ColumnView> values,
                                      const MemoryMeter& meter) const;
  [[nodiscard]] NewSegment build_column(const ColumnView& column,
                                        const BuildOptions& options) const;
  // Strings, keys of 128 bits and tuples, encoded on the GPU.
  [[nodiscard]] NewSegment build_tuples(const ColumnView& column,
                                        const BuildOptions& options) const;
  // Intervals of native types, without leading columns. None: they are others, or one is invalid.
  [[nodiscard]] std::optional<NewSegment> build_intervals(const ColumnView& column,
                                                          std::span<const ColumnView> include,
                                                          Stream caller) const;
  struct NativeIntervals;
  // Two searchers over sorted keys, and a tree of ends.
  [[nodiscard]] std::shared_ptr<Searcher> make_ordered_intervals(
      const NativeIntervals& intervals, std::span<const ColumnView> include,
      const MemoryMeter& meter, const Queue& queue) const;
  // Throws where the kind cannot hold intervals.
  void require_interval_kind() const;
  // Points of native types. None: they are others, or the keys of a column leave none for nulls.
  [[nodiscard]] std::optional<NewSegment> build_points(const ColumnView& column,
                                                       std::span<const ColumnView> include,
                                                       Stream caller) const;
  // Native points without included values. None: they are others.
  [[nodiscard]] std::optional<Segment> merge_points(std::span<const Segment> segments,
                                                    std::size_t row_count) const;
  // Points that the host has encoded. `numbers`: the rows of the included values.
  [[nodiscard]] std::unique_ptr<Searcher> make_points(const EncodedColumn& column,
                                                      const PointCodec& codec,
                                                      const RowNumbers& numbers,
                                                      std::span<const ColumnView> include) const;
  // Whether build_few() makes the segment of a change.
  [[nodiscard]] bool is_small(const NewRows& input, const Segment& main) const;
  // Few rows with new keys of a native column, sorted by one kernel.
  [[nodiscard]] NewSegment build_few(const NewRows& input, Type type, std::size_t row_count) const;
  [[nodiscard]] std::unique_ptr<Searcher> make_searcher(DeviceRows rows, SegmentUse use,
                                                        const MemoryMeter& meter) const;
  // Frees the rowIDs of a main segment whose rows follow each other in key order.
  void drop_rows(OrderedArrays& arrays, SegmentUse use) const;
  // A segment over keys that the host has encoded. `numbers`: the rows of the included values.
  [[nodiscard]] std::unique_ptr<Searcher> make_encoded(EncodedColumn column, const KeyCodec& codec,
                                                       const KeyText& key_text,
                                                       const RowNumbers& numbers,
                                                       std::span<const ColumnView> include) const;
  [[nodiscard]] std::unique_ptr<Searcher> make_intervals(const EncodedColumn& column,
                                                         const KeyCodec& codec,
                                                         const KeyText& key_text,
                                                         const RowNumbers& numbers,
                                                         std::span<const ColumnView> include) const;
  // Merges keys in key order; searchers that keep no order are rebuilt from their keys.
  [[nodiscard]] Segment merge_ordered(std::span<const Segment> segments, std::size_t row_count,
                                      SegmentUse use) const;
  [[nodiscard]] Segment merge_columns(std::span<const Segment> segments,
                                      std::size_t row_count) const;
  // Throws where the kind cannot hold keys this large.
  void require_held(const DeviceColumn& column, const KeyCodec& codec, cudaStream_t stream) const;
  // What the host built, with its row bitmap on the GPU.
  [[nodiscard]] NewSegment on_gpu(NewSegment built) const;

  GpuContext gpu_;
  std::shared_ptr<const DeviceSearchers> kind_;
  HostSegmentBuilder host_;
};

// A bitmap in host memory, and segments with such bitmaps, for a step of the host.
[[nodiscard]] RowBitmapPtr on_host(const RowBitmapPtr& bitmap);
[[nodiscard]] std::vector<Segment> on_host(std::span<const Segment> segments);
// A bitmap of the host on the current GPU.
[[nodiscard]] RowBitmapPtr on_gpu(const RowBitmapPtr& bitmap,
                                  const std::shared_ptr<DeviceMemory>& memory);

// A column in host memory, copied from the current GPU once the caller's stream is done with it.
class HostColumn {
 public:
  HostColumn(const ColumnView& column, const char* name, Stream caller);
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  OwnedColumn copy_;
  ColumnView view_;
};

}  // namespace rtindex::cuda
