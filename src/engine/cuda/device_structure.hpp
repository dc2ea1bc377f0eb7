#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/spec.hpp>

#include "answers/cuda/device_answers.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "engine/cuda/gpu_structure.hpp"
#include "engine/cuda/locator.hpp"
#include "engine/cuda/ordered_answerer.hpp"
#include "keys/cuda/device_full_keys.hpp"
#include "order/cuda/device_filter.hpp"
#include "order/cuda/row_values.hpp"

namespace rtindex::cuda {

// How a structure over sorted keys is built.
struct DeviceOptions {
  using MakeLocator =
      std::function<std::unique_ptr<Locator>(DeviceOrder& order, const Queue& queue)>;

  int device = 0;
  Gather gather = Gather::automatic;
  Layout layout = Layout::split;
  // Whether keys stay in key order beside the locator; a hash table takes them away.
  bool keeps_order = true;
  MakeLocator locator;
  // For a locator that cannot hold every key: whether it holds keys up to `span`, and a function
  // that throws an Error with the row and key that it cannot hold.
  std::function<bool(std::uint64_t span)> holds;
  std::function<void(const EncodedColumn&, const std::function<std::string(std::uint32_t)>&)>
      refuse;
};

// The arrays of a structure over sorted keys. They are released on the stream that they were made
// on.
struct OrderedArrays {
  explicit OrderedArrays(PooledStream made_on) : stream(std::move(made_on)) {}

  PooledStream stream;
  DeviceOrder order;
  std::unique_ptr<OrderedValues> included;
  KeylessValues keyless;
  std::shared_ptr<DeviceFullKeys> full;  // of keys that are not native
  // These make it searchable.
  DeviceFilter filter;  // of a small segment that lookups search beside a large one
  std::unique_ptr<Locator> locator;
  std::optional<OrderedAnswerer> answerer;
};

// What a new structure is for.
enum class SegmentUse : std::uint8_t {
  main,
  delta,   // a small segment beside the main one
  merged,  // the same change merges it with others: a locator is made only if it is looked up
};

// A column in key order on a GPU, and a locator over it.
class DeviceStructure final : public GpuStructure {
 public:
  // `arrays` have no locator yet.
  DeviceStructure(DeviceOptions options, std::unique_ptr<OrderedArrays> arrays, SegmentUse use,
                  std::shared_ptr<DeviceMemory> memory, const MemoryMeter& meter);
  ~DeviceStructure() override;

  // The keys in order and all that belongs to them; their locator may not be there.
  [[nodiscard]] const OrderedArrays& arrays() const { return *arrays_; }

  [[nodiscard]] std::size_t size() const override { return arrays_->order.size(); }
  [[nodiscard]] bool counts_work() const override { return ready().locator->counts_work(); }
  [[nodiscard]] bool times_rays() const override { return ready().locator->times_rays(); }
  [[nodiscard]] bool supports(Answer, QueryKind kind) const override {
    return kind == QueryKind::equal || ready().locator->finds_ranges();
  }
  [[nodiscard]] bool keeps_order() const override { return ready().locator->finds_ranges(); }
  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const override {
    return ready().locator->build_profile();
  }
  void select(const KeyCodec& codec, std::span<const std::uint64_t> places,
              std::uint32_t* rows) const override;
  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override;
  [[nodiscard]] EncodedColumn column() const override;
  void save(FileWriter file) const override;
  [[nodiscard]] std::optional<Type> included() const override;
  [[nodiscard]] IncludedRows included_rows() const override;
  [[nodiscard]] std::string describe() const override;

 private:
  // Makes the locator, if there is none yet. Any number of threads may need it at once.
  const OrderedArrays& ready() const;
  void make_searchable() const;
  [[nodiscard]] BatchTarget target() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_parts() const override;

  DeviceOptions options_;
  std::unique_ptr<OrderedArrays> arrays_;
  SegmentUse use_;
  mutable std::once_flag searchable_;
};

// Encoded keys with their rows on the GPU, of which a structure is made.
struct DeviceRows {
  explicit DeviceRows(PooledStream made_on) : stream(std::move(made_on)) {}

  PooledStream stream;
  // With included values, the rows of the column are indices into `values`; `ids` maps them to
  // rowIDs once the values are in key order.
  DeviceColumn column;
  Sorting sorting = Sorting::needed;
  std::size_t row_count = 0;             // of the index
  std::shared_ptr<DeviceFullKeys> full;  // of keys that are not native
  std::optional<Type> value_type;        // empty without included values
  const void* values = nullptr;          // in device memory
  RowIds ids;
  KeylessValues keyless;
};

// Brings rows into key order, with their included values.
[[nodiscard]] std::unique_ptr<OrderedArrays> ordered_arrays(
    DeviceRows rows, Layout layout, const std::shared_ptr<DeviceMemory>& memory);

// Builds over a column that the host has encoded. `numbers` are the rows of the included values.
[[nodiscard]] std::unique_ptr<Structure> build_encoded(const DeviceOptions& options,
                                                       const EncodedColumn& column,
                                                       const KeyCodec& codec,
                                                       const RowNumbers& numbers,
                                                       const BuildOptions& build);

// Builds over the keys that a structure on a GPU saved, with the included values of the file.
[[nodiscard]] std::unique_ptr<Structure> build_saved(const DeviceOptions& options,
                                                     const FileReader& file,
                                                     const EncodedColumn& column,
                                                     const KeyCodec& codec, std::size_t rows,
                                                     const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
