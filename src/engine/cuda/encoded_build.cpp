#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_structure.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/full_order.hpp"

namespace rtindex::cuda {

namespace {

// Included values in host memory: that of row numbers.row(e) is element e.
class HostValues {
 public:
  HostValues(const ColumnView& values, const RowNumbers& numbers, cudaStream_t stream)
      : type_(values.type()), numbers_(numbers), view_(values) {
    if (values.memory_space() == MemorySpace::host) return;
    own_ = fetched(values, stream);
    view_ = own_.view();
  }

  [[nodiscard]] Type type() const { return type_; }
  // The values of some rows.
  [[nodiscard]] DeviceArray<std::uint8_t> of(const std::vector<std::uint32_t>& rows,
                                             const Queue& queue) const {
    const std::size_t width = width_of(type_);
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
  Type type_;
  const RowNumbers& numbers_;
  OwnedColumn own_;
  ColumnView view_;
};

[[nodiscard]] std::shared_ptr<DeviceFullKeys> full_keys_of(const KeyCodec& codec,
                                                           const Queue& queue) {
  const std::optional<CodecParts> parts = codec.parts();
  if (!parts)
    fail(ErrorKind::unsupported,
         "composite keys of more than {} parts cannot be indexed on a GPU: use fewer, or an index "
         "@cpu",
         std::size_t{PackedMap::max_parts});
  return std::make_shared<DeviceFullKeys>(codec, *parts, queue);
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

std::unique_ptr<Structure> build_encoded(const DeviceOptions& options, const EncodedColumn& column,
                                         const KeyCodec& codec, const RowNumbers& numbers,
                                         const BuildOptions& build) {
  const OnDevice current(options.device);
  const std::shared_ptr<DeviceMemory> memory = current_memory(build.device_memory);
  const MemoryMeter meter;
  DeviceRows rows(build_stream(build.stream, {{build.include, "included values"}}));
  const Queue queue(memory, rows.stream.get());
  const WaitOnExit wait(queue);
  rows.row_count = column.row_count;
  rows.column = uploaded(column, queue);
  if (!codec.native_base()) rows.full = full_keys_of(codec, queue);
  if (rows.full != nullptr && rows.full->compares()) {
    rows.column = in_full_order(std::move(rows.column), rows.full->view(), queue);
    rows.sorting = Sorting::by_full_keys;
  }
  if (!build.include.has_value())
    return std::make_unique<DeviceStructure>(
        options, ordered_arrays(std::move(rows), options.layout, memory), SegmentUse::main, memory,
        meter);
  std::vector<std::uint32_t> of_keys(column.size());  // the row of each key
  if (rows.sorting == Sorting::by_full_keys)
    copy_to_host(of_keys.data(), rows.column.rows.data(), column.size() * sizeof(std::uint32_t),
                 queue);
  else
    for (std::size_t i = 0; i < column.size(); ++i) of_keys[i] = column.row(i);
  const HostValues included(build.include, numbers, queue);
  const DeviceArray<std::uint8_t> values = included.of(of_keys, queue);
  const ElementNumbers elements(rows, of_keys, queue);
  rows.value_type = included.type();
  rows.values = values.data();
  rows.keyless = included.outside(column, queue);
  return std::make_unique<DeviceStructure>(options,
                                           ordered_arrays(std::move(rows), options.layout, memory),
                                           SegmentUse::main, memory, meter);
}

std::unique_ptr<Structure> build_saved(const DeviceOptions& options, const FileReader& file,
                                       const EncodedColumn& column, const KeyCodec& codec,
                                       std::size_t rows,
                                       const std::shared_ptr<DeviceMemory>& memory) {
  if (options.refuse) options.refuse(column, [](std::uint32_t) { return "(of the file)"; });
  if (!file.has("included_type"))
    return build_encoded(options, column, codec, {}, {.device_memory = memory});
  const std::string& name = file.text("included_type");
  auto type = Type::u8;
  while (is_native(type) && name_of(type) != name)
    type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1);
  if (!is_native(type)) file.refuse("its included values are of the unknown type '{}'", name);
  auto listed = file.array<std::uint32_t>("included_rows");
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (std::as_const(listed)[i] >= rows ||
        (i != 0 && std::as_const(listed)[i] <= std::as_const(listed)[i - 1]))
      file.refuse("the rows of its included values do not ascend");
  const RowNumbers numbers(std::move(listed));
  if (numbers.size() == 0 && column.size() != 0) file.refuse("its included values are missing");
  const auto bytes = file.array<std::uint8_t>("included_values", numbers.size() * width_of(type));
  const ColumnView values = ColumnView::of(type, bytes.data(), numbers.size());
  return build_encoded(options, column, codec, numbers,
                       {.include = values, .device_memory = memory});
}

}  // namespace rtindex::cuda
