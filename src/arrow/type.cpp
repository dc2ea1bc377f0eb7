#include "arrow/type.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex::arrow {

namespace {

using enum Layout;

struct Simple {
  const char* format;
  Type type;
  Layout layout = elements;
  TimeUnit unit = TimeUnit::unspecified;
};

// Where several formats have the same type, arrays are exported in the first one.
constexpr std::array<Simple, 31> simple_types = {
    {{"c", Type::i8},
     {"C", Type::u8},
     {"s", Type::i16},
     {"S", Type::u16},
     {"i", Type::i32},
     {"I", Type::u32},
     {"l", Type::i64},
     {"L", Type::u64},
     {"e", Type::f16},
     {"f", Type::f32},
     {"g", Type::f64},
     {"b", Type::boolean, bits},
     {"tdD", Type::date32},
     {"tdm", Type::timestamp64, elements, TimeUnit::millisecond},
     {"tts", Type::time32, elements, TimeUnit::second},
     {"ttm", Type::time32, elements, TimeUnit::millisecond},
     {"ttu", Type::time64, elements, TimeUnit::microsecond},
     {"ttn", Type::time64, elements, TimeUnit::nanosecond},
     {"tDs", Type::duration64, elements, TimeUnit::second},
     {"tDm", Type::duration64, elements, TimeUnit::millisecond},
     {"tDu", Type::duration64, elements, TimeUnit::microsecond},
     {"tDn", Type::duration64, elements, TimeUnit::nanosecond},
     {"u", Type::string, offsets32},
     {"z", Type::string, offsets32},
     {"U", Type::string, offsets64},
     {"Z", Type::string, offsets64},
     {"vu", Type::string, views},
     {"vz", Type::string, views},
     {"_pli128", Type::i128},  // of polars; Arrow has no integers of 128 bits
     {"_plu128", Type::u128},
     {"+s", Type::composite, fields}}};

// Types that no column has, by the start of their format.
constexpr std::array<std::pair<const char*, const char*>, 9> other_types = {
    {{"+l", "list"},
     {"+L", "large list"},
     {"+v", "list view"},
     {"+w:", "fixed-size list"},
     {"+m", "map"},
     {"+u", "union"},
     {"+r", "run-end encoded"},
     {"ti", "interval of the calendar"},
     {"n", "null"}}};

constexpr std::array<std::pair<const char*, TimeUnit>, 4> timestamp_formats = {
    {{"tss:", TimeUnit::second},
     {"tsm:", TimeUnit::millisecond},
     {"tsu:", TimeUnit::microsecond},
     {"tsn:", TimeUnit::nanosecond}}};

ArrowType fixed_strings(std::string_view format) {
  ArrowType type{Type::string, fixed};
  const char* const end = format.data() + format.size();
  const auto [stop, error] = std::from_chars(format.data() + 2, end, type.width);
  if (error != std::errc() || stop != end || !std::in_range<std::int32_t>(type.width))
    fail("invalid Arrow format '{}': expected w: and the bytes of one string, as in 'w:16'",
         format);
  return type;
}

// d:precision,scale or d:precision,scale,bits.
ArrowType decimals(std::string_view format) {
  int numbers[3] = {0, 0, 128};
  std::size_t count = 0;
  const char* at = format.data() + 2;
  const char* const end = format.data() + format.size();
  bool is_read = false;
  while (count < 3) {
    const auto [stop, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc()) break;
    ++count;
    is_read = stop == end;
    if (is_read || *stop != ',') break;
    at = stop + 1;
  }
  if (count < 2 || !is_read || !std::in_range<std::int8_t>(numbers[1]))
    fail("invalid Arrow format '{}': expected d: with precision and scale, as in 'd:18,2'", format);
  ArrowType type{Type::decimal128};
  type.scale = numbers[1];
  if (numbers[2] == 32) type.type = Type::decimal32;
  if (numbers[2] == 64) type.type = Type::decimal64;
  if (width_of(type.type) * 8 != static_cast<std::size_t>(numbers[2]))
    fail("unsupported decimals of {} bits: cast them to decimal128", numbers[2]);
  return type;
}

ArrowType plain_type(std::string_view format) {
  for (const Simple& simple : simple_types)
    if (simple.format == format) return {simple.type, simple.layout, simple.unit};
  for (const auto& [start, unit] : timestamp_formats)
    if (format.starts_with(start)) return {Type::timestamp64, elements, unit};
  if (format == "w:16") return {Type::binary16};
  if (format.starts_with("w:")) return fixed_strings(format);
  if (format.starts_with("d:")) return decimals(format);
  std::string name = fmt::format("with the format '{}'", format);
  for (const auto& [start, other] : other_types)
    if (format.starts_with(start)) name = fmt::format("'{}'", other);
  fail(
      "unsupported Arrow type {}: cast it to integers, floats, bool, decimals, dates, times or "
      "strings first",
      name);
}

// The type of a dictionary column, whose schema is that of its indices.
ArrowType dictionary_type(const ArrowSchema& schema) {
  const ArrowType indices = plain_type(schema.format);
  if (schema.dictionary->dictionary != nullptr)
    fail("unsupported dictionary of dictionaries: decode the inner one first");
  ArrowType type = ArrowType::from(*schema.dictionary);
  if (!is_integer(indices.type) || indices.type == Type::boolean)
    fail("invalid Arrow schema: the indices of a dictionary are {}, expected integers",
         name_of(indices.type));
  if (type.layout == Layout::fields)
    fail("unsupported dictionary of structs: decode it, or pass a struct of dictionaries");
  type.index_type = indices.type;
  type.value_layout = type.layout;
  type.layout = Layout::indices;
  return type;
}

}  // namespace

ArrowType ArrowType::from(const ArrowSchema& schema) {
  if (schema.release == nullptr)
    fail("the Arrow schema has been released or moved already: export it again");
  if (schema.format == nullptr)
    fail("invalid Arrow schema: its format is null, expected a text such as 'l' for int64");
  if (schema.dictionary != nullptr) return dictionary_type(schema);
  ArrowType type = plain_type(schema.format);
  if (type.layout != Layout::fields) return type;
  if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr))
    fail("invalid Arrow schema: a struct of {} children{}", schema.n_children,
         schema.children == nullptr ? " without an array of children" : "");
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema* child = schema.children[i];
    if (child == nullptr) fail("invalid Arrow schema: child {} of the struct is null", i);
    if (child->format != nullptr && std::string_view(child->format) == "+s")
      fail("unsupported struct within a struct: pass all fields side by side in one struct");
    type.fields.push_back(from(*child));
  }
  if (type.fields.empty()) fail("the table or struct has no column: select at least one");
  return type;
}

std::string format_of(Type type, TimeUnit unit, int scale) {
  if (type == Type::decimal32) return fmt::format("d:9,{},32", scale);
  if (type == Type::decimal64) return fmt::format("d:18,{},64", scale);
  if (type == Type::decimal128) return fmt::format("d:38,{}", scale);
  if (is_128_bit(type)) return "w:16";
  if (type == Type::timestamp64) {
    for (const auto& [format, known] : timestamp_formats)
      if (known == unit) return format;
    return "l";
  }
  for (const Simple& simple : simple_types)
    if (simple.type == type && (!has_time_unit(type) || simple.unit == unit)) return simple.format;
  return type == Type::time32 ? "i" : "l";
}

}  // namespace rtindex::arrow
