#include "arrow/import.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex::arrow {

namespace {

// A slice of an Arrow array. The offset counts elements, and includes that of the enclosing struct.
struct Slice {
  const ArrowArray& array;
  std::size_t offset, size;
  MemorySpace space;  // of the buffers

  template <class T>
  [[nodiscard]] const T* buffer(std::int64_t i) const {
    return i < array.n_buffers ? static_cast<const T*>(array.buffers[i]) : nullptr;
  }
  [[nodiscard]] const std::uint8_t* validity() const {
    return array.null_count == 0 ? nullptr : buffer<std::uint8_t>(0);
  }
  [[nodiscard]] bool is_set(const std::uint8_t* bitmap, std::size_t i) const {
    return ((bitmap[(offset + i) / 8] >> ((offset + i) % 8)) & 1) != 0;
  }
  [[nodiscard]] bool valid(std::size_t i) const {
    const std::uint8_t* bitmap = validity();
    return bitmap == nullptr || is_set(bitmap, i);
  }
};

std::int64_t min_buffers(Layout layout) {
  switch (layout) {
    case Layout::fields: return 1;
    case Layout::offsets32:
    case Layout::offsets64: return 3;
    case Layout::elements:
    case Layout::bits:
    case Layout::views:
    case Layout::indices:
    case Layout::fixed: break;
  }
  return 2;
}

// The array from `offset` on of an enclosing struct; throws if it does not have the shape that
// its type demands.
Slice checked_slice(const ArrowArray& array, const ArrowType& type, std::size_t offset,
                    std::size_t size, MemorySpace space) {
  constexpr std::int64_t max_elements = std::numeric_limits<std::int64_t>::max() / 16;
  if (array.release == nullptr)
    fail("the Arrow array has been released or moved already: export it again");
  if (array.length < 0 || array.offset < 0 || array.length > max_elements ||
      array.offset > max_elements)
    fail("invalid Arrow array: length {} and offset {}, expected 0 or more", array.length,
         array.offset);
  if (array.null_count < -1 || array.null_count > array.length)
    fail("invalid Arrow array: {} of {} elements are null", array.null_count, array.length);
  if (static_cast<std::size_t>(array.length) < offset + size)
    fail("invalid Arrow array: a child of a struct has {} elements and the struct needs {}",
         array.length, offset + size);
  if (array.n_buffers < min_buffers(type.layout) || array.buffers == nullptr)
    fail("invalid Arrow array: it has {} buffers, expected {} for a column of type {}",
         array.buffers == nullptr ? 0 : array.n_buffers, min_buffers(type.layout),
         name_of(type.type));
  const Slice slice{array, offset + static_cast<std::size_t>(array.offset), size, space};
  if (size != 0 && array.null_count > 0 && slice.buffer<char>(0) == nullptr)
    fail("invalid Arrow array: {} elements are null, but buffer 0, the validity bitmap, is null",
         array.null_count);
  if (size != 0 && type.layout != Layout::fields && slice.buffer<char>(1) == nullptr)
    fail("invalid Arrow array: buffer 1 of a column of type {} with {} rows is null",
         name_of(type.type), size);
  return slice;
}

ColumnView unpacked_bits(const Slice& slice, Imported& column) {
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(slice.size);
  for (std::size_t i = 0; i < slice.size; ++i)
    (*bytes)[i] = slice.is_set(slice.buffer<std::uint8_t>(1), i) ? 1 : 0;
  ColumnView view = ColumnView::of(Type::boolean, bytes->data(), slice.size);
  column.owners.push_back(std::move(bytes));
  return view;
}

// `count` elements of buffer 1 from the start of the slice; copied where they are not aligned,
// which Arrow allows.
template <class T>
const T* elements_of(const Slice& slice, std::size_t count, Imported& column) {
  const T* const elements = slice.buffer<T>(1);
  if (elements == nullptr) return nullptr;
  if (slice.space == MemorySpace::device ||
      reinterpret_cast<std::uintptr_t>(elements) % alignof(T) == 0)
    return elements + slice.offset;
  auto copy = std::make_shared<std::vector<T>>(count);
  std::memcpy(copy->data(), slice.buffer<char>(1) + slice.offset * sizeof(T), count * sizeof(T));
  column.owners.push_back(copy);
  return copy->data();
}

template <class Offset>
ColumnView between_offsets(const Slice& slice, Imported& column) {
  if (slice.size == 0) return ColumnView::strings(std::span<const Offset>(), "");
  const auto* offsets = elements_of<Offset>(slice, slice.size + 1, column);
  const char* bytes = slice.buffer<char>(2);
  if (slice.space == MemorySpace::device)
    return ColumnView::strings(std::span<const Offset>(offsets, slice.size + 1), bytes);
  if (offsets[0] < 0 || !std::is_sorted(offsets, offsets + slice.size + 1))
    fail("invalid Arrow array: offsets of strings decrease or are negative");
  if (bytes == nullptr && offsets[slice.size] != offsets[0])
    fail("invalid Arrow array: buffer 2, the bytes of the strings, is null");
  return ColumnView::strings(std::span<const Offset>(offsets, slice.size + 1),
                             bytes == nullptr ? "" : bytes);
}

// Arrow's string view: a length, then at most 12 bytes inline, or the first four bytes, a buffer
// number and an offset into that buffer.
std::string_view string_view_at(const Slice& slice, std::size_t i) {
  const char* entry = slice.buffer<char>(1) + (slice.offset + i) * 16;
  std::int32_t length = 0;
  std::memcpy(&length, entry, 4);
  if (length < 0) fail("invalid Arrow array: string {} has the length {}", i, length);
  if (length <= 12) return {entry + 4, static_cast<std::size_t>(length)};
  std::int32_t buffer = 0;
  std::int32_t offset = 0;
  std::memcpy(&buffer, entry + 8, 4);
  std::memcpy(&offset, entry + 12, 4);
  // The last buffer holds the sizes of those with strings.
  const std::int64_t last = slice.array.n_buffers - 1;
  const auto* sizes = slice.buffer<char>(last);
  const bool exists = buffer >= 0 && buffer < last - 2 && sizes != nullptr;
  const char* bytes = exists ? slice.buffer<char>(2 + static_cast<std::int64_t>(buffer)) : nullptr;
  if (bytes == nullptr || offset < 0)
    fail("invalid Arrow array: string {} is at offset {} of buffer {}, which does not exist", i,
         offset, buffer);
  std::int64_t size = 0;
  std::memcpy(&size, sizes + static_cast<std::size_t>(buffer) * sizeof(size), sizeof(size));
  if (std::int64_t{offset} + length > size)
    fail("invalid Arrow array: string {} ends at {} of buffer {}, which has {} bytes", i,
         std::int64_t{offset} + length, buffer, size);
  return {bytes + offset, static_cast<std::size_t>(length)};
}

template <class StringAt>
ColumnView one_by_one(const Slice& slice, Imported& column, StringAt string_at) {
  auto strings = std::make_shared<std::vector<std::string_view>>(slice.size);
  for (std::size_t i = 0; i < slice.size; ++i)
    if (slice.valid(i)) (*strings)[i] = string_at(i);
  ColumnView view(*strings);
  column.owners.push_back(std::move(strings));
  return view;
}

ColumnView view_of(const Slice& slice, const ArrowType& type, Imported& column);

ColumnView side_by_side(const Slice& slice, const ArrowType& type, Imported& column) {
  const ArrowArray& array = slice.array;
  if (array.n_children != static_cast<std::int64_t>(type.fields.size()) ||
      array.children == nullptr)
    fail("invalid Arrow array: it has {} children and its schema {}",
         array.children == nullptr ? 0 : array.n_children, type.fields.size());
  std::vector<ColumnView> fields;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    if (array.children[i] == nullptr)
      fail("invalid Arrow array: child {} of the struct is null", i);
    fields.push_back(view_of(
        checked_slice(*array.children[i], type.fields[i], slice.offset, slice.size, slice.space),
        type.fields[i], column));
  }
  return ColumnView::composite(std::move(fields));
}

ColumnView elements_view(const Slice& slice, Type type, Imported& column) {
  if (is_128_bit(type))
    return ColumnView::of(type, elements_of<Bits128>(slice, slice.size, column), slice.size);
  return visit_native(type, [&]<class T>() {
    return ColumnView::of(type, elements_of<T>(slice, slice.size, column), slice.size);
  });
}

ColumnView from_dictionary(const Slice& slice, const ArrowType& type, Imported& column) {
  if (slice.array.dictionary == nullptr)
    fail("invalid Arrow array: its schema has a dictionary and the array has none");
  const ArrowArray& dictionary = *slice.array.dictionary;
  ArrowType value_type = type;
  value_type.layout = type.value_layout;
  const std::size_t size = dictionary.length < 0 ? 0 : static_cast<std::size_t>(dictionary.length);
  const ColumnView values =
      view_of(checked_slice(dictionary, value_type, 0, size, slice.space), value_type, column);
  ColumnView indices = elements_view(slice, type.index_type, column);
  const std::uint8_t* const validity = slice.size == 0 ? nullptr : slice.validity();
  if (validity != nullptr) indices = indices.with_validity(validity, slice.offset);
  return ColumnView::dictionary(indices, values);
}

ColumnView valid_view_of(const Slice& slice, const ArrowType& type, Imported& column) {
  switch (type.layout) {
    case Layout::bits: return unpacked_bits(slice, column);
    case Layout::offsets32: return between_offsets<std::int32_t>(slice, column);
    case Layout::offsets64: return between_offsets<std::int64_t>(slice, column);
    case Layout::views:
      return one_by_one(slice, column, [&](std::size_t i) { return string_view_at(slice, i); });
    case Layout::fixed:
      return one_by_one(slice, column, [&](std::size_t i) {
        return std::string_view(slice.buffer<char>(1) + (slice.offset + i) * type.width,
                                type.width);
      });
    case Layout::fields: return side_by_side(slice, type, column);
    case Layout::indices: return from_dictionary(slice, type, column);
    case Layout::elements: break;
  }
  return elements_view(slice, type.type, column);
}

ColumnView view_of(const Slice& slice, const ArrowType& type, Imported& column) {
  const std::uint8_t* validity = slice.size == 0 ? nullptr : slice.validity();
  ColumnView view = valid_view_of(slice, type, column);
  if (type.layout == Layout::indices) return view;  // has the validity of indices and values
  return validity == nullptr ? view : view.with_validity(validity, slice.offset);
}

void require_readable(const ArrowType& type) {
  for (const ArrowType& field : type.fields) require_readable(field);
  if (type.layout == Layout::indices)
    fail("unsupported dictionary column in device memory: pass it in host memory, or decode it");
  if (type.layout == Layout::bits || type.layout == Layout::views || type.layout == Layout::fixed)
    fail("unsupported {} column in device memory: pass it in host memory, or as {}",
         name_of(type.type), type.layout == Layout::bits ? "uint8" : "strings with offsets");
}

}  // namespace

Imported import_array(const ArrowArray& array, const ArrowType& type, MemorySpace space) {
  if (space == MemorySpace::device) require_readable(type);
  Imported column;
  const std::size_t size = array.length < 0 ? 0 : static_cast<std::size_t>(array.length);
  column.view = view_of(checked_slice(array, type, 0, size, space), type, column);
  if (space == MemorySpace::device) column.view = column.view.on_device();
  return column;
}

ColumnView empty_column(const ArrowType& type) {
  if (type.layout == Layout::fields) {
    std::vector<ColumnView> fields;
    for (const ArrowType& field : type.fields) fields.push_back(empty_column(field));
    return ColumnView::composite(std::move(fields));
  }
  if (type.type == Type::string) return {std::span<const std::string_view>()};
  return ColumnView::of(type.type, nullptr, 0);
}

ColumnView with_units(const ColumnView& view, const ArrowType& type) {
  if (has_time_unit(type.type)) return view.with_time_unit(type.unit);
  if (is_decimal(type.type)) return view.with_scale(type.scale);
  if (type.type != Type::composite) return view;
  std::vector<ColumnView> parts;
  for (std::size_t i = 0; i < type.fields.size(); ++i)
    parts.push_back(with_units(view.parts()[i], type.fields[i]));
  return ColumnView::composite(std::move(parts))
      .with_validity(view.validity(), view.validity_offset());
}

}  // namespace rtindex::arrow
