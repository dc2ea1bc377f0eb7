#include "execution/cuda/device_structure.hpp"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "execution/cuda/gpu_structure.hpp"
#include "execution/cuda/ordered_answerer.hpp"
#include "keys/codecs.hpp"
#include "storage/columns.hpp"
#include "storage/cuda/device_columns.hpp"
#include "storage/cuda/device_pointers.hpp"
#include "storage/cuda/device_update.hpp"

namespace rtindex::cuda {

namespace {

using Memory = std::shared_ptr<DeviceMemory>;

// Keys that the host has sorted by their full keys.
template <class Key>
DeviceColumn uploaded_order(const KeyOrder<Key>& order, const Memory& memory, cudaStream_t stream) {
  std::vector<Key> keys(order.size());
  std::vector<std::uint32_t> rows(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    keys[i] = order.key(i);
    rows[i] = order.rows()[i];
  }
  DeviceColumn result;
  result.size = order.size();
  result.row_count = order.row_count();
  result.span = order.span();
  if constexpr (sizeof(Key) == 4)
    result.narrow = uploaded(keys.data(), keys.size(), memory, stream);
  else
    result.wide = uploaded(keys.data(), keys.size(), memory, stream);
  result.rows = uploaded(rows.data(), rows.size(), memory, stream);
  return result;
}

// The arrays of a structure, which an update replaces as a whole. They are released on the stream
// that they were made on, which therefore outlives them.
struct Arrays {
  explicit Arrays(OwnStream made_on) : stream(std::move(made_on)) {}

  OwnStream stream;
  DeviceOrder order;
  std::unique_ptr<Locator> locator;
  std::unique_ptr<OrderedValues> included;
  // The included values by row, if some rows have no key and so no position in key order.
  DeviceArray<std::uint8_t> values_by_row;
  std::unique_ptr<HostResidualFilter> residual;
  std::optional<OrderedAnswerer> answerer;
};

// A column in key order on a GPU, and a locator over it.
class DeviceStructure final : public GpuStructure {
 public:
  // `arrays` have the stream that the column was made on, and the residual filter if there is one.
  DeviceStructure(DeviceOptions options, std::unique_ptr<Arrays> arrays, DeviceColumn column,
                  const ColumnView& include, Memory memory, const MemoryMeter& meter)
      : GpuStructure(options.device, std::move(memory)),
        options_(std::move(options)),
        arrays_(std::move(arrays)) {
    fill(*arrays_, std::move(column), include);
    finish_build(arrays_->stream, meter);
  }
  ~DeviceStructure() override { release(arrays_); }

  [[nodiscard]] bool counts_work() const override { return arrays_->locator->counts_work(); }
  [[nodiscard]] bool times_rays() const override { return arrays_->locator->times_rays(); }

  [[nodiscard]] bool update(const Changes& changes, std::uint64_t span) override {
    if (arrays_->residual != nullptr) return false;
    if (is_wide(span) != arrays_->order.is_wide()) return false;
    if (options_.holds && !options_.holds(span)) return false;
    const OnDevice current(device());
    const MemoryMeter meter;
    auto arrays = std::make_unique<Arrays>(OwnStream());
    const cudaStream_t stream = arrays->stream.get();
    DeviceColumn column = arrays_->locator->column(arrays_->order, memory(), stream);
    if (!patch_column(column, changes, memory(), stream)) return false;
    column.span = span;
    DeviceArray<std::uint8_t> made;
    const ColumnView include = arrays_->included ? included_by_row(made, stream) : ColumnView();
    fill(*arrays, std::move(column), include);
    arrays->stream.wait();
    wait_for_lookups();
    arrays_ = std::move(arrays);
    finish_build(arrays_->stream, meter);
    return true;
  }

  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const override {
    return arrays_->locator->build_profile();
  }

  [[nodiscard]] EncodedColumn column() const override {
    const OnDevice current(device());
    const OwnStream stream;
    const DeviceColumn column = arrays_->locator->column(arrays_->order, memory(), stream.get());
    return downloaded(column, stream.get());
  }

  void save(FileWriter file) const override {
    Structure::save(file);
    if (!arrays_->included) return;
    const OwnedColumn values = included_column();
    file.text("included_type", std::string(name_of(arrays_->included->type())));
    const std::size_t bytes = row_count() * width_of(arrays_->included->type());
    Array<std::uint8_t> copy(bytes);
    if (bytes != 0) std::memcpy(copy.data(), values.view().data(), bytes);
    file.array("included_values", std::move(copy));
  }

  [[nodiscard]] std::optional<Type> included() const override {
    if (!arrays_->included) return std::nullopt;
    return arrays_->included->type();
  }

  [[nodiscard]] OwnedColumn included_column() const override {
    const OnDevice current(device());
    const OwnStream stream;
    DeviceArray<std::uint8_t> made;
    return fetched(included_by_row(made, stream.get()), stream.get());
  }

  [[nodiscard]] bool supports(Answer, LookupKind kind) const override {
    return kind == LookupKind::point || arrays_->locator->finds_ranges();
  }

  [[nodiscard]] std::string describe() const override {
    std::string text = describe_gpu(device()) + arrays_->locator->describe();
    text += fmt::format("keys: {}\n", arrays_->order.unique() ? "unique" : "with duplicates");
    if (arrays_->included)
      text += fmt::format("included: {} values in key order, with prefix sums or block results\n",
                          name_of(arrays_->included->type()));
    return text + fmt::format("updates: {}\n", arrays_->residual ? "rebuild on the host"
                                                                 : "sorted again on the GPU");
  }

 private:
  // Lookups in the order of their keys gained nothing on an H200 up to 2^31 keys: the scatter of
  // the results costs what the search gains. `auto` does not sort a batch.
  [[nodiscard]] BatchTarget target(std::size_t lookups) const override {
    return {*arrays_->answerer, row_count(), arrays_->order.span(),
            options_.order == Order::on && lookups > 1};
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_parts() const override {
    std::vector<std::pair<std::string, std::size_t>> parts = {
        {"keys and rowIDs", arrays_->order.bytes()}};
    for (auto& part : arrays_->locator->bytes()) parts.push_back(std::move(part));
    if (arrays_->included) parts.emplace_back("included values", arrays_->included->bytes());
    if (arrays_->residual) parts.emplace_back("key order on the host", arrays_->residual->bytes());
    return parts;
  }

  // The included values in device memory; `made` holds them if they are not kept by row.
  [[nodiscard]] ColumnView included_by_row(DeviceArray<std::uint8_t>& made,
                                           cudaStream_t stream) const {
    const Arrays& arrays = *arrays_;
    if (arrays.values_by_row.empty())
      made = arrays.included->by_row(arrays.order.rows(), row_count(), memory(), stream);
    const auto& values = arrays.values_by_row.empty() ? made : arrays.values_by_row;
    return ColumnView::of(arrays.included->type(), values.data(), row_count()).on_device();
  }

  [[nodiscard]] std::size_t row_count() const { return arrays_->order.row_count(); }

  // Sorts a column and builds all else over it.
  void fill(Arrays& arrays, DeviceColumn column, const ColumnView& include) const {
    const cudaStream_t stream = arrays.stream.get();
    const bool sorted = arrays.residual != nullptr;
    arrays.order = DeviceOrder(std::move(column), sorted, options_.layout, memory(), stream);
    arrays.locator = options_.locator(arrays.order, memory(), stream);
    if (include.given()) include_values(arrays, include);
    arrays.answerer.emplace(OrderedAnswerer::Sources{arrays.order, *arrays.locator,
                                                     arrays.included.get(), arrays.residual.get(),
                                                     memory(), options_.gather});
  }

  void include_values(Arrays& arrays, const ColumnView& values) const {
    const cudaStream_t stream = arrays.stream.get();
    const std::size_t bytes = values.size() * width_of(values.type());
    const bool has_nulls = arrays.order.size() != arrays.order.row_count();
    DeviceArray<std::uint8_t> copy;
    const void* data = values.data();
    if (values.memory_space() == MemorySpace::host) {
      copy = uploaded(static_cast<const std::uint8_t*>(data), bytes, memory(), stream);
      data = copy.data();
    } else if (has_nulls) {
      copy = DeviceArray<std::uint8_t>(memory(), bytes, stream);
      check(cudaMemcpyAsync(copy.data(), data, bytes, cudaMemcpyDeviceToDevice, stream),
            "copying on the GPU");
    }
    arrays.included = std::make_unique<OrderedValues>(
        data, values.type(), arrays.order.rows(), arrays.order.size(),
        OrderedWants{.sum = true, .min = true, .max = true}, true, nullptr, memory(), stream);
    if (has_nulls) arrays.values_by_row = std::move(copy);
  }

  DeviceOptions options_;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace

BuiltOnDevice build_native(const DeviceOptions& options, const ColumnView& column,
                           const BuildOptions& build) {
  const OnDevice current(options.device);
  const Memory memory = current_memory(build.device_memory);
  auto arrays = std::make_unique<Arrays>(
      build_stream(build.stream, {{column, "keys"}, {build.include, "included values"}}));
  const cudaStream_t stream = arrays->stream.get();
  const MemoryMeter meter;
  NativeColumn encoded = encode_native(
      column, options.layout == Layout::pairs ? std::optional(DeviceOrder::padding) : std::nullopt,
      memory, stream);
  if (options.holds && !options.holds(encoded.column.span))
    options.refuse(downloaded(encode_native(column, std::nullopt, memory, stream).column, stream),
                   [&](std::uint32_t row) { return element_text(column, row, stream); });
  BuiltOnDevice built;
  built.codec = std::move(encoded.codec);
  built.structure = std::make_unique<DeviceStructure>(
      options, std::move(arrays), std::move(encoded.column), build.include, memory, meter);
  return built;
}

std::unique_ptr<Structure> build_encoded(const DeviceOptions& options, const EncodedColumn& column,
                                         const KeyCodec& codec, const BuildOptions& build) {
  const OnDevice current(options.device);
  const Memory memory = current_memory(build.device_memory);
  const MemoryMeter meter;
  auto arrays =
      std::make_unique<Arrays>(build_stream(build.stream, {{build.include, "included values"}}));
  const cudaStream_t stream = arrays->stream.get();
  DeviceColumn on_device;
  const auto sort_on_host = [&]<class Key>() {
    auto filter = std::make_unique<KeyOrderFilter<Key>>(column, codec);
    on_device = uploaded_order(filter->order(), memory, stream);
    arrays->residual = std::move(filter);
  };
  if (!codec.has_residual())
    on_device = uploaded(column, memory, stream);
  else if (is_wide(column.span))
    sort_on_host.operator()<std::uint64_t>();
  else
    sort_on_host.operator()<std::uint32_t>();
  return std::make_unique<DeviceStructure>(options, std::move(arrays), std::move(on_device),
                                           build.include, memory, meter);
}

std::unique_ptr<Structure> build_saved(const DeviceOptions& options, const FileReader& file,
                                       const KeyCodec& codec, std::size_t rows,
                                       const std::shared_ptr<DeviceMemory>& memory) {
  const EncodedColumn column = load_column(file, rows, codec.span());
  if (options.refuse) options.refuse(column, [](std::uint32_t) { return "(of the file)"; });
  if (!file.has("included_type"))
    return build_encoded(options, column, codec, {.device_memory = memory});
  const std::string& name = file.text("included_type");
  auto type = Type::u8;
  while (is_native(type) && name_of(type) != name)
    type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1);
  if (!is_native(type)) file.refuse("its included values are of the unknown type '{}'", name);
  const auto bytes = file.array<std::uint8_t>("included_values", rows * width_of(type));
  const ColumnView values = ColumnView::of(type, bytes.data(), rows);
  return build_encoded(options, column, codec, {.include = values, .device_memory = memory});
}

}  // namespace rtindex::cuda
