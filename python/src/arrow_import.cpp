#include "arrow.hpp"

#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "arrow_abi.hpp"
#include "arrow_type.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// A slice of an Arrow array. The offset counts elements, and includes that of the enclosing struct.
struct Slice {
  const ArrowArray& array;
  std::size_t offset, size;

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

ColumnView unpacked_bits(const Slice& slice, Column& column) {
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(slice.size);
  for (std::size_t i = 0; i < slice.size; ++i)
    (*bytes)[i] = slice.is_set(slice.buffer<std::uint8_t>(1), i) ? 1 : 0;
  ColumnView view = ColumnView::of(Type::boolean, bytes->data(), slice.size);
  column.keep(std::move(bytes));
  return view;
}

template <class Offset>
ColumnView between_offsets(const Slice& slice) {
  if (slice.size == 0) return {std::span<const std::string_view>()};
  return ColumnView::strings(
      std::span<const Offset>(slice.buffer<Offset>(1) + slice.offset, slice.size + 1),
      slice.buffer<char>(2));
}

// Arrow's string view: a length, then at most 12 bytes inline, or the first four bytes, a buffer
// number and an offset into that buffer.
std::string_view string_view_at(const Slice& slice, std::size_t i) {
  const char* entry = slice.buffer<char>(1) + (slice.offset + i) * 16;
  std::int32_t length = 0;
  std::memcpy(&length, entry, 4);
  if (length <= 12) return {entry + 4, static_cast<std::size_t>(length)};
  std::int32_t buffer = 0;
  std::int32_t offset = 0;
  std::memcpy(&buffer, entry + 8, 4);
  std::memcpy(&offset, entry + 12, 4);
  return {slice.buffer<char>(2 + buffer) + offset, static_cast<std::size_t>(length)};
}

template <class StringAt>
ColumnView one_by_one(const Slice& slice, Column& column, StringAt string_at) {
  auto strings = std::make_shared<std::vector<std::string_view>>(slice.size);
  for (std::size_t i = 0; i < slice.size; ++i)
    if (slice.valid(i)) (*strings)[i] = string_at(i);
  ColumnView view(*strings);
  column.keep(std::move(strings));
  return view;
}

ColumnView view_of(const Slice& slice, const ArrowType& type, Column& column);

ColumnView side_by_side(const Slice& slice, const ArrowType& type, Column& column) {
  std::vector<ColumnView> fields;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const ArrowArray& child = *slice.array.children[i];
    const std::size_t offset = slice.offset + static_cast<std::size_t>(child.offset);
    fields.push_back(view_of({child, offset, slice.size}, type.fields[i], column));
  }
  return ColumnView::composite(std::move(fields));
}

ColumnView valid_view_of(const Slice& slice, const ArrowType& type, Column& column) {
  switch (type.layout) {
    case ArrowLayout::bits: return unpacked_bits(slice, column);
    case ArrowLayout::offsets32: return between_offsets<std::int32_t>(slice);
    case ArrowLayout::offsets64: return between_offsets<std::int64_t>(slice);
    case ArrowLayout::views:
      return one_by_one(slice, column, [&](std::size_t i) { return string_view_at(slice, i); });
    case ArrowLayout::fixed:
      return one_by_one(slice, column, [&](std::size_t i) {
        return std::string_view(slice.buffer<char>(1) + (slice.offset + i) * type.width,
                                type.width);
      });
    case ArrowLayout::fields: return side_by_side(slice, type, column);
    case ArrowLayout::elements: break;
  }
  const char* elements = slice.buffer<char>(1);
  if (elements != nullptr) elements += slice.offset * width_of(type.type);
  return ColumnView::of(type.type, elements, slice.size);
}

ColumnView view_of(const Slice& slice, const ArrowType& type, Column& column) {
  const ColumnView view = valid_view_of(slice, type, column);
  const std::uint8_t* validity = slice.size == 0 ? nullptr : slice.validity();
  return validity == nullptr ? view : view.with_validity(validity, slice.offset);
}

void append(Column& column, const ArrowType& type, ArrowArray* array) {
  auto owned = std::make_shared<ArrowOwned<ArrowArray>>(array);
  const auto offset = static_cast<std::size_t>((*owned)->offset);
  const auto size = static_cast<std::size_t>((*owned)->length);
  column.append(view_of({**owned, offset, size}, type, column));
  column.keep(std::move(owned));
}

// The struct in a capsule of that name.
template <class Struct>
Struct* in_capsule(nb::handle capsule, const char* name) {
  auto* found = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found == nullptr) throw nb::python_error();
  if (found->release == nullptr) fail("the Arrow data has been consumed already: export it again");
  return found;
}

void require_success(int code, ArrowArrayStream* stream) {
  if (code == 0) return;
  const char* why = stream->get_last_error(stream);
  fail("the Arrow stream failed: {}", why == nullptr ? std::strerror(code) : why);
}

// An empty chunk, for a column without chunks.
ColumnView empty_chunk(const ArrowType& type) {
  if (type.layout == ArrowLayout::fields) {
    std::vector<ColumnView> fields;
    for (const ArrowType& field : type.fields) fields.push_back(empty_chunk(field));
    return ColumnView::composite(std::move(fields));
  }
  if (type.type == Type::string) return {std::span<const std::string_view>()};
  return ColumnView::of(type.type, nullptr, 0);
}

Column from_stream(nb::handle capsule) {
  ArrowOwned<ArrowArrayStream> stream(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
  ArrowOwned<ArrowSchema> schema;
  require_success(stream->get_schema(stream.get(), schema.get()), stream.get());
  const ArrowType type = ArrowType::from(*schema);
  Column column(type.type, type.units());
  while (true) {
    ArrowArray next{};
    require_success(stream->get_next(stream.get(), &next), stream.get());
    if (next.release == nullptr) break;
    append(column, type, &next);
  }
  if (column.pieces().empty()) column.append(empty_chunk(type));
  return column;
}

Column from_array(nb::handle schema_capsule, nb::handle array_capsule) {
  const ArrowOwned<ArrowSchema> schema(in_capsule<ArrowSchema>(schema_capsule, "arrow_schema"));
  const ArrowType type = ArrowType::from(*schema);
  Column column(type.type, type.units());
  append(column, type, in_capsule<ArrowArray>(array_capsule, "arrow_array"));
  return column;
}

}  // namespace

Column from_arrow(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_array__")) {
    const nb::object capsules = object.attr("__arrow_c_array__")();
    return from_array(capsules[0], capsules[1]);
  }
  return from_stream(nb::object(object.attr("__arrow_c_stream__")()));
}

}  // namespace rtindex::python
