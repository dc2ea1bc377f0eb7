#include <rtindex/column.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/column_memory.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex {

std::string_view name_of(Type type) {
  switch (type) {
    case Type::u8: return "uint8";
    case Type::u16: return "uint16";
    case Type::u32: return "uint32";
    case Type::u64: return "uint64";
    case Type::i8: return "int8";
    case Type::i16: return "int16";
    case Type::i32: return "int32";
    case Type::i64: return "int64";
    case Type::boolean: return "bool";
    case Type::date32: return "date32";
    case Type::timestamp64: return "timestamp64";
    case Type::f32: return "float32";
    case Type::f64: return "float64";
    case Type::string: return "string";
    case Type::composite: return "composite";
    case Type::f16: return "float16";
    case Type::time32: return "time32";
    case Type::time64: return "time64";
    case Type::duration64: return "duration64";
    case Type::decimal32: return "decimal32";
    case Type::decimal64: return "decimal64";
    case Type::decimal128: return "decimal128";
    case Type::i128: return "int128";
    case Type::u128: return "uint128";
    case Type::binary16: return "binary16";
  }
  return "unknown";
}

Type type_named(std::string_view name) {
  if (const std::optional<Type> type = find_type(name)) return *type;
  fail("unknown type '{}': expected a name such as uint64, float32, date32 or string", name);
}

namespace {

// By TimeUnit.
constexpr std::array<std::string_view, 8> unit_names = {"", "D", "h", "m", "s", "ms", "us", "ns"};

}  // namespace

std::string_view name_of(TimeUnit unit) { return unit_names[static_cast<std::size_t>(unit)]; }

TimeUnit time_unit_named(std::string_view name) {
  const auto* const found = std::find(unit_names.begin(), unit_names.end(), name);
  if (found == unit_names.end())
    fail("unknown time unit '{}': expected D, h, m, s, ms, us or ns", name);
  return static_cast<TimeUnit>(found - unit_names.begin());
}

ColumnView::ColumnView(std::span<const std::string_view> strings)
    : type_(Type::string), size_(strings.size()), data_(strings.data()) {}

ColumnView::ColumnView(std::span<const std::string> strings)
    : type_(Type::string),
      layout_(StringLayout::strings),
      size_(strings.size()),
      data_(strings.data()) {}

ColumnView::ColumnView(std::span<const char* const> strings)
    : type_(Type::string),
      layout_(StringLayout::terminated),
      size_(strings.size()),
      data_(strings.data()) {
  const auto null = std::find(strings.begin(), strings.end(), nullptr);
  if (null != strings.end())
    fail(
        "string {} is a null pointer: pass \"\" for an empty string, and mark nulls "
        "with_validity()",
        null - strings.begin());
}

ColumnView::ColumnView(const std::vector<std::string>& strings)
    : ColumnView(std::span<const std::string>(strings)) {}

ColumnView::ColumnView(const std::vector<std::string_view>& strings)
    : ColumnView(std::span<const std::string_view>(strings)) {}

ColumnView ColumnView::of(Type type, const void* data, std::size_t size) {
  if (width_of(type) == 0)
    fail(
        "ColumnView::of views elements of one width, not {}: use strings(), fixed_strings() or "
        "composite()",
        name_of(type));
  ColumnView view;
  view.type_ = type;
  view.has_value_ = true;
  view.data_ = data;
  view.size_ = size;
  return view;
}

template <class Change>
void ColumnView::set_parts(Change&& change) {
  if (parts_ == nullptr) return;
  std::vector<ColumnView> changed;
  changed.reserve(parts_->size());
  for (const ColumnView& part : *parts_) changed.push_back(change(part));
  parts_ = std::make_shared<const std::vector<ColumnView>>(std::move(changed));
}

ColumnView ColumnView::on_device() const {
  if (type_ == Type::string && string_offset_width() == 0)
    fail(
        "strings in device memory must be in Arrow's layout: pass offsets and bytes to "
        "ColumnView::strings()");
  ColumnView view = *this;
  view.set_parts([](const ColumnView& part) { return part.on_device(); });
  view.memory_space_ = MemorySpace::device;
  return view;
}

ColumnView ColumnView::dates(std::span<const std::int32_t> days) {
  return of(Type::date32, days.data(), days.size());
}

ColumnView ColumnView::with_time_unit(TimeUnit unit) const {
  if (!has_time_unit(type_))
    fail("a column of {} has no time unit: only timestamps, times of day and durations have one",
         name_of(type_));
  ColumnView view = *this;
  view.time_unit_ = unit;
  return view;
}

ColumnView ColumnView::with_scale(int scale) const {
  if (!is_decimal(type_))
    fail("a column of {} has no scale: only decimals have one", name_of(type_));
  if (!std::in_range<std::int8_t>(scale)) fail("invalid scale {}: expected -128 to 127", scale);
  ColumnView view = *this;
  view.scale_ = static_cast<std::int8_t>(scale);
  return view;
}

ColumnView ColumnView::decimals(Type type, const void* data, std::size_t size, int scale) {
  return of(type, data, size).with_scale(scale);
}

ColumnView ColumnView::timestamps(std::span<const std::int64_t> ticks, TimeUnit unit) {
  return of(Type::timestamp64, ticks.data(), ticks.size()).with_time_unit(unit);
}

ColumnView ColumnView::fixed_strings(const char* bytes, std::size_t width, std::size_t size) {
  ColumnView view;
  view.type_ = Type::string;
  view.layout_ = StringLayout::fixed;
  view.width_ = width;
  view.data_ = bytes;
  view.size_ = size;
  return view;
}

ColumnView ColumnView::strings(std::span<const std::int32_t> offsets, const char* bytes) {
  ColumnView view;
  view.type_ = Type::string;
  view.layout_ = StringLayout::offsets32;
  view.size_ = offsets.empty() ? 0 : offsets.size() - 1;
  view.offsets_ = offsets.data();
  view.data_ = bytes;
  return view;
}

ColumnView ColumnView::strings(std::span<const std::int64_t> offsets, const char* bytes) {
  ColumnView view;
  view.type_ = Type::string;
  view.layout_ = StringLayout::offsets64;
  view.size_ = offsets.empty() ? 0 : offsets.size() - 1;
  view.offsets_ = offsets.data();
  view.data_ = bytes;
  return view;
}

ColumnView ColumnView::composite(std::vector<ColumnView> parts) {
  if (parts.empty()) fail("a composite column needs at least one part");
  for (const ColumnView& part : parts) {
    if (part.type() == Type::composite)
      fail("a part of a composite column cannot be composite itself: list all parts side by side");
    if (part.size() != parts.front().size())
      fail("the parts of a composite column differ in length ({} and {} rows)",
           parts.front().size(), part.size());
    if (part.memory_space() != parts.front().memory_space())
      fail("the parts of a composite column lie in host and in device memory: copy some of them");
  }
  ColumnView view;
  view.type_ = Type::composite;
  view.memory_space_ = parts.front().memory_space();
  view.size_ = parts.front().size();
  view.parts_ = std::make_shared<const std::vector<ColumnView>>(std::move(parts));
  return view;
}

ColumnView ColumnView::points(std::vector<ColumnView> columns) {
  constexpr std::size_t max_columns = 8;
  if (columns.size() < 2)
    fail("points have 2 to {} columns, got {}: index a single column as keys", max_columns,
         columns.size());
  if (columns.size() > max_columns)
    fail("points have 2 to {} columns, got {}: leave out those that filters rarely use",
         max_columns, columns.size());
  ColumnView view = composite(std::move(columns));
  view.are_points_ = true;
  return view;
}

ColumnView ColumnView::with_validity(const std::uint8_t* bitmap, std::size_t bit_offset) const {
  ColumnView view = *this;
  view.validity_ = bitmap;
  view.validity_offset_ = bit_offset;
  return view;
}

ColumnView ColumnView::slice(std::size_t first, std::size_t count) const {
  if (first > size_ || count > size_ - first)
    fail("invalid slice of {} elements from {} on: the column has {}", count, first, size_);
  ColumnView view = *this;
  view.size_ = count;
  view.validity_offset_ += first;
  view.set_parts([&](const ColumnView& part) { return part.slice(first, count); });
  const auto moved = [&](const void* elements, std::size_t width) -> const void* {
    return elements == nullptr ? nullptr : static_cast<const std::byte*>(elements) + first * width;
  };
  if (width_of(type_) != 0) {
    view.data_ = moved(data_, width_of(type_));
  } else if (type_ == Type::string) {
    switch (layout_) {
      case StringLayout::views: view.data_ = moved(data_, sizeof(std::string_view)); break;
      case StringLayout::strings: view.data_ = moved(data_, sizeof(std::string)); break;
      case StringLayout::terminated: view.data_ = moved(data_, sizeof(const char*)); break;
      case StringLayout::fixed: view.data_ = moved(data_, width_); break;
      case StringLayout::offsets32: view.offsets_ = moved(offsets_, sizeof(std::int32_t)); break;
      case StringLayout::indexed: view.data_ = moved(data_, sizeof(std::uint32_t)); break;
      case StringLayout::offsets64: view.offsets_ = moved(offsets_, sizeof(std::int64_t)); break;
    }
  }
  return view;
}

bool ColumnView::nullable() const {
  return validity_ != nullptr ||
         (!are_points_ && std::ranges::any_of(parts(), &ColumnView::nullable));
}

std::size_t ColumnView::string_offset_width() const {
  if (type_ == Type::string && layout_ == StringLayout::offsets32) return sizeof(std::int32_t);
  if (type_ == Type::string && layout_ == StringLayout::offsets64) return sizeof(std::int64_t);
  return 0;
}

const void* ColumnView::string_offsets() const {
  return string_offset_width() != 0 ? offsets_ : nullptr;
}

const char* ColumnView::string_bytes() const {
  return string_offset_width() != 0 ? static_cast<const char*>(data_) : nullptr;
}

std::string_view ColumnView::string(std::size_t row) const {
  switch (layout_) {
    case StringLayout::views: return static_cast<const std::string_view*>(data_)[row];
    case StringLayout::strings: return static_cast<const std::string*>(data_)[row];
    case StringLayout::terminated: return static_cast<const char* const*>(data_)[row];
    case StringLayout::offsets32: {
      const auto* offsets = static_cast<const std::int32_t*>(offsets_);
      return {static_cast<const char*>(data_) + offsets[row],
              static_cast<std::size_t>(offsets[row + 1] - offsets[row])};
    }
    case StringLayout::offsets64: {
      const auto* offsets = static_cast<const std::int64_t*>(offsets_);
      return {static_cast<const char*>(data_) + offsets[row],
              static_cast<std::size_t>(offsets[row + 1] - offsets[row])};
    }
    case StringLayout::indexed:
      return dictionary_->strings[static_cast<const std::uint32_t*>(data_)[row]];
    case StringLayout::fixed: break;
  }
  const char* bytes = static_cast<const char*>(data_) + row * width_;
  std::size_t length = width_;
  while (length > 0 && bytes[length - 1] == '\0') --length;
  return {bytes, length};
}

}  // namespace rtindex
