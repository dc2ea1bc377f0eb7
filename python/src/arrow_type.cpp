#include "arrow_type.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace rtindex::python {

namespace {

using enum ArrowLayout;

struct Simple {
  std::string_view format;
  ArrowType type;
};

const std::array<Simple, 21> simple_types = {{{"c", {Type::i8}},
                                              {"C", {Type::u8}},
                                              {"s", {Type::i16}},
                                              {"S", {Type::u16}},
                                              {"i", {Type::i32}},
                                              {"I", {Type::u32}},
                                              {"l", {Type::i64}},
                                              {"L", {Type::u64}},
                                              {"f", {Type::f32}},
                                              {"g", {Type::f64}},
                                              {"b", {Type::boolean, bits}},
                                              {"tdD", {Type::date32}},
                                              {"tdm", {Type::timestamp64, elements, "ms"}},
                                              {"u", {Type::string, offsets32}},
                                              {"z", {Type::string, offsets32}},
                                              {"U", {Type::string, offsets64}},
                                              {"Z", {Type::string, offsets64}},
                                              {"vu", {Type::string, views}},
                                              {"vz", {Type::string, views}},
                                              {"+s", {Type::composite, fields}},
                                              {"w:", {Type::string, fixed}}}};

constexpr std::array<std::pair<std::string_view, const char*>, 4> timestamp_units = {
    {{"tss:", "s"}, {"tsm:", "ms"}, {"tsu:", "us"}, {"tsn:", "ns"}}};

ArrowType plain_type(std::string_view format) {
  for (const auto& [start, unit] : timestamp_units)
    if (format.starts_with(start)) return {Type::timestamp64, elements, unit};
  if (format.starts_with("w:")) {
    ArrowType type{Type::string, fixed};
    std::from_chars(format.data() + 2, format.data() + format.size(), type.width);
    return type;
  }
  for (const Simple& simple : simple_types)
    if (simple.format == format) return simple.type;
  fail(
      "unsupported Arrow type with the format '{}': cast it to integers, floats, bool, dates, "
      "timestamps or strings first",
      format);
}

}  // namespace

ArrowType ArrowType::from(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr)
    fail(
        "unsupported dictionary-encoded column (a categorical): decode it first, in pyarrow with "
        ".dictionary_decode(), elsewhere with a cast to the type of its values");
  ArrowType type = plain_type(schema.format);
  if (type.layout != ArrowLayout::fields) return type;
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    type.fields.push_back(from(*schema.children[i]));
  if (type.fields.empty()) fail("the table or struct has no column: select at least one");
  return type;
}

std::string ArrowType::units() const {
  if (layout != ArrowLayout::fields) return unit;
  std::string all;
  for (const ArrowType& field : fields) all += (&field == &fields.front() ? "" : ",") + field.unit;
  return all.find_first_not_of(',') == std::string::npos ? "" : all;
}

}  // namespace rtindex::python
