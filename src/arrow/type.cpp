#include "arrow/type.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/error.hpp"

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
constexpr std::array<Simple, 20> simple_types = {
    {{"c", Type::i8},
     {"C", Type::u8},
     {"s", Type::i16},
     {"S", Type::u16},
     {"i", Type::i32},
     {"I", Type::u32},
     {"l", Type::i64},
     {"L", Type::u64},
     {"f", Type::f32},
     {"g", Type::f64},
     {"b", Type::boolean, bits},
     {"tdD", Type::date32},
     {"tdm", Type::timestamp64, elements, TimeUnit::millisecond},
     {"u", Type::string, offsets32},
     {"z", Type::string, offsets32},
     {"U", Type::string, offsets64},
     {"Z", Type::string, offsets64},
     {"vu", Type::string, views},
     {"vz", Type::string, views},
     {"+s", Type::composite, fields}}};

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

ArrowType plain_type(std::string_view format) {
  for (const Simple& simple : simple_types)
    if (simple.format == format) return {simple.type, simple.layout, simple.unit};
  for (const auto& [start, unit] : timestamp_formats)
    if (format.starts_with(start)) return {Type::timestamp64, elements, unit};
  if (format.starts_with("w:")) return fixed_strings(format);
  fail(
      "unsupported Arrow type with the format '{}': cast it to integers, floats, bool, dates, "
      "timestamps or strings first",
      format);
}

}  // namespace

ArrowType ArrowType::from(const ArrowSchema& schema) {
  if (schema.release == nullptr)
    fail("the Arrow schema has been released or moved already: export it again");
  if (schema.format == nullptr)
    fail("invalid Arrow schema: its format is null, expected a text such as 'l' for int64");
  if (schema.dictionary != nullptr)
    fail(
        "unsupported dictionary-encoded column (a categorical): decode it first, in pyarrow with "
        ".dictionary_decode(), elsewhere with a cast to the type of its values");
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

const char* format_of(Type type, TimeUnit unit) {
  if (type == Type::timestamp64) {
    for (const auto& [format, known] : timestamp_formats)
      if (known == unit) return format;
    return "l";
  }
  for (const Simple& simple : simple_types)
    if (simple.type == type) return simple.format;
  return "";
}

}  // namespace rtindex::arrow
