#include "order/cuda/device_columns.hpp"

#include <vector>

#include "base/types.hpp"
#include "keys/composite_map.hpp"

namespace rtindex::cuda {

DeviceElements elements_of(const ColumnView& column) {
  return {column.data(), element_type(column.type()), column.validity(), column.validity_offset(),
          column.size()};
}

namespace {

template <class T>
DeviceArray<T> copy_of(const DeviceArray<T>& from, const Queue& queue) {
  DeviceArray<T> copy(queue, from.size());
  if (!from.empty())
    check(cudaMemcpyAsync(copy.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, queue),
          "copying on the GPU");
  return copy;
}

OwnedColumn fetched_strings(const ColumnView& column, cudaStream_t stream) {
  OwnedColumn result(Type::string, column.size());
  if (column.empty()) return result;
  const std::size_t width = column.string_offset_width();
  const ElementType type = string_elements(width);
  Array<std::byte> offsets((column.size() + 1) * width);
  copy_to_host(offsets.data(), column.string_offsets(), offsets.bytes(), stream);
  const std::uint64_t first = string_offset(offsets.data(), type, 0);
  Array<char> bytes(string_offset(offsets.data(), type, column.size()) - first);
  copy_to_host(bytes.data(), column.string_bytes() + first, bytes.bytes(), stream);
  for (std::size_t i = 0; i < column.size(); ++i) {
    const std::uint64_t begin = string_offset(offsets.data(), type, i);
    result.string(i).assign(bytes.data() + (begin - first),
                            string_offset(offsets.data(), type, i + 1) - begin);
  }
  return result;
}

}  // namespace

OwnedColumn fetched(const ColumnView& column, cudaStream_t stream) {
  OwnedColumn result;
  if (column.type() == Type::string) {
    result = fetched_strings(column, stream);
  } else if (column.type() == Type::composite) {
    std::vector<OwnedColumn> parts;
    for (const ColumnView& part : column.parts()) parts.push_back(fetched(part, stream));
    result = OwnedColumn::composite(std::move(parts));
  } else {
    result = OwnedColumn(column.type(), column.size());
    copy_to_host(result.data<std::uint8_t>(), column.data(),
                 column.size() * width_of(column.type()), stream);
  }
  std::vector<std::uint8_t> bits;
  const std::size_t first_byte = column.validity_offset() / 8;
  const std::size_t first_bit = column.validity_offset() % 8;
  if (column.validity() != nullptr) {
    bits.resize((first_bit + column.size() + 7) / 8);
    copy_to_host(bits.data(), column.validity() + first_byte, bits.size(), stream);
  }
  for (std::size_t row = 0; row < column.size(); ++row) {
    const std::size_t bit = first_bit + row;
    result.set_valid(row, bits.empty() || (bits[bit / 8] >> (bit % 8) & 1) != 0);
  }
  return result;
}

DeviceColumn uploaded(const EncodedColumn& column, const Queue& queue) {
  DeviceColumn result;
  result.size = column.size();
  result.row_count = column.row_count;
  result.span = column.span;
  if (column.keys.wide())
    result.wide = uploaded(column.keys.wide_data(), column.size(), queue);
  else
    result.narrow = uploaded(column.keys.narrow_data(), column.size(), queue);
  if (!column.rows.empty()) result.rows = uploaded(column.rows.data(), column.rows.size(), queue);
  return result;
}

EncodedColumn downloaded(const DeviceColumn& column, cudaStream_t stream) {
  EncodedColumn result;
  result.row_count = column.row_count;
  result.span = column.span;
  result.keys = PackedKeys(column.size, column.span);
  const std::size_t bytes = result.keys.bytes();
  Array<std::uint8_t> keys(bytes);
  copy_to_host(
      keys.data(),
      column.is_wide() ? static_cast<const void*>(column.wide.data()) : column.narrow.data(), bytes,
      stream);
  const auto key_at = [&](std::size_t i) -> std::uint64_t {
    if (column.is_wide()) return reinterpret_cast<const std::uint64_t*>(keys.data())[i];
    return reinterpret_cast<const std::uint32_t*>(keys.data())[i];
  };
  for (std::size_t i = 0; i < column.size; ++i) result.keys.set(i, key_at(i));
  if (!column.rows.empty()) {
    result.rows = Array<std::uint32_t>(column.size);
    copy_to_host(result.rows.data(), column.rows.data(), result.rows.bytes(), stream);
  }
  return result;
}

DeviceColumn copy_of(const DeviceColumn& column, const Queue& queue) {
  DeviceColumn copy;
  copy.narrow = copy_of(column.narrow, queue);
  copy.wide = copy_of(column.wide, queue);
  copy.rows = copy_of(column.rows, queue);
  copy.size = column.size;
  copy.row_count = column.row_count;
  copy.span = column.span;
  return copy;
}

std::string element_text(const ColumnView& column, std::uint32_t row, cudaStream_t stream) {
  if (column.memory_space() == MemorySpace::host) return column.text(row);
  const std::size_t width = width_of(column.type());
  std::vector<std::byte> element(width);
  copy_to_host(element.data(), static_cast<const std::byte*>(column.data()) + row * width, width,
               stream);
  return ColumnView::of(column.type(), element.data(), 1).text(0);
}

}  // namespace rtindex::cuda
