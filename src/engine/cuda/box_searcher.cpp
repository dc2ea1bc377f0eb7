#include "engine/cuda/box_searcher.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "answers/cuda/runs.hpp"
#include "base/cuda/device_pool.hpp"
#include "base/cuda/transfer.hpp"
#include "order/box_tree.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/included.hpp"

namespace rtindex::cuda {

BoxSearcher::BoxSearcher(GpuContext gpu, DeviceRows rows, const DevicePoints& points,
                         std::vector<std::uint64_t> largest, const MemoryMeter& meter)
    : DeviceSearcher(std::move(gpu)),
      largest_(std::move(largest)),
      arrays_(std::make_unique<OrderedArrays>(std::move(rows.stream))) {
  const Queue queue(memory(), arrays_->stream.get());
  DeviceColumn in_order;
  in_order.size = points.size;
  in_order.row_count = points.size;
  in_order.rows = order_of_points(points, queue);
  arrays_->boxes = DeviceBoxTree(points, in_order.rows.data(), queue);
  arrays_->order = DeviceOrder(std::move(in_order), Sorting::needed, Layout::extracted, queue);
  for (DeviceRows::Included& column : rows.included)
    arrays_->included.push_back(included_in_order(column.values, arrays_->order.rows(), points.size,
                                                  std::move(column.keyless),
                                                  std::move(column.keyless_valid), queue));
  arrays_->order.renumber(rows.ids, rows.row_count, queue);
  arrays_->deleted_rows.emplace(arrays_->order, arrays_->included.size(), memory());
  size_ = points.size;
  ordered_arrays_ = arrays_.get();
  for (const DeviceIncluded& column : arrays_->included)
    included_.push_back({column.type(), column.valid != nullptr});
  finish_build(arrays_->stream, meter);
}

BoxSearcher::~BoxSearcher() { release(arrays_); }

DeviceSearcher::Encoding BoxSearcher::encoding() const {
  return {arrays_->order.row_count(), 0, nullptr, false};
}

SegmentTraits BoxSearcher::traits(std::size_t) const { return {.points = true}; }

DeletedRowsUse BoxSearcher::deleted_in(const DeviceLookups& lookups, cudaStream_t stream) const {
  return lookups.deleted.empty() ? DeletedRowsUse()
                                 : arrays_->deleted_rows->get(lookups.deleted, nullptr, stream);
}

BoxSearch BoxSearcher::search_of(const DeviceLookups& lookups,
                                 const DeletedRowsUse& deleted) const {
  return {&arrays_->boxes, lookups.boxes->from(lookups.first_box), lookups.count,
          arrays_->order.rows(), deleted.positions()};
}

FoundRows BoxSearcher::answer_on_device(Method, const SearchedLookups& searched,
                                        const DeviceRequest& request, RowsWanted wanted,
                                        cudaStream_t stream) const {
  const DeviceLookups& lookups = searched.lookups;
  if (lookups.count == 0) return {};
  const Queue queue(memory(), stream);
  const DeletedRowsUse deleted = deleted_in(lookups, stream);
  const BoxSearch search = search_of(lookups, deleted);
  if (request.wants_rows() || request.matched != nullptr) answer_boxes(search, request, queue);
  if (!wanted.any) return {};
  return collect(search, wanted, queue);
}

FoundRows BoxSearcher::collect(const BoxSearch& search, const RowsWanted& wanted,
                               const Queue& queue) {
  // Positions in an array of rows have 32 bits.
  constexpr std::uint64_t max_collected = std::numeric_limits<std::uint32_t>::max();
  // One warp lists rows in the same order whenever it is called.
  const std::uint32_t parts = wanted.in_order ? 1 : parts_of_boxes(search, wanted.limit);
  const std::size_t all_parts = search.count * parts;
  FoundRows found;
  found.runs = DeviceArray<Run>(queue, search.count);
  const DeviceArray<Run> sizes(queue, all_parts);
  count_boxes(search, parts, wanted.limit, sizes.data(), queue);
  const DeviceArray<std::uint64_t> offsets(queue, all_parts + 1);
  offsets_of(RowSources::of({sizes.data()}), all_parts, no_limit, offsets.data(), queue);
  std::uint64_t total = 0;
  if (!wanted.sizes_only) copy_to_host(&total, offsets.data() + all_parts, sizeof(total), queue);
  found.too_many = total > max_collected;
  const bool has_rows = !wanted.sizes_only && !found.too_many;
  runs_of_parts(offsets.data(), search.count, parts, !has_rows, found.runs.data(), queue);
  if (!has_rows) return found;
  found.own = DeviceArray<std::uint32_t>(queue, total);
  if (wanted.by_position) found.own_positions = DeviceArray<std::uint32_t>(queue, total);
  collect_boxes(search, parts, {offsets.data(), found.own.data(), found.own_positions.data()},
                queue);
  found.rows = {found.own.data(), 1};
  return found;
}

void BoxSearcher::write_rows(const SearchedLookups& searched, std::uint32_t limit,
                             std::uint64_t* offsets, std::uint32_t* rows, std::uint64_t capacity,
                             cudaStream_t stream) const {
  const DeviceLookups& lookups = searched.lookups;
  const Queue queue(memory(), stream);
  const DeletedRowsUse deleted = deleted_in(lookups, stream);
  const BoxSearch search = search_of(lookups, deleted);
  const std::uint32_t parts = parts_of_boxes(search, limit);
  const std::size_t all_parts = search.count * parts;
  const DeviceArray<Run> sizes(queue, all_parts);
  count_boxes(search, parts, limit, sizes.data(), queue);
  DeviceArray<std::uint64_t> own;
  if (parts != 1) own = DeviceArray<std::uint64_t>(queue, all_parts + 1);
  std::uint64_t* const of_parts = parts == 1 ? offsets : own.data();
  offsets_of(RowSources::of({sizes.data()}), all_parts, no_limit, of_parts, queue);
  if (parts != 1) offsets_of_parts(of_parts, search.count, parts, offsets, queue);
  if (rows != nullptr) collect_boxes(search, parts, {of_parts, rows, nullptr, capacity}, queue);
}

void BoxSearcher::set_bits(const SearchedLookups& searched, const BoxBitmaps& out,
                           cudaStream_t stream) const {
  const DeletedRowsUse deleted = deleted_in(searched.lookups, stream);
  set_bits_of_boxes(search_of(searched.lookups, deleted), out, stream);
}

namespace {

// What a single count needs, kept for the next one.
struct SingleCounter {
  SingleCounter() {
    void* memory = nullptr;
    check(cudaMalloc(&memory, sizeof(SingleCount)), "allocating a counter");
    count = static_cast<SingleCount*>(memory);
    check(cudaMemsetAsync(count, 0, sizeof(SingleCount), stream.get()), "filling memory");
  }
  // Only after a failed call, or where there are too many of them.
  ~SingleCounter() { static_cast<void>(cudaFree(count)); }
  SingleCounter(const SingleCounter&) = delete;
  SingleCounter& operator=(const SingleCounter&) = delete;

  OwnStream stream;
  PinnedBytes on_host{sizeof(std::uint32_t)};
  SingleCount* count = nullptr;
};

// Never freed: the CUDA runtime may be unloaded before static objects are destroyed.
[[nodiscard]] DevicePool<SingleCounter>& single_counters() {
  static auto* const pool = new DevicePool<SingleCounter>;
  return *pool;
}

}  // namespace

std::uint32_t BoxSearcher::count_single(const DeviceBoxes& box) const {
  auto counter = single_counters().acquire();
  SingleCounter& own = counter->value;
  auto* const result = reinterpret_cast<std::uint32_t*>(own.on_host.data());
  count_single_box({&arrays_->boxes, box, 1, arrays_->order.rows(), {}}, own.count, result,
                   own.stream.get());
  own.stream.wait();
  const std::uint32_t matches = *result;
  single_counters().release(std::move(counter));
  return matches;
}

void BoxSearcher::find_edges_on_device(const SearchedLookups&, Edge, std::uint32_t*, std::uint64_t*,
                                       cudaStream_t) const {
  fail_not_offered();
}

DeviceColumn BoxSearcher::device_column(cudaStream_t) const { fail_not_offered(); }

PackedKeys BoxSearcher::keys_in_order(std::size_t column, cudaStream_t stream) const {
  PackedKeys keys(size(), largest_[column]);
  const DevicePoints::Column& from = arrays_->boxes.keys().columns[column];
  copy_to_host(keys.data(), from.keys.data(),
               size() * (from.is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t)), stream);
  return keys;
}

Array<std::uint32_t> BoxSearcher::rows_in_order(cudaStream_t stream) const {
  Array<std::uint32_t> rows(size());
  copy_to_host(rows.data(), arrays_->order.split_rows(), rows.bytes(), stream);
  return rows;
}

EncodedColumn BoxSearcher::column() const {
  const OnDevice current(gpu().device);
  const PooledStream stream;
  const Array<std::uint32_t> rows = rows_in_order(stream.get());
  // The position of each row, in the order of rows.
  EncodedColumn column = rtindex::in_row_order(size(), arrays_->order.row_count(),
                                               size() == 0 ? 0 : size() - 1, [&](auto&& take) {
                                                 for (std::size_t i = 0; i < rows.size(); ++i)
                                                   take(rows[i], i);
                                               });
  const PackedKeys positions = std::move(column.keys);
  column.keys = PackedKeys();
  column.span = 0;
  for (std::size_t c = 0; c < largest_.size(); ++c) {
    const PackedKeys in_order = keys_in_order(c, stream.get());
    PackedKeys& keys = column.points.emplace_back(size(), largest_[c]);
    for (std::size_t i = 0; i < size(); ++i) keys.set(i, in_order[positions[i]]);
  }
  return column;
}

IncludedRows BoxSearcher::included_rows() const { return included_by_row(*arrays_, gpu()); }

// As a searcher in host memory saves them, which opens the file.
void BoxSearcher::save(FileWriter file) const {
  const OnDevice current(gpu().device);
  const PooledStream stream;
  Array<std::uint32_t> rows = rows_in_order(stream.get());
  std::vector<PackedKeys> columns;
  for (std::size_t c = 0; c < largest_.size(); ++c)
    columns.push_back(keys_in_order(c, stream.get()));
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0);
  const auto tree = std::make_shared<const BoxTree>(columns, order);
  tree->save(file.part("tree"));
  file.keep(tree);
  IncludedRows included = included_rows();
  const RowNumbers numbers(std::move(included.rows));
  for (std::size_t i = 0; i < included.columns.size(); ++i) {
    const ColumnView view = included.columns[i].view();
    const std::shared_ptr<const IncludedValues> values = IncludedValues::make(
        included_[i].has_nulls ? view : view.with_validity(nullptr), size(),
        [&](std::size_t at) { return std::as_const(rows)[at]; }, numbers);
    values->save(file.part(fmt::format("included{}", i)));
    file.keep(values);
  }
  file.number("size", size());
  file.array("rows", std::move(rows));
}

std::vector<std::pair<std::string, std::size_t>> BoxSearcher::memory_entries() const {
  std::vector<std::pair<std::string, std::size_t>> entries = {
      {"points", arrays_->boxes.key_bytes()},
      {"rowIDs", arrays_->order.bytes()},
      {"zone maps", arrays_->boxes.zone_bytes()}};
  std::size_t included = 0;
  for (const DeviceIncluded& column : arrays_->included) included += column.bytes();
  if (!arrays_->included.empty()) entries.emplace_back("included values", included);
  if (const std::size_t deleted = arrays_->deleted_rows->bytes(); deleted != 0)
    entries.emplace_back("deleted rows by position", deleted);
  return entries;
}

std::string BoxSearcher::describe() const {
  return describe_gpu(gpu().device) +
         fmt::format(
             "points: {} columns in Morton order, blocks of {} rows with zone maps in a tree of "
             "height {}\n",
             arrays_->boxes.columns(), std::uint32_t{BoxTreeView::block_rows},
             arrays_->boxes.view().levels);
}

DevicePoints uploaded_points(const EncodedColumn& column, const Queue& queue) {
  DevicePoints points;
  points.size = column.size();
  for (const PackedKeys& keys : column.points) {
    const std::size_t bytes =
        keys.size() * (keys.wide() ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
    DevicePoints::Column& uploaded = points.columns.emplace_back();
    uploaded.is_wide = keys.wide();
    uploaded.keys = DeviceBytes(queue, bytes);
    copy_to_device(uploaded.keys.data(), keys.data(), bytes, queue);
  }
  return points;
}

}  // namespace rtindex::cuda
