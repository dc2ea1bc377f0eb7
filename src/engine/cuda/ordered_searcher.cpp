#include "engine/cuda/ordered_searcher.hpp"

#include <cstring>

#include "base/call_control.hpp"
#include "base/types.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"

namespace rtindex::cuda {

OrderedSearcher::OrderedSearcher(GpuContext gpu, std::shared_ptr<const DeviceSearchers> kind,
                                 std::unique_ptr<OrderedArrays> arrays, SegmentUse use,
                                 const MemoryMeter& meter)
    : DeviceSearcher(std::move(gpu)),
      kind_(std::move(kind)),
      arrays_(std::move(arrays)),
      use_(use) {
  size_ = arrays_->order.size();
  capabilities_ = kind_->capabilities;
  for (const DeviceIncluded& column : arrays_->included)
    included_.push_back({column.type(), column.valid != nullptr});
  if (kind_->keeps_order) ordered_arrays_ = arrays_.get();
  // A segment that is merged at once needs no wait: the merge is queued behind it.
  if (use_ == SegmentUse::merged && kind_->keeps_order) return;
  build_profile_ = ready().positions->build_profile();
  finish_build(arrays_->stream, meter);
}

OrderedSearcher::~OrderedSearcher() {
  // Work that is still queued may read arrays of the caller.
  if (use_ == SegmentUse::merged) static_cast<void>(cudaStreamSynchronize(arrays_->stream.get()));
  release(arrays_);
}

OrderedArrays& OrderedSearcher::ready() const {
  std::call_once(searchable_, [&] {
    const UnstoppableScope for_all_lookups;
    make_searchable();
  });
  return *arrays_;
}

void OrderedSearcher::make_searchable() const {
  const OnDevice current(gpu().device);
  OrderedArrays& arrays = *arrays_;
  const Queue queue(memory(), arrays.stream.get());
  // Where no rowIDs are stored, the statistics are known.
  if (arrays.order.layout() == Layout::split) arrays.order.find_stats(queue);
  // A small merge has made the filter already.
  if (use_ != SegmentUse::main && arrays.order.layout() == Layout::pairs &&
      arrays.filter.bytes() == 0)
    arrays.filter = build_filter(arrays.order, queue);
  arrays.positions = kind_->positions(arrays.order, queue);
  arrays.stream.wait();
  arrays.deleted_rows.emplace(arrays.order, arrays.included.size(), memory());
}

DeviceColumn OrderedSearcher::device_column(cudaStream_t stream) const {
  if (kind_->keeps_order) return arrays_->order.column({memory(), stream});
  return arrays_->positions->column(arrays_->order, {memory(), stream});
}

void OrderedSearcher::select(const KeyCodec&, std::span<const std::uint64_t> positions,
                             std::uint32_t* rows) const {
  const OrderedArrays& arrays = ready();
  const OnDevice current(gpu().device);
  const PooledStream stream;
  const Queue queue(memory(), stream.get());
  const DeviceArray<std::uint64_t> on_device = uploaded(positions.data(), positions.size(), queue);
  const DeviceArray<std::uint32_t> found(queue, positions.size());
  rows_at(on_device.data(), positions.size(), ordered_rows(), arrays.order.size(), found.data(),
          queue);
  copy_to_host(rows, found.data(), found.bytes(), queue);
}

void OrderedSearcher::save(FileWriter file) const {
  const DeviceOrder& order = arrays_->order;
  if (order.layout() == Layout::sequence)
    save_sequence(file, order.size(), order.first_key(), order.first_row());
  else
    SegmentKeys::save(file);
  if (arrays_->included.empty()) return;
  IncludedRows kept = included_rows();
  const std::size_t rows = kept.rows.size();
  for (std::size_t i = 0; i < kept.columns.size(); ++i) {
    FileWriter part = file.part(fmt::format("included{}", i));
    const ColumnView column = kept.columns[i].view();
    part.text("type", std::string(name_of(column.type())));
    Array<std::uint8_t> values(rows * width_of(column.type()));
    if (!values.empty()) std::memcpy(values.data(), column.data(), values.bytes());
    part.array("values", std::move(values));
    if (!included_[i].has_nulls) continue;
    Array<std::uint8_t> valid(rows);
    for (std::size_t row = 0; row < rows; ++row) valid[row] = column.valid(row) ? 1 : 0;
    part.array("valid", std::move(valid));
  }
  file.array("included_rows", std::move(kept.rows));
}

IncludedRows OrderedSearcher::included_rows() const { return included_by_row(*arrays_, gpu()); }

IncludedRows included_by_row(const OrderedArrays& arrays, const GpuContext& gpu) {
  IncludedRows result;
  if (arrays.included.empty()) return result;
  const OnDevice current(gpu.device);
  const PooledStream stream;
  const Queue queue(gpu.memory, stream.get());
  for (const DeviceIncluded& column : arrays.included) {
    const ValuesByRow found = values_by_row(*column.values, arrays.order, column.keyless, queue);
    const std::size_t rows = found.rows.size();
    if (result.columns.empty()) {
      result.rows = Array<std::uint32_t>(rows);
      copy_to_host(result.rows.data(), found.rows.data(), result.rows.bytes(), queue);
    }
    result.columns.push_back(
        fetched(ColumnView::of(column.type(), found.values.data(), rows).on_device(), queue));
    if (column.valid == nullptr) continue;
    const ValuesByRow valid =
        values_by_row(*column.valid, arrays.order, column.keyless_valid, queue);
    std::vector<std::uint8_t> is_valid(rows);
    copy_to_host(is_valid.data(), valid.values.data(), rows, queue);
    for (std::size_t i = 0; i < rows; ++i) result.columns.back().set_valid(i, is_valid[i] != 0);
  }
  return result;
}

namespace {

[[nodiscard]] std::string describe_layout(const DeviceOrder& order) {
  const int bytes = order.is_wide() ? 8 : 4;
  if (order.layout() == Layout::sequence)
    return "layout: neither keys nor rowIDs, because the keys are a dense sequence\n";
  if (order.layout() == Layout::keys)
    return fmt::format(
        "layout: {}-byte keys without rowIDs, because the column is sorted already\n", bytes);
  return fmt::format("layout: sorted pairs of {}-byte keys and rowIDs\n", bytes);
}

}  // namespace

std::string OrderedSearcher::describe() const {
  const OrderedArrays& arrays = ready();
  std::string text = describe_gpu(gpu().device);
  if (kind_->drops_rows()) text += describe_layout(arrays.order);
  text += arrays.positions->describe();
  text += fmt::format("keys: {}\n", arrays.order.unique() ? "unique" : "with duplicates");
  for (const DeviceIncluded& column : arrays.included)
    text += fmt::format("included: {} values in key order, with prefix sums or block results{}\n",
                        name_of(column.type()), column.valid == nullptr ? "" : ", some null");
  return text +
         fmt::format("changes: {}\n", arrays.full ? "encoded by the host" : "sorted on the GPU");
}

DeviceSearcher::Encoding OrderedSearcher::encoding() const {
  const OrderedArrays& arrays = ready();
  return {arrays.order.row_count(), arrays.order.span(),
          arrays.full == nullptr ? nullptr : &arrays.full->view(),
          arrays.positions->fused().edges_read_elements && !arrays.compares_full_keys()};
}

// Batches are not sorted by key: on an H200 with up to 2^31 keys, the scatter of the results costs
// what the search gains.
SegmentTraits OrderedSearcher::traits(std::size_t included_column) const {
  const OrderedArrays& arrays = ready();
  const FusedOffer& fused = arrays.positions->fused();
  return {.casts_rays = arrays.positions->casts_rays(),
          .unique_keys = arrays.order.unique(),
          .ascending_rows = arrays.order.rows_ascend(),
          .compares_full_keys = arrays.compares_full_keys(),
          .finds_first_rows = arrays.positions->finds_first_rows(),
          .has_prefix_sums = included_column < arrays.included.size() &&
                             arrays.included[included_column].values->sums_before() != nullptr,
          .fuses_sums = fused.sums,
          .fuses_included_sums = fused.included_sums,
          .fuses_pairs = fused.pair,
          .fuses_as_newer = fused.newer};
}

std::vector<std::pair<std::string, std::size_t>> OrderedSearcher::memory_entries() const {
  const OrderedArrays& arrays = ready();
  std::vector<std::pair<std::string, std::size_t>> parts = {
      {arrays.order.has_rows() ? "keys and rowIDs" : "keys", arrays.order.bytes()}};
  for (auto& part : arrays.positions->bytes()) parts.push_back(std::move(part));
  std::size_t included_bytes = 0;
  for (const DeviceIncluded& column : arrays.included) included_bytes += column.bytes();
  if (!arrays.included.empty()) parts.emplace_back("included values", included_bytes);
  if (arrays.filter.bytes() != 0) parts.emplace_back("filter", arrays.filter.bytes());
  if (const std::size_t bytes = arrays.deleted_rows->bytes(); bytes != 0)
    parts.emplace_back("deleted rows by position", bytes);
  const std::scoped_lock lock(by_row_mutex_);
  if (arrays.by_row)
    parts.emplace_back("rows of equal keys in order",
                       arrays.by_row->order.bytes() + arrays.by_row->deleted.bytes());
  if (arrays.full) parts.emplace_back("encoding and full keys", arrays.full->bytes());
  return parts;
}

std::unique_ptr<OrderedArrays> in_key_order(DeviceRows rows, Layout layout,
                                            const std::shared_ptr<DeviceMemory>& memory) {
  auto arrays = std::make_unique<OrderedArrays>(std::move(rows.stream));
  const Queue queue(memory, arrays->stream.get());
  arrays->order = DeviceOrder(std::move(rows.column), rows.sorting, layout, queue);
  arrays->full = std::move(rows.full);
  if (rows.included.empty()) return arrays;
  for (DeviceRows::Included& column : rows.included)
    arrays->included.push_back(included_in_order(column.values, arrays->order.rows(),
                                                 arrays->order.size(), std::move(column.keyless),
                                                 std::move(column.keyless_valid), queue));
  arrays->order.renumber(rows.ids, rows.row_count, queue);
  return arrays;
}

}  // namespace rtindex::cuda
