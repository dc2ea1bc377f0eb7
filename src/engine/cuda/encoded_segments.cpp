#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/box_searcher.hpp"
#include "engine/cuda/box_searcher.hpp"
#include "engine/cuda/device_segments.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/full_order.hpp"

namespace rtindex::cuda {

namespace {

// Included values in host memory: that of row numbers.row(e) is element e.
class HostValues {
 public:
  HostValues(const ColumnView& values, const RowNumbers& numbers)
      : numbers_(numbers), view_(values) {}
  // That they are not null, as a column of its own.
  [[nodiscard]] static std::vector<std::uint8_t> valid(const ColumnView& values) {
    std::vector<std::uint8_t> bytes(values.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = values.valid(i) ? 1 : 0;
    return bytes;
  }

  // The values of some rows.
  [[nodiscard]] DeviceArray<std::uint8_t> of(const std::vector<std::uint32_t>& rows,
                                             const Queue& queue) const {
    const std::size_t width = width_of(view_.type());
    std::vector<std::uint8_t> bytes(rows.size() * width);
    const auto* const from = static_cast<const std::uint8_t*>(view_.data());
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::memcpy(bytes.data() + i * width, from + numbers_.element(rows[i]) * width, width);
    return uploaded(bytes.data(), bytes.size(), queue);
  }
  // Those of rows that the column does not have.
  [[nodiscard]] KeylessValues outside(const EncodedColumn& column, const Queue& queue) const {
    std::vector<std::uint32_t> rows;
    std::size_t next = 0;
    for (std::size_t element = 0; element < view_.size(); ++element) {
      const std::uint32_t row = numbers_.row(element);
      while (next < column.size() && column.row(next) < row) ++next;
      if (next == column.size() || column.row(next) != row) rows.push_back(row);
    }
    KeylessValues result;
    if (rows.empty()) return result;
    result.size = rows.size();
    result.rows = uploaded(rows.data(), rows.size(), queue);
    result.values = of(rows, queue);
    return result;
  }

 private:
  const RowNumbers& numbers_;
  const ColumnView& view_;
};

[[nodiscard]] std::shared_ptr<DeviceFullKeys> full_keys_of(const KeyCodec& codec,
                                                           const Queue& queue) {
  if (codec.fields().fields.size() > PackedMap::max_fields)
    fail(ErrorKind::unsupported,
         "composite keys of more than {} parts cannot be indexed on a GPU: use fewer, or an index "
         "@cpu",
         std::size_t{PackedMap::max_fields});
  return std::make_shared<DeviceFullKeys>(codec, codec.fields(), queue);
}

// An included column of a file.
class LoadedValues {
 public:
  LoadedValues(const FileReader& file, std::size_t size) {
    const std::string& name = file.text("type");
    const Type type = find_type(name).value_or(Type::string);
    if (!is_native(type)) file.reject("its included values are of the unknown type '{}'", name);
    values_ = file.array<std::uint8_t>("values", size * width_of(type));
    view_ = ColumnView::of(type, std::as_const(values_).data(), size);
    if (!file.has("valid")) return;
    const auto valid = file.array<std::uint8_t>("valid", size);
    bits_.assign((size + 7) / 8, 0);
    for (std::size_t i = 0; i < size; ++i)
      if (valid[i] != 0) bits_[i / 8] = static_cast<std::uint8_t>(bits_[i / 8] | 1U << (i % 8));
    view_ = view_.with_validity(bits_.data());
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  Array<std::uint8_t> values_;
  std::vector<std::uint8_t> bits_;
  ColumnView view_;
};

// The ends of intervals of a file, whose starts are the keys of the column.
[[nodiscard]] PackedKeys load_ends(const FileReader& file, const EncodedColumn& starts,
                                   std::size_t rows) {
  EncodedColumn ends = load_column(file, rows, starts.span);
  if (ends.size() != starts.size())
    file.reject("it has {} starts and {} ends", starts.size(), ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (ends.row(i) != starts.row(i) || ends.keys[i] < starts.keys[i])
      file.reject("its interval {} ends before it starts, or in another row", i);
  return std::move(ends.keys);
}

// The row of each key of a column.
[[nodiscard]] std::vector<std::uint32_t> rows_of(const EncodedColumn& column) {
  std::vector<std::uint32_t> rows(column.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = column.row(i);
  return rows;
}

// Adds the included values of the keys, whose rows are `of_keys`. They lie in the result.
using IncludedArrays = std::vector<DeviceArray<std::uint8_t>>;
[[nodiscard]] IncludedArrays add_included(DeviceRows& rows, const EncodedColumn& column,
                                          const RowNumbers& numbers,
                                          std::span<const ColumnView> include,
                                          const std::vector<std::uint32_t>& of_keys,
                                          const Queue& queue) {
  IncludedArrays arrays;
  for (const ColumnView& values : include) {
    const HostValues included(values, numbers);
    arrays.push_back(included.of(of_keys, queue));
    DeviceRows::Included made{
        {values.type(), arrays.back().data()}, included.outside(column, queue), {}};
    if (values.nullable()) {
      const std::vector<std::uint8_t> bytes = HostValues::valid(values);
      const ColumnView of_bytes = ColumnView::of(valid_type, bytes.data(), bytes.size());
      const HostValues valid(of_bytes, numbers);
      arrays.push_back(valid.of(of_keys, queue));
      made.values.valid = arrays.back().data();
      made.keyless_valid = valid.outside(column, queue);
    }
    rows.included.push_back(std::move(made));
  }
  return arrays;
}

// Makes row i of the rows element i of their values.
class ElementNumbers {
 public:
  // `of_keys`: the row of each key, in the order of the column on the device.
  ElementNumbers(DeviceRows& rows, const std::vector<std::uint32_t>& of_keys, const Queue& queue)
      : ids_(uploaded(of_keys.data(), of_keys.size(), queue)) {
    rows.ids = {ids_.data(), 0};
    rows.column.row_count = rows.column.size;
    rows.column.rows = DeviceArray<std::uint32_t>();
    if (rows.sorting == Sorting::needed) return;
    // Keys in key order have rows of their own.
    std::vector<std::uint32_t> elements(rows.column.size);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint32_t>(i);
    rows.column.rows = uploaded(elements.data(), elements.size(), queue);
  }

 private:
  DeviceArray<std::uint32_t> ids_;
};

}  // namespace

std::unique_ptr<Searcher> DeviceSegmentBuilder::make_searcher(DeviceRows rows, SegmentUse use,
                                                              const MemoryMeter& meter) const {
  if (!kind_->positions) return kind_->rows(std::move(rows), gpu_, meter);
  const bool rows_may_follow = rows.rows_may_follow;
  std::unique_ptr<OrderedArrays> arrays = in_key_order(std::move(rows), kind_->layout, gpu_.memory);
  if (rows_may_follow) drop_rows(*arrays, use);
  return std::make_unique<OrderedSearcher>(gpu_, kind_, std::move(arrays), use, meter);
}

void DeviceSegmentBuilder::drop_rows(OrderedArrays& arrays, SegmentUse use) const {
  if (use == SegmentUse::main && kind_->drops_rows())
    arrays.order.drop_rows(kind_->searches_sequences, {gpu_.memory, arrays.stream.get()});
}

std::unique_ptr<Searcher> DeviceSegmentBuilder::make_encoded(
    EncodedColumn column, const KeyCodec& codec, const KeyText& key_text, const RowNumbers& numbers,
    std::span<const ColumnView> include) const {
  const OnDevice current(gpu_.device);
  if (kind_->reject) kind_->reject(column, key_text);
  if (!kind_->positions) return kind_->encoded(std::move(column), codec, gpu_);
  const MemoryMeter meter;
  DeviceRows rows{PooledStream()};
  const Queue queue(gpu_.memory, rows.stream.get());
  const WaitOnExit wait(queue);
  rows.row_count = column.row_count;
  rows.column = uploaded(column, queue);
  // Points of intervals are never compared in full.
  if (!codec.native_base() && !codec.are_intervals()) rows.full = full_keys_of(codec, queue);
  if (rows.full != nullptr && rows.full->compares()) {
    rows.column = in_full_order(std::move(rows.column), rows.full->view(), queue);
    rows.sorting = Sorting::by_full_keys;
  }
  if (include.empty()) return make_searcher(std::move(rows), SegmentUse::main, meter);
  std::vector<std::uint32_t> of_keys = rows_of(column);  // the row of each key
  if (rows.sorting == Sorting::by_full_keys)
    copy_to_host(of_keys.data(), rows.column.rows.data(), column.size() * sizeof(std::uint32_t),
                 queue);
  // Until the searcher is made.
  const IncludedArrays arrays = add_included(rows, column, numbers, include, of_keys, queue);
  const ElementNumbers elements(rows, of_keys, queue);
  return make_searcher(std::move(rows), SegmentUse::main, meter);
}

std::unique_ptr<Searcher> DeviceSegmentBuilder::make_points(
    const EncodedColumn& column, const PointCodec& codec, const RowNumbers& numbers,
    std::span<const ColumnView> include) const {
  const OnDevice current(gpu_.device);
  const MemoryMeter meter;
  if (kind_->points) return kind_->points(column, codec, gpu_, meter);
  DeviceRows rows{PooledStream()};
  const Queue queue(gpu_.memory, rows.stream.get());
  const WaitOnExit wait(queue);
  rows.row_count = column.row_count;
  const DevicePoints points = uploaded_points(column, queue);
  const std::vector<std::uint32_t> of_points = rows_of(column);
  const IncludedArrays arrays = add_included(rows, column, numbers, include, of_points, queue);
  const DeviceArray<std::uint32_t> ids = column.rows.empty()
                                             ? DeviceArray<std::uint32_t>()
                                             : uploaded(of_points.data(), of_points.size(), queue);
  rows.ids = {ids.data(), 0};
  return std::make_unique<BoxSearcher>(gpu_, std::move(rows), points, codec.largest_keys(), meter);
}

// What a searcher on a GPU saved is its column, with the included values beside it. Intervals have
// a column of starts and one of ends.
LoadedSearcher DeviceSegmentBuilder::load(const FileReader& file, const KeyCodec& codec,
                                          std::size_t rows) const {
  const PointCodec* const points = point_codec(codec);
  if (points != nullptr && kind_->points)
    return {make_points(load_points(file, rows, points->largest_keys()), *points, {}, {}), true};
  if (points != nullptr) {
    // A file has them as host memory does.
    const std::unique_ptr<Searcher> saved = load_box_searcher(file, *points, rows);
    IncludedRows included = saved->included_rows();
    std::vector<ColumnView> include;
    for (std::size_t i = 0; i < included.columns.size(); ++i) {
      const ColumnView values = included.columns[i].view();
      include.push_back(saved->included()[i].has_nulls ? values : values.with_validity(nullptr));
    }
    return {make_points(saved->column(), *points, RowNumbers(std::move(included.rows)), include),
            true};
  }
  const FileReader keys_file = codec.are_intervals() ? file.part("starts") : file;
  EncodedColumn column = load_column(keys_file, rows, codec.span());
  if (codec.are_intervals()) column.ends = load_ends(file.part("ends"), column, rows);
  const KeyText key_text = [](std::uint32_t) { return "(of the file)"; };
  LoadedSearcher result{nullptr, true};
  const auto make = [&](const RowNumbers& numbers, std::span<const ColumnView> include) {
    result.searcher = codec.are_intervals()
                          ? make_intervals(column, codec, key_text, numbers, include)
                          : make_encoded(std::move(column), codec, key_text, numbers, include);
  };
  if (!keys_file.has("included_rows")) {
    make({}, {});
    return result;
  }
  auto listed = keys_file.array<std::uint32_t>("included_rows");
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (std::as_const(listed)[i] >= rows ||
        (i != 0 && std::as_const(listed)[i] <= std::as_const(listed)[i - 1]))
      keys_file.reject("the rows of its included values do not ascend");
  const RowNumbers numbers(std::move(listed));
  if (numbers.size() == 0 && column.size() != 0)
    keys_file.reject("its included values are missing");
  std::deque<LoadedValues> loaded;
  std::vector<ColumnView> include;
  const auto part = [&](std::size_t i) { return keys_file.part(fmt::format("included{}", i)); };
  for (std::size_t i = 0; part(i).has("type"); ++i)
    include.push_back(loaded.emplace_back(part(i), numbers.size()).view());
  make(numbers, include);
  return result;
}

}  // namespace rtindex::cuda
