#include "execution/cuda/device_structure.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/cuda/stopwatch.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "execution/cuda/batch_runner.hpp"
#include "execution/cuda/device_counters.hpp"
#include "execution/cuda/narrower.hpp"
#include "execution/cuda/ordered_answerer.hpp"
#include "keys/native_codec.hpp"
#include "storage/cuda/device_columns.hpp"
#include "storage/cuda/device_pointers.hpp"
#include "storage/cuda/device_update.hpp"
#include "storage/row_order.hpp"
#include "storage/saved_column.hpp"

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

// Everything of a structure that an update replaces. The arrays are given back in the order of the
// stream that they were made on, which therefore outlives them.
struct Parts {
  OwnStream stream;
  DeviceOrder order;
  std::unique_ptr<Locator> locator;
  std::unique_ptr<OrderedValues> included;
  // The included values by row, where some rows have no key and so no place in key order.
  DeviceArray<std::uint8_t> values_by_row;
  std::unique_ptr<Narrower> narrower;
};

class DeviceStructure final : public Structure {
 public:
  // `parts` brings the stream, on which the column is made, and maybe a Narrower.
  DeviceStructure(DeviceOptions options, std::unique_ptr<Parts> parts, DeviceColumn column,
                  const ColumnView* include, Memory memory, const MemoryMeter& meter)
      : options_(std::move(options)), memory_(std::move(memory)), parts_(std::move(parts)) {
    const bool sorted = parts_->narrower != nullptr;
    make_order(*parts_, std::move(column), sorted);
    if (include != nullptr) include_values(*parts_, *include);
    build_peak_ = meter.peak();
    built_.record(parts_->stream.get());
    parts_->stream.wait();
    trim_unused(build_peak_);
  }

  ~DeviceStructure() override {
    // Lookups that are under way on the caller's streams still read what is freed here.
    const OnDevice current(options_.device, std::nothrow);
    static_cast<void>(cudaDeviceSynchronize());
    parts_.reset();
    give_back_unused();
  }

  void run(const LookupBatch& batch, const Request& request) const override {
    const OnDevice current(options_.device);
    const DeviceCounters counters(request.counters, memory_);
    LaunchTimes times(request.launch_ms);
    const OrderedAnswerer answerer({parts_->order, *parts_->locator, parts_->included.get(),
                                    parts_->narrower.get(), memory_, options_.gather,
                                    counters.get(), times});
    const BatchRunner runner({answerer, parts_->order.is_wide(), row_count(), parts_->order.span(),
                              memory_, built_, orders(batch.size()), workspaces_});
    runner.run(batch, request);
    counters.finish(request.stream);
    times.finish(static_cast<cudaStream_t>(request.stream.handle));
  }

  [[nodiscard]] bool counts_work() const override { return parts_->locator->counts_work(); }
  [[nodiscard]] bool times_rays() const override { return parts_->locator->times_rays(); }

  [[nodiscard]] bool update(const Changes& changes, std::uint64_t span) override {
    if (parts_->narrower != nullptr) return false;
    if (is_wide(span) != parts_->order.is_wide()) return false;
    if (options_.holds && !options_.holds(span)) return false;
    const OnDevice current(options_.device);
    check(cudaDeviceSynchronize(), "waiting for lookups before an update");
    auto parts = std::make_unique<Parts>();
    const cudaStream_t stream = parts->stream.get();
    const MemoryMeter meter;
    DeviceColumn column = parts_->locator->column(parts_->order, memory_, stream);
    if (!patch_column(column, changes, memory_, stream)) return false;
    column.span = span;
    make_order(*parts, std::move(column), false);
    if (parts_->included) {
      DeviceArray<std::uint8_t> made;
      include_values(*parts, included_by_row(made, stream));
    }
    built_.record(stream);
    parts->stream.wait();
    parts_ = std::move(parts);
    build_peak_ = meter.peak();
    trim_unused(build_peak_);
    return true;
  }

  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const override {
    return parts_->locator->build_profile();
  }

  [[nodiscard]] Memory device_memory() const override { return memory_; }

  [[nodiscard]] EncodedColumn column() const override {
    const OnDevice current(options_.device);
    const OwnStream stream;
    built_.hold_back(stream.get());
    const DeviceColumn column = parts_->locator->column(parts_->order, memory_, stream.get());
    EncodedColumn result = downloaded(column, stream.get());
    stream.wait();
    return result;
  }

  void save(FileWriter file) const override {
    Structure::save(file);
    if (!parts_->included) return;
    const OwnedColumn values = included_column();
    file.text("included_type", std::string(name_of(parts_->included->type())));
    const std::size_t bytes = row_count() * width_of(parts_->included->type());
    Array<std::uint8_t> copy(bytes);
    if (bytes != 0) std::memcpy(copy.data(), values.view().data(), bytes);
    file.array("included_values", std::move(copy));
  }

  [[nodiscard]] std::optional<Type> included() const override {
    if (!parts_->included) return std::nullopt;
    return parts_->included->type();
  }

  [[nodiscard]] OwnedColumn included_column() const override {
    const OnDevice current(options_.device);
    const OwnStream stream;
    built_.hold_back(stream.get());
    DeviceArray<std::uint8_t> made;
    return fetched(included_by_row(made, stream.get()), stream.get());
  }

  [[nodiscard]] bool supports(Answer, LookupKind kind) const override {
    return kind == LookupKind::point || parts_->locator->finds_ranges();
  }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"keys and rowIDs", parts_->order.bytes()}};
    for (auto& part : parts_->locator->bytes()) bytes.parts.push_back(std::move(part));
    if (parts_->included) bytes.parts.emplace_back("included values", parts_->included->bytes());
    if (parts_->narrower)
      bytes.parts.emplace_back("key order on the host", parts_->narrower->bytes());
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = std::max(build_peak_, bytes.resident);
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    const Gpu& gpu = gpus()[static_cast<std::size_t>(options_.device)];
    std::string text = fmt::format("device: {}, compute capability {}.{}, {}\n", gpu.name,
                                   gpu.major, gpu.minor, driver_text());
    text += parts_->locator->describe();
    text +=
        fmt::format("keys: {}\n", parts_->order.unique() ? "each there once" : "with duplicates");
    if (parts_->included)
      text += fmt::format("included: {} values in key order, with prefix sums or block results\n",
                          name_of(parts_->included->type()));
    return text + fmt::format("updates: {}\n",
                              parts_->narrower ? "rebuild on the host" : "sorted again on the GPU");
  }

 private:
  // The included values in device memory; in `made` where they are not kept like that.
  [[nodiscard]] ColumnView included_by_row(DeviceArray<std::uint8_t>& made,
                                           cudaStream_t stream) const {
    const Parts& parts = *parts_;
    if (parts.values_by_row.empty())
      made = parts.included->by_row(parts.order.rows(), row_count(), memory_, stream);
    const auto& values = parts.values_by_row.empty() ? made : parts.values_by_row;
    return ColumnView::of(parts.included->type(), values.data(), row_count()).on_device();
  }

  [[nodiscard]] std::size_t row_count() const { return parts_->order.row_count(); }

  // Lookups in the order of their keys gained nothing on an H200 up to 2^31 keys: the scatter of
  // the results costs what the search gains. `auto` leaves a batch as it is.
  [[nodiscard]] bool orders(std::size_t lookups) const {
    return options_.order == Order::on && lookups > 1;
  }

  void make_order(Parts& parts, DeviceColumn column, bool sorted) {
    const cudaStream_t stream = parts.stream.get();
    parts.order = DeviceOrder(std::move(column), sorted, options_.layout, memory_, stream);
    parts.locator = options_.locator(parts.order, memory_, stream);
  }

  void include_values(Parts& parts, const ColumnView& values) {
    const cudaStream_t stream = parts.stream.get();
    const std::size_t bytes = values.size() * width_of(values.type());
    const bool has_nulls = parts.order.size() != parts.order.row_count();
    DeviceArray<std::uint8_t> copy;
    const void* data = values.data();
    if (values.memory_space() == MemorySpace::host) {
      copy = uploaded(static_cast<const std::uint8_t*>(data), bytes, memory_, stream);
      data = copy.data();
    } else if (has_nulls) {
      copy = DeviceArray<std::uint8_t>(memory_, bytes, stream);
      check(cudaMemcpyAsync(copy.data(), data, bytes, cudaMemcpyDeviceToDevice, stream),
            "copying on the GPU");
    }
    parts.included = std::make_unique<OrderedValues>(
        data, values.type(), parts.order.rows(), parts.order.size(),
        OrderedWants{.sum = true, .min = true, .max = true}, true, nullptr, memory_, stream);
    if (has_nulls) parts.values_by_row = std::move(copy);
  }

  DeviceOptions options_;
  Memory memory_;
  std::unique_ptr<Parts> parts_;
  std::size_t build_peak_ = 0;
  Event built_;
  mutable WorkspacePool workspaces_;
};

const ColumnView* included_in(const BuildOptions& build) {
  return build.include.given() ? &build.include : nullptr;
}

}  // namespace

DeviceOptions ordered_options(const Spec& resolved) {
  DeviceOptions options;
  options.device = resolved.device_number();
  const std::string order = resolved.option("order", "auto");
  options.order = order == "on" ? Order::on : order == "off" ? Order::off : Order::automatic;
  const std::string gather = resolved.option("gather", "auto");
  options.gather = gather == "on" ? Gather::on : gather == "off" ? Gather::off : Gather::automatic;
  return options;
}

BuiltOnDevice build_native(const DeviceOptions& options, const ColumnView& column,
                           const BuildOptions& build) {
  const ColumnView* const include = included_in(build);
  const OnDevice current(options.device);
  require_on_device(column, "keys");
  if (include != nullptr) require_on_device(*include, "included values");
  const Memory memory = current_memory(build.device_memory);
  auto parts = std::make_unique<Parts>();
  const cudaStream_t stream = parts->stream.get();
  if (column.memory_space() == MemorySpace::device ||
      (include != nullptr && include->memory_space() == MemorySpace::device)) {
    const Event before;
    before.record(static_cast<cudaStream_t>(build.stream.handle));
    before.hold_back(stream);
  }
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
      options, std::move(parts), std::move(encoded.column), include, memory, meter);
  return built;
}

std::unique_ptr<Structure> build_encoded(const DeviceOptions& options, const EncodedColumn& column,
                                         const KeyCodec& codec, const BuildOptions& build) {
  const ColumnView* const include = included_in(build);
  const OnDevice current(options.device);
  if (include != nullptr) require_on_device(*include, "included values");
  const Memory memory = current_memory(build.device_memory);
  const MemoryMeter meter;
  auto parts = std::make_unique<Parts>();
  const cudaStream_t stream = parts->stream.get();
  DeviceColumn on_device;
  const auto sort_on_host = [&]<class Key>() {
    auto order = std::make_unique<OrderNarrower<Key>>(column, codec);
    on_device = uploaded_order(order->order(), memory, stream);
    parts->narrower = std::move(order);
  };
  if (!codec.has_residual())
    on_device = uploaded(column, memory, stream);
  else if (is_wide(column.span))
    sort_on_host.operator()<std::uint64_t>();
  else
    sort_on_host.operator()<std::uint32_t>();
  return std::make_unique<DeviceStructure>(options, std::move(parts), std::move(on_device), include,
                                           memory, meter);
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
