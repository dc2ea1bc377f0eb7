#include "fuzz/support/keys.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace rtindex::fuzz {

namespace {

using test::Layout;
using test::Part;
using test::Shape;
using test::Whole;

constexpr std::size_t null_choice = 15;

Part whole_from(Input& input, Type type) {
  const Whole low = test::smallest_of(type);
  const Whole high = test::largest_of(type);
  const std::size_t choice = input.below(16);
  const Whole span = high - low + 1;
  switch (choice) {
    case null_choice: return std::monostate{};
    case 0: return low;
    case 1: return high;
    case 2: return low + input.below(8) % span;
    case 3: return high - input.below(8) % span;
    case 4: return low + (Whole{1} << input.below(8 * width_of(type))) % span;
    case 5: return low + Whole{input.read<std::uint32_t>()} % span;
    default: return Whole{input.below(256)} % (high + 1);
  }
}

Part real_from(Input& input, Type type) {
  using Limits = std::numeric_limits<float>;
  static constexpr std::array<float, 9> special = {0.0F,
                                                   -0.0F,
                                                   Limits::infinity(),
                                                   -Limits::infinity(),
                                                   Limits::quiet_NaN(),
                                                   Limits::max(),
                                                   Limits::lowest(),
                                                   Limits::denorm_min(),
                                                   Limits::epsilon()};
  const std::size_t choice = input.below(16);
  if (choice == null_choice) return std::monostate{};
  if (type == Type::f16) return test::half_value(input.read<std::uint16_t>());
  if (choice < special.size()) return static_cast<double>(special[choice]);
  if (choice == 9) return static_cast<double>(input.read<float>());
  if (choice == 10 && type == Type::f64) return input.read<double>();
  return static_cast<double>(input.read<std::int8_t>()) / 4;
}

// Few letters, so that many strings are equal or share a prefix, some of more than a key's 8 bytes.
Part string_from(Input& input, Layout layout) {
  static const std::array<std::string, 5> starts = {"", "prefix/", std::string(9, 'a'),
                                                    std::string(40, 'a'), "\xff\xff"};
  const std::size_t choice = input.below(16);
  if (choice == null_choice) return std::monostate{};
  std::string text = starts[choice % starts.size()];
  const std::size_t letters = input.read<std::uint8_t>();
  for (std::size_t i = 0; i < letters % 4; ++i)
    text += std::string_view("ab\0\xff", 4)[letters >> (2 + 2 * i) & 3];
  if (choice == 14) text += input.text(input.below(12));
  while (layout == Layout::fixed && !text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

Part binary_from(Input& input) {
  const std::size_t choice = input.below(16);
  if (choice == null_choice) return std::monostate{};
  std::string bytes(16, choice % 2 == 0 ? '\0' : '\xff');
  bytes[input.below(16)] = static_cast<char>(input.read<std::uint8_t>());
  return bytes;
}

Part part_from(Input& input, const Shape& shape) {
  if (shape.type == Type::string) return string_from(input, shape.layout);
  if (shape.type == Type::binary16) return binary_from(input);
  return test::is_float_shape(shape) ? real_from(input, shape.type) : whole_from(input, shape.type);
}

}  // namespace

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> list = [] {
    std::vector<Shape> all;
    for (const Type type :
         {Type::u8,          Type::u16,       Type::u32,       Type::u64,        Type::i8,
          Type::i16,         Type::i32,       Type::i64,       Type::boolean,    Type::date32,
          Type::timestamp64, Type::f32,       Type::f64,       Type::time32,     Type::time64,
          Type::duration64,  Type::decimal32, Type::decimal64, Type::decimal128, Type::i128,
          Type::u128,        Type::binary16,  Type::f16})
      all.push_back({type});
    for (const Layout layout :
         {Layout::strings, Layout::views, Layout::fixed, Layout::offsets32, Layout::offsets64})
      all.push_back({Type::string, layout});
    const Shape string{Type::string};
    for (const std::vector<Shape>& parts :
         std::vector<std::vector<Shape>>{{{Type::i32}, string},
                                         {string, {Type::u8}},
                                         {{Type::u64}, {Type::i64}, {Type::u64}},
                                         {{Type::date32}, {Type::f64}},
                                         {string}})
      all.push_back({Type::composite, Layout::strings, parts});
    return all;
  }();
  return list;
}

test::Key key_from(Input& input, const Shape& shape) {
  test::Key key;
  for (const Shape& part : test::parts_of(shape)) key.push_back(part_from(input, part));
  return key;
}

std::vector<test::Key> keys_from(Input& input, const Shape& shape, std::size_t max_keys) {
  std::vector<test::Key> keys(input.below(max_keys + 1));
  for (test::Key& key : keys) key = key_from(input, shape);
  return keys;
}

}  // namespace rtindex::fuzz
