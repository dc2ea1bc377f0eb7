#pragma once

#include <limits>
#include <string>
#include <vector>

#include "engine/backend.hpp"
#include "engine/cuda/device_structure.hpp"

namespace rtindex::cuda {

// The backend of structures on GPUs. A backend says what finds positions among sorted keys
// (device_options), or builds another structure of keys with their rows (build_keys); all else is
// done here once.
class DeviceBackend : public Backend {
 public:
  // `description` is followed by the name of the GPU.
  DeviceBackend(std::string kind, std::string tracer, std::string description,
                std::vector<SpecOption> options);

  [[nodiscard]] std::optional<std::string> unavailable() const override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Spec complete(const Spec& spec) const override;
  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText& key_text,
                                                 const BuildOptions& options) const override;
  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>& memory) const override;
  void answer(std::span<const Segment> segments, const ColumnView& lower, const ColumnView& upper,
              QueryKind kind, const Request& all) const final;

  void answer_nearest(std::span<const Segment> segments, const ColumnView& keys,
                      const NearestOptions& nearest, const Request& request) const final;

  [[nodiscard]] NewSegment build_column(const Spec& spec, const ColumnView& column,
                                        const BuildOptions& build) const final;
  [[nodiscard]] NewSegment build_rows(const Spec& spec, const NewRows& given,
                                      std::span<const Segment> current,
                                      std::size_t row_count) const final;
  [[nodiscard]] Segment merge(const Spec& spec, std::span<const Segment> segments,
                              std::size_t row_count, bool is_all) const final;
  [[nodiscard]] bool refit(const Spec& spec, const Segment& segment, const ColumnView& rows,
                           const ColumnView& new_keys, Stream stream) const final;

  [[nodiscard]] CheckedRows check_rows(const Spec& spec, const ColumnView& rows,
                                       const RowStates& states, Stream stream) const final;
  [[nodiscard]] RowBitmapPtr matching_rows(const Spec& spec, std::span<const Segment> segments,
                                           const ColumnView& keys, std::size_t row_count,
                                           Stream stream) const final;
  [[nodiscard]] RowBitmapPtr union_of(const Spec& spec, const RowBitmapPtr& a,
                                      const RowBitmapPtr& b) const final;
  [[nodiscard]] RowBitmapPtr difference(const Spec& spec, const RowBitmapPtr& a,
                                        const RowBitmapPtr& b) const final;
  [[nodiscard]] RowBitmapPtr load_bitmap(const Spec& spec, Array<std::uint32_t> words,
                                         std::size_t rows,
                                         const std::shared_ptr<DeviceMemory>& memory) const final;

  [[nodiscard]] std::size_t default_delta() const override { return std::size_t{1} << 21; }
  // One delta beside the main segment: a lookup searches both in one kernel.
  [[nodiscard]] std::size_t merge_factor() const override {
    return std::numeric_limits<std::size_t>::max();
  }

  [[nodiscard]] OwnedColumn fetch(const Spec& spec, const ColumnView& column) const final;
  void wait_for(const Spec& spec, Stream stream) const final;

 protected:
  // How a structure of a complete spec is built.
  [[nodiscard]] virtual DeviceOptions device_options(const Spec& spec) const = 0;
  // Whether strings and tuples are encoded and compared on the GPU; else the host does that.
  [[nodiscard]] virtual bool encodes_on_device(const Spec&) const { return true; }
  // A structure of keys that it can hold, on the current GPU.
  [[nodiscard]] virtual std::unique_ptr<Structure> build_keys(
      const Spec& spec, DeviceRows rows, SegmentUse use,
      const std::shared_ptr<DeviceMemory>& memory, const MemoryMeter& meter) const;

 private:
  void join_nearest(std::span<const Segment> segments, const ColumnView& keys,
                    const NearestOptions& nearest, const Request& request) const;
  // The neighbours of keys in terms of points, whose other answers are wanted.
  void nearest_on_device(std::span<const Segment> segments, const ColumnView& keys,
                         const NearestOptions& nearest, const Request& request) const;
  void nearest_native(std::span<const Segment> segments, const ColumnView& keys,
                      const NearestOptions& nearest, const Request& request) const;
  void nearest_on_host(std::span<const Segment> segments, const ColumnView& keys,
                       const NearestOptions& nearest, const Request& request) const;
  // Elements of a native column on the GPU, and what else a segment is made of.
  struct NativeRows;

  [[nodiscard]] NewSegment build_native(const Spec& spec, PooledStream made_on,
                                        const NativeRows& input, SegmentUse use,
                                        const std::shared_ptr<DeviceMemory>& memory,
                                        const MemoryMeter& meter) const;
  // The same for a whole column, with its included values if they are given.
  [[nodiscard]] NewSegment build_included(const Spec& spec, PooledStream made_on, NativeRows rows,
                                          const ColumnView& values,
                                          const std::shared_ptr<DeviceMemory>& memory,
                                          const MemoryMeter& meter) const;
  [[nodiscard]] NewSegment build_tuples(const Spec& spec, const ColumnView& column,
                                        const BuildOptions& build) const;
  // Merges keys in key order; builds over the keys of structures that have another.
  [[nodiscard]] Segment merge_ordered(const Spec& spec, std::span<const Segment> segments,
                                      std::size_t row_count, SegmentUse use) const;
  [[nodiscard]] Segment merge_columns(const Spec& spec, std::span<const Segment> segments,
                                      std::size_t row_count) const;
  // Throws where keys are too large for a structure of the spec.
  void require_held(const Spec& spec, const DeviceColumn& column, const KeyCodec& codec,
                    cudaStream_t stream) const;

  std::string description_;
};

// The options that all structures over sorted keys have: device and gather.
[[nodiscard]] DeviceOptions sorted_options(const Spec& spec);

// Throws where the spec names a GPU that this machine does not have.
void require_gpu(const Spec& spec);

}  // namespace rtindex::cuda
