#include "engine/cuda/device_structure.hpp"

#include <cstring>

#include "base/types.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"

namespace rtindex::cuda {

DeviceStructure::DeviceStructure(DeviceOptions options, std::unique_ptr<OrderedArrays> arrays,
                                 SegmentUse use, std::shared_ptr<DeviceMemory> memory,
                                 const MemoryMeter& meter)
    : GpuStructure(options.device, std::move(memory)),
      options_(std::move(options)),
      arrays_(std::move(arrays)),
      use_(use) {
  // What is only merged is not waited for: the merge is queued behind it.
  if (use_ == SegmentUse::merged && options_.keeps_order) return;
  ready();
  finish_build(arrays_->stream, meter);
}

DeviceStructure::~DeviceStructure() {
  // Work that is still queued may read arrays of the caller.
  if (use_ == SegmentUse::merged) static_cast<void>(cudaStreamSynchronize(arrays_->stream.get()));
  release(arrays_);
}

const OrderedArrays& DeviceStructure::ready() const {
  std::call_once(searchable_, [&] { make_searchable(); });
  return *arrays_;
}

void DeviceStructure::make_searchable() const {
  const OnDevice current(device());
  OrderedArrays& arrays = *arrays_;
  const Queue queue(memory(), arrays.stream.get());
  if (arrays.order.layout() == Layout::split) arrays.order.find_stats(queue);
  const bool is_filtered = use_ != SegmentUse::main && arrays.order.layout() == Layout::pairs;
  if (is_filtered) arrays.filter = build_filter(arrays.order, queue);
  arrays.locator = options_.locator(arrays.order, queue);
  arrays.stream.wait();
  arrays.answerer.emplace(
      OrderedAnswerer::Sources{arrays.order, *arrays.locator, arrays.included.get(),
                               arrays.full != nullptr && arrays.full->compares(), memory(),
                               options_.gather, is_filtered ? &arrays.filter : nullptr, queue});
}

DeviceColumn DeviceStructure::device_column(cudaStream_t stream) const {
  if (options_.keeps_order) return arrays_->order.column({memory(), stream});
  return arrays_->locator->column(arrays_->order, {memory(), stream});
}

void DeviceStructure::select(const KeyCodec&, std::span<const std::uint64_t> places,
                             std::uint32_t* rows) const {
  const OrderedArrays& arrays = ready();
  const OnDevice current(device());
  const PooledStream stream;
  const Queue queue(memory(), stream.get());
  const DeviceArray<std::uint64_t> positions = uploaded(places.data(), places.size(), queue);
  const DeviceArray<std::uint32_t> found(queue, places.size());
  rows_at(positions.data(), places.size(), arrays.answerer->ordered_rows(), arrays.order.size(),
          found.data(), queue);
  copy_to_host(rows, found.data(), found.bytes(), queue);
}

EncodedColumn DeviceStructure::column() const {
  const OnDevice current(device());
  const PooledStream stream;
  return downloaded(device_column(stream.get()), stream.get());
}

void DeviceStructure::save(FileWriter file) const {
  Structure::save(file);
  if (!arrays_->included) return;
  IncludedRows kept = included_rows();
  const Type type = arrays_->included->type();
  file.text("included_type", std::string(name_of(type)));
  Array<std::uint8_t> values(kept.rows.size() * width_of(type));
  if (!values.empty()) std::memcpy(values.data(), kept.values.view().data(), values.bytes());
  file.array("included_rows", std::move(kept.rows));
  file.array("included_values", std::move(values));
}

std::optional<Type> DeviceStructure::included() const {
  if (!arrays_->included) return std::nullopt;
  return arrays_->included->type();
}

IncludedRows DeviceStructure::included_rows() const {
  if (!arrays_->included) return {};
  const OnDevice current(device());
  const PooledStream stream;
  const ValuesByRow found =
      values_by_row(*arrays_->included, arrays_->order, arrays_->keyless, {memory(), stream.get()});
  IncludedRows result;
  result.rows = Array<std::uint32_t>(found.rows.size());
  copy_to_host(result.rows.data(), found.rows.data(), result.rows.bytes(), stream.get());
  result.values = fetched(
      ColumnView::of(arrays_->included->type(), found.values.data(), found.rows.size()).on_device(),
      stream.get());
  return result;
}

std::string DeviceStructure::describe() const {
  const OrderedArrays& arrays = ready();
  std::string text = describe_gpu(device()) + arrays.locator->describe();
  text += fmt::format("keys: {}\n", arrays.order.unique() ? "unique" : "with duplicates");
  if (arrays.included)
    text += fmt::format("included: {} values in key order, with prefix sums or block results\n",
                        name_of(arrays.included->type()));
  return text +
         fmt::format("changes: {}\n", arrays.full ? "encoded by the host" : "sorted on the GPU");
}

// Batches are not sorted by key: on an H200 with up to 2^31 keys, the scatter of the results costs
// what the search gains.
BatchTarget DeviceStructure::target() const {
  const OrderedArrays& arrays = ready();
  return {*arrays.answerer, arrays.order.row_count(), arrays.order.span(),
          arrays.full == nullptr ? nullptr : &arrays.full->view()};
}

std::vector<std::pair<std::string, std::size_t>> DeviceStructure::memory_parts() const {
  const OrderedArrays& arrays = ready();
  std::vector<std::pair<std::string, std::size_t>> parts = {
      {"keys and rowIDs", arrays.order.bytes()}};
  for (auto& part : arrays.locator->bytes()) parts.push_back(std::move(part));
  if (arrays.included)
    parts.emplace_back("included values", arrays.included->bytes() + arrays.keyless.bytes());
  if (arrays.filter.bytes() != 0) parts.emplace_back("filter", arrays.filter.bytes());
  if (const std::size_t bytes = arrays.answerer->deleted_bytes(); bytes != 0)
    parts.emplace_back("erased rows by position", bytes);
  if (const std::size_t bytes = arrays.answerer->ordered_bytes(); bytes != 0)
    parts.emplace_back("rows of equal keys in order", bytes);
  if (arrays.full) parts.emplace_back("encoding and full keys", arrays.full->bytes());
  return parts;
}

std::unique_ptr<OrderedArrays> ordered_arrays(DeviceRows rows, Layout layout,
                                              const std::shared_ptr<DeviceMemory>& memory) {
  auto arrays = std::make_unique<OrderedArrays>(std::move(rows.stream));
  const Queue queue(memory, arrays->stream.get());
  arrays->order = DeviceOrder(std::move(rows.column), rows.sorting, layout, queue);
  arrays->full = std::move(rows.full);
  if (!rows.value_type) return arrays;
  arrays->included = std::make_unique<OrderedValues>(
      rows.values, *rows.value_type, arrays->order.rows(), arrays->order.size(), DeletedPositions{},
      OrderedWants{.sum = true, .min = true, .max = true}, true, nullptr, queue);
  arrays->order.renumber(rows.ids, rows.row_count, queue);
  arrays->keyless = std::move(rows.keyless);
  return arrays;
}

}  // namespace rtindex::cuda
