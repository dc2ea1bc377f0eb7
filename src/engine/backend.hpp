#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <rtindex/index.hpp>
#include <rtindex/spec.hpp>

#include "base/spec_options.hpp"
#include "engine/segment.hpp"
#include "engine/structure.hpp"
#include "keys/codec.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// A structure from a file: opened as it was saved, or built again from its column.
struct LoadedStructure {
  std::unique_ptr<Structure> structure;
  bool rebuilt;
};

// A kind of index on a kind of device, such as rx:embree@cpu: completes specs, and builds and loads
// the structures that they describe. indexes/backends.cpp registers every backend.
class Backend {
 public:
  // `options` are its own, beside those of every index.
  Backend(std::string kind, std::string tracer, std::string device,
          std::vector<SpecOption> options);
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::string& tracer() const { return tracer_; }
  [[nodiscard]] const std::string& device() const { return device_; }
  // "rx:embree@cpu".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool on_gpu() const { return device_ == "cuda"; }
  // All that its specs may set.
  [[nodiscard]] std::span<const SpecOption> options() const { return options_; }

  // Whether a spec, which may leave parts open, can mean this backend.
  [[nodiscard]] bool matches(const Spec& spec) const;
  // Whether it takes all options of a spec.
  [[nodiscard]] bool takes_options_of(const Spec& spec) const;

  // Why it is not available here; none where it is. Called only for backends that match a spec: to
  // look for a GPU starts its driver, which a program that stays on the CPU must not do.
  [[nodiscard]] virtual std::optional<std::string> unavailable() const { return std::nullopt; }
  // What it is and runs on, where it is available.
  [[nodiscard]] virtual std::string describe() const = 0;
  // Whether a structure of this spec keeps its keys in order, as included values need it.
  [[nodiscard]] virtual bool keeps_key_order(const Spec&) const { return true; }
  // What its structures are asked for.
  [[nodiscard]] virtual KeyUse key_use() const { return KeyUse::order; }
  // Whether a structure of this spec can hold any keys up to `span`.
  [[nodiscard]] virtual bool holds(const Spec& spec, std::uint64_t span) const {
    static_cast<void>(spec), static_cast<void>(span);
    return true;
  }
  // The spec with the value of every option. Throws where a value is invalid.
  [[nodiscard]] virtual Spec complete(const Spec& spec) const;

  // Below, specs are complete.

  // Builds over a column that the host has encoded. `options.include` has a value for each element
  // of the column, which codec.rows() numbers.
  [[nodiscard]] virtual std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                         const KeyCodec& codec,
                                                         const KeyText& key_text,
                                                         const BuildOptions& options) const = 0;
  // Opens what a structure saved. By default that is its column, and it is built again.
  [[nodiscard]] virtual LoadedStructure load(const Spec& spec, const FileReader& file,
                                             const KeyCodec& codec, std::size_t rows,
                                             const std::shared_ptr<DeviceMemory>& memory) const;

  // What follows is written once for indexes in host memory; those on a GPU do the same there. A
  // call that throws has changed nothing.

  // The first segment of an index, over a whole column in host or device memory.
  [[nodiscard]] virtual NewSegment build_column(const Spec& spec, const ColumnView& column,
                                                const BuildOptions& options) const;
  // A segment of rows that get new keys, new included values or both. What a row keeps is copied
  // from the current segments, where it must not be deleted yet. `row_count`: of the index, the new
  // rows included.
  [[nodiscard]] virtual NewSegment build_rows(const Spec& spec, const NewRows& rows,
                                              std::span<const Segment> current,
                                              std::size_t row_count) const;
  // One segment in place of several neighbouring ones, without their deleted rows. `is_all`: they
  // are all segments of the index.
  [[nodiscard]] virtual Segment merge(const Spec& spec, std::span<const Segment> segments,
                                      std::size_t row_count, bool is_all) const;
  // Answers lookups from all segments.
  virtual void answer(std::span<const Segment> segments, const ColumnView& lower,
                      const ColumnView& upper, QueryKind kind, const Request& request) const;
  // Answers for the neighbours of keys, which have a distance where one is needed.
  virtual void answer_nearest(std::span<const Segment> segments, const ColumnView& keys,
                              const NearestOptions& nearest, const Request& request) const;

  // The answer `rows` of several segments in the order of keys, which the request asks for.
  static void rows_in_order(std::span<const Segment> segments, const ColumnView& lower,
                            const ColumnView& upper, QueryKind kind, const Request& request);

  // Gives rows of a segment new keys in place, for update=refit; false where the structure cannot,
  // and is unchanged. All rows have keys.
  [[nodiscard]] virtual bool refit(const Spec& spec, const Segment& segment, const ColumnView& rows,
                                   const ColumnView& new_keys, Stream stream) const;

  // Checks uint32 rows of a change: an Error names a row that is not there, that is named twice or
  // that is erased.
  [[nodiscard]] virtual CheckedRows check_rows(const Spec& spec, const ColumnView& rows,
                                               const RowStates& states, Stream stream) const;
  // The rows whose key equals one of these.
  [[nodiscard]] virtual RowBitmapPtr matching_rows(const Spec& spec,
                                                   std::span<const Segment> segments,
                                                   const ColumnView& keys, std::size_t row_count,
                                                   Stream stream) const;
  // The rows that are in either set, and those of a set that are not in the other.
  [[nodiscard]] virtual RowBitmapPtr union_of(const Spec& spec, const RowBitmapPtr& a,
                                              const RowBitmapPtr& b) const;
  [[nodiscard]] virtual RowBitmapPtr difference(const Spec& spec, const RowBitmapPtr& a,
                                                const RowBitmapPtr& b) const;
  // A set that was saved.
  [[nodiscard]] virtual RowBitmapPtr load_bitmap(const Spec& spec, Array<std::uint32_t> words,
                                                 std::size_t rows,
                                                 const std::shared_ptr<DeviceMemory>& memory) const;

  // How many keys may lie outside the first segment before all segments are merged: the option
  // `delta`.
  [[nodiscard]] std::size_t delta_bound(const Spec& spec) const;
  // The same where the spec leaves it open.
  [[nodiscard]] virtual std::size_t default_delta() const { return std::size_t{1} << 16; }
  // Segments after the first whose size is at most this many times that of all newer rows are
  // merged with them.
  [[nodiscard]] virtual std::size_t merge_factor() const { return default_merge_factor; }
  // Two segments beside the main one, where batches of 2^10 rows grow to 2^15 and these to 2^20.
  static constexpr std::size_t default_merge_factor = 32;

  // On a GPU only; elsewhere an Error.

  // A copy in host memory of a native column in device memory.
  [[nodiscard]] virtual OwnedColumn fetch(const Spec& spec, const ColumnView& column) const;
  // Waits for the work that the caller has queued on a stream.
  virtual void wait_for(const Spec& spec, Stream stream) const;

 private:
  [[noreturn]] void fail_without_gpu() const;

  std::string kind_, tracer_, device_, name_;
  std::vector<SpecOption> options_;
};

}  // namespace rtindex
