#include <rtindex/column.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
  }
  return "unknown";
}

Type type_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Type::composite); ++i)
    if (name_of(static_cast<Type>(i)) == name) return static_cast<Type>(i);
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

ColumnView::ColumnView(const std::vector<std::string>& strings)
    : ColumnView(std::span<const std::string>(strings)) {}

ColumnView::ColumnView(const std::vector<std::string_view>& strings)
    : ColumnView(std::span<const std::string_view>(strings)) {}

ColumnView ColumnView::of(Type type, const void* data, std::size_t size) {
  if (!is_native(type))
    fail("ColumnView::of views native types, not {}: use strings(), fixed_strings() or composite()",
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
  if (type_ != Type::timestamp64)
    fail("a {} column has no time unit: only timestamps have one", name_of(type_));
  ColumnView view = *this;
  view.time_unit_ = unit;
  return view;
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
  if (is_native(type_)) {
    view.data_ = moved(data_, width_of(type_));
  } else if (type_ == Type::string) {
    switch (layout_) {
      case StringLayout::views: view.data_ = moved(data_, sizeof(std::string_view)); break;
      case StringLayout::strings: view.data_ = moved(data_, sizeof(std::string)); break;
      case StringLayout::fixed: view.data_ = moved(data_, width_); break;
      case StringLayout::offsets32: view.offsets_ = moved(offsets_, sizeof(std::int32_t)); break;
      case StringLayout::offsets64: view.offsets_ = moved(offsets_, sizeof(std::int64_t)); break;
    }
  }
  return view;
}

bool ColumnView::nullable() const {
  return validity_ != nullptr ||
         std::ranges::any_of(parts(), [](const ColumnView& part) { return part.nullable(); });
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
    case StringLayout::fixed: break;
  }
  const char* bytes = static_cast<const char*>(data_) + row * width_;
  std::size_t length = width_;
  while (length > 0 && bytes[length - 1] == '\0') --length;
  return {bytes, length};
}

namespace {

// The bytes of the UTF-8 character that a text begins with; 0 where it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (length > 2 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)))
    return 0;
  return length;
}

// A string for messages: quoted, what is not printable UTF-8 as \xNN, long ones cut.
std::string quoted(std::string_view text) {
  constexpr std::size_t max_bytes = 200;
  std::string result = "\"";
  while (!text.empty() && result.size() < max_bytes) {
    const std::size_t length = utf8_length(text);
    const bool is_printable = length > 1 || (length == 1 && text[0] >= ' ' && text[0] != '\x7f');
    if (is_printable)
      result += text.substr(0, length);
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(is_printable ? length : 1);
  }
  return result + (text.empty() ? "\"" : "...\"");
}

}  // namespace

std::string ColumnView::text(std::size_t row) const {
  if (!valid(row)) return "null";
  if (type_ == Type::string) return quoted(string(row));
  if (type_ == Type::composite) {
    std::string text = "(";
    for (const ColumnView& part : parts()) text += (text.size() > 1 ? ", " : "") + part.text(row);
    return text + ")";
  }
  return visit_native(type_, [&]<class T>() {
    return fmt::format("{}", value_of(static_cast<const T*>(data_)[row]));
  });
}

}  // namespace rtindex
