#include "c/columns.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/type.hpp"
#include "c/device.hpp"
#include "c/guard.hpp"

namespace rtindex::c {

namespace {

// The types of the C interface start with 1, in the order of `Type`.
Type type_from(std::int32_t type) {
  static_assert(static_cast<int>(Type::u8) + 1 == RTINDEX_TYPE_UINT8 &&
                static_cast<int>(Type::timestamp64) + 1 == RTINDEX_TYPE_TIMESTAMP64 &&
                static_cast<int>(Type::composite) + 1 == RTINDEX_TYPE_COMPOSITE &&
                static_cast<int>(Type::binary16) + 1 == RTINDEX_TYPE_BINARY16);
  static_assert(static_cast<int>(TimeUnit::nanosecond) == RTINDEX_TIME_UNIT_NANOSECOND);
  if (type < RTINDEX_TYPE_UINT8 || type > RTINDEX_TYPE_BINARY16)
    fail(
        "invalid column: type is {}, expected RTINDEX_TYPE_UINT8 to RTINDEX_TYPE_BINARY16, or a "
        "schema",
        type);
  return static_cast<Type>(type - 1);
}

bool is_on_device(const rtindex_column& column) {
  return choice(column.memory_space, MemorySpace::device, "memory_space") == MemorySpace::device;
}

template <class Offset>
ColumnView strings_between(const rtindex_column& column) {
  const auto* bytes = static_cast<const char*>(column.data);
  constexpr std::size_t max_count = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Offset) - 1;
  if (column.count > max_count)
    fail("invalid column of strings: count is {}, expected at most {}", column.count, max_count);
  const std::span offsets(static_cast<const Offset*>(column.offsets), column.count + 1);
  if (column.count != 0 && !is_on_device(column)) {
    if (offsets.front() < 0 || !std::is_sorted(offsets.begin(), offsets.end()))
      fail("invalid column of strings: offsets decrease or are negative");
    if (bytes == nullptr && offsets.back() != 0)
      fail("invalid column of strings: data, the bytes of the strings, is null");
  }
  return ColumnView::strings(offsets, bytes == nullptr ? "" : bytes);
}

ColumnView string_view_of(const rtindex_column& column) {
  const auto* bytes = static_cast<const char*>(column.data);
  if (column.offsets == nullptr && (column.width != 0 || column.count == 0)) {
    if (bytes == nullptr && column.count != 0)
      fail("invalid column of strings: data, the bytes of the strings, is null");
    if (column.width != 0 && column.count > std::numeric_limits<std::size_t>::max() / column.width)
      fail("invalid column of strings: {} strings of {} bytes each are more than memory can hold",
           column.count, column.width);
    return ColumnView::fixed_strings(bytes, column.width, column.count);
  }
  if (column.offsets == nullptr)
    fail("invalid column of strings: set offsets, or width if all strings have the same length");
  if (column.offset_bytes == 4) return strings_between<std::int32_t>(column);
  if (column.offset_bytes == 8) return strings_between<std::int64_t>(column);
  fail("invalid column of strings: offset_bytes is {}, expected 4 or 8", column.offset_bytes);
}

ColumnView plain_view(const rtindex_column& column) {
  const Type type = type_from(column.type);
  if (column.data == nullptr && column.count != 0 && type != Type::string)
    fail("invalid column: data is null and count is {}", column.count);
  if (type == Type::string) return string_view_of(column);
  const ColumnView view = ColumnView::of(type, column.data, column.count);
  if (is_decimal(type)) return view.with_scale(column.scale);
  return has_time_unit(type)
             ? view.with_time_unit(choice(column.time_unit, TimeUnit::nanosecond, "time_unit"))
             : view;
}

}  // namespace

MemorySpace Columns::ready_space_of(const ArrowDeviceArray& array) {
  switch (array.device_type) {
    case ARROW_DEVICE_CPU: return MemorySpace::host;
    case ARROW_DEVICE_CUDA_HOST:
      if (array.sync_event != nullptr) wait_on_host(array.sync_event);
      return MemorySpace::host;
    case ARROW_DEVICE_CUDA:
    case ARROW_DEVICE_CUDA_MANAGED: break;
    default:
      fail("unsupported Arrow device type {}: expected the CPU (1) or CUDA (2, 3 or 13)",
           array.device_type);
  }
  const Spec spec = spec_();
  if (spec.device() != "cpu" && array.device_id != spec.device_number())
    fail(
        "the Arrow array is on GPU {} and the index on GPU {}: copy the array, or name the GPU in "
        "the spec of the index, as in rx@cuda{}",
        array.device_id, spec.device_number(), array.device_id);
  if (array.sync_event != nullptr) wait_on_device(array.device_id, array.sync_event, stream_);
  return MemorySpace::device;
}

ColumnView Columns::arrow_view(const rtindex_column& column, const char* name) {
  if ((column.array == nullptr) == (column.device_array == nullptr))
    fail("invalid column '{}': set one of array and device_array beside its schema", name);
  const arrow::ArrowType type = arrow::ArrowType::from(*column.schema);
  const bool is_host = column.array != nullptr;
  const ArrowArray& array = is_host ? *column.array : column.device_array->array;
  if (!is_host && array.release == nullptr)
    fail("the Arrow array has been released or moved already: export it again");
  arrow::Imported imported = arrow::import_array(
      array, type, is_host ? MemorySpace::host : ready_space_of(*column.device_array));
  for (auto& owner : imported.owners) owners_.push_back(std::move(owner));
  return arrow::with_units(imported.view, type);
}

ColumnView Columns::composite_view(const rtindex_column& column, const char* name) {
  if (column.parts == nullptr || column.part_count == 0)
    fail("invalid composite column '{}': it has no parts", name);
  std::vector<ColumnView> parts;
  for (std::size_t i = 0; i < column.part_count; ++i) {
    if (column.parts[i].schema == nullptr && column.parts[i].type == RTINDEX_TYPE_COMPOSITE)
      fail(
          "invalid composite column '{}': part {} is composite itself; list all parts side by side",
          name, i);
    parts.push_back(view(column.parts + i, name));
  }
  return ColumnView::composite(std::move(parts));
}

ColumnView Columns::memory_view(const rtindex_column& column, const char* name) {
  if (column.type == RTINDEX_TYPE_COMPOSITE) {
    const ColumnView tuples = composite_view(column, name);
    return column.validity == nullptr
               ? tuples
               : tuples.with_validity(column.validity, column.validity_offset);
  }
  ColumnView view = plain_view(column);
  if (column.validity != nullptr)
    view = view.with_validity(column.validity, column.validity_offset);
  return is_on_device(column) ? view.on_device() : view;
}

ColumnView Columns::view(const rtindex_column* column, const char* name) {
  const rtindex_column input = options_of(&required(column, name), "rtindex_column");
  ColumnView found = keys_view(input, name);
  if (input.points != 0) return points_view(input, found, name);
  if (input.intervals == RTINDEX_INTERVALS_NONE) return found;
  static_assert(static_cast<int>(Ends::open) + 1 == RTINDEX_INTERVALS_OPEN);
  const auto ends = static_cast<Ends>(
      choice(input.intervals, std::int32_t{RTINDEX_INTERVALS_OPEN}, "intervals") - 1);
  const std::span<const ColumnView> parts = found.parts();
  if (parts.size() < 2)
    fail("invalid column of intervals '{}': expected a composite of starts and ends, got {}", name,
         parts.empty() ? name_of(found.type()) : "one part");
  return ColumnView::intervals(parts[parts.size() - 2], parts.back(), ends,
                               {parts.begin(), parts.end() - 2})
      .with_validity(found.validity(), found.validity_offset());
}

ColumnView Columns::points_view(const rtindex_column& input, const ColumnView& all,
                                const char* name) {
  if (input.points != 1)
    fail("invalid column '{}': points is {}, expected 0 or 1", name, input.points);
  if (input.intervals != RTINDEX_INTERVALS_NONE)
    fail("invalid column '{}': it is one of points and of intervals, choose one", name);
  if (all.type() != Type::composite)
    fail("invalid column of points '{}': expected a composite of 2 to 8 columns, got {}", name,
         name_of(all.type()));
  return ColumnView::points({all.parts().begin(), all.parts().end()})
      .with_validity(all.validity(), all.validity_offset());
}

ColumnView Columns::keys_view(const rtindex_column& input, const char* name) {
  if (input.schema != nullptr) return arrow_view(input, name);
  if (input.array != nullptr || input.device_array != nullptr)
    fail("invalid column '{}': an Arrow array without its schema", name);
  return memory_view(input, name);
}

IncludedColumns Columns::included_if_set(const rtindex_column* column, const char* name) {
  if (column == nullptr) return {};
  const rtindex_column input = options_of(column, "rtindex_column");
  const ColumnView all = view(column, name);
  const auto text = [](const char* of_column) {
    return std::string(of_column == nullptr ? "" : of_column);
  };
  if (all.type() != Type::composite) return std::vector<IncludedColumn>{{text(input.name), all}};
  if (all.validity() != nullptr)
    fail("the struct of included columns '{}' has nulls of its own: set those of its columns",
         name);
  std::vector<IncludedColumn> columns;
  for (std::size_t i = 0; i < all.parts().size(); ++i)
    columns.push_back({text(input.schema != nullptr ? input.schema->children[i]->name
                            : input.parts[i].name != nullptr || input.parts[i].schema == nullptr
                                ? input.parts[i].name
                                : input.parts[i].schema->name),
                       all.parts()[i]});
  return columns;
}

ColumnView Columns::view_if_set(const rtindex_column* column, const char* name) {
  return column == nullptr ? ColumnView() : view(column, name);
}

}  // namespace rtindex::c
