#include "support/lookups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<const Key*> valid_keys(const TestColumn& column) {
  std::vector<const Key*> keys;
  for (const Key& key : column.keys())
    if (!is_null(key)) keys.push_back(&key);
  return keys;
}

// A key of the shape for columns that have none.
Key some_key(const Shape& shape) {
  Key key;
  for (const Shape& part : parts_of(shape)) key.push_back(far_values(part).front());
  return key;
}

Key replaced(Key key, std::size_t part, Part value) {
  key[part] = std::move(value);
  return key;
}

Key all_null(const Shape& shape) { return Key(parts_of(shape).size(), std::monostate{}); }

std::vector<std::string> beside(const std::string& text) {
  std::vector<std::string> result = {text + '\0', text + 'a', text + "\xff"};
  for (const std::size_t at : {text.size(), std::size_t{8}, std::size_t{1}}) {
    if (at == 0 || at > text.size()) continue;
    result.push_back(text.substr(0, at - 1));
    for (const int step : {-1, 1}) {
      result.push_back(text);
      result.back()[at - 1] = static_cast<char>(text[at - 1] + step);
    }
  }
  return result;
}

// Bounds at the edges of the rows into which key bits are split, seen from the smallest key.
std::vector<Key> row_edges(const std::vector<const Key*>& sorted, Random& random) {
  std::vector<Key> edges;
  if (sorted.empty() || sorted.front()->size() != 1) return edges;
  const auto* base = std::get_if<Whole>(sorted.front()->data());
  if (base == nullptr) return edges;
  for (const int bits : {2, 10, 18, 20, 22, 23, 43, 46}) {
    const Key& key = *random.pick(sorted);
    const Whole row = (std::get<Whole>(key[0]) - *base) >> bits;
    for (const Whole edge : {row, row + 1})
      for (const int step : {-1, 0}) edges.push_back({*base + (edge << bits) + step});
  }
  return edges;
}

Batch points_in(const Shape& shape, const std::vector<Key>& keys) {
  std::vector<Key> fitting;
  for (const Key& key : keys)
    if (fits(key, shape)) fitting.push_back(key);
  return points({shape, std::move(fitting)});
}

Batch ranges_in(const Shape& lower_shape, const Shape& upper_shape,
                const std::vector<std::pair<Key, Key>>& pairs) {
  std::vector<Key> lower;
  std::vector<Key> upper;
  for (const auto& [low, high] : pairs) {
    if (!fits(low, lower_shape) || !fits(high, upper_shape)) continue;
    lower.push_back(low);
    upper.push_back(high);
  }
  return ranges({lower_shape, std::move(lower)}, {upper_shape, std::move(upper)});
}

}  // namespace

std::vector<Part> near_misses(const Part& part, const Shape& shape) {
  if (const auto* whole = std::get_if<Whole>(&part)) return {*whole - 1, *whole + 1};
  if (const auto* text = std::get_if<std::string>(&part)) {
    std::vector<Part> result;
    for (std::string& string : beside(*text)) result.emplace_back(std::move(string));
    return result;
  }
  const double value = std::get<double>(part);
  std::vector<Part> result = {std::nextafter(value, -infinity), std::nextafter(value, infinity)};
  if (shape.type == Type::f16 && !std::isnan(value)) {
    const std::uint16_t bits = half_bits(value).value();
    for (const int step : {-1, 1})
      result.emplace_back(half_value(static_cast<std::uint16_t>(bits + step)));
  }
  if (shape.type != Type::f64) {
    constexpr float far = std::numeric_limits<float>::infinity();
    const auto narrow = static_cast<float>(value);
    result.emplace_back(static_cast<double>(std::nextafter(narrow, -far)));
    result.emplace_back(static_cast<double>(std::nextafter(narrow, far)));
  }
  return result;
}

std::vector<Part> far_values(const Shape& shape) {
  if (shape.type == Type::string)
    return {std::string(), std::string(1, '\0'), std::string(12, '\xff'), std::string("a")};
  if (shape.type == Type::binary16)
    return {std::string(16, '\0'), std::string(16, '\xff'), "\x7f" + std::string(15, '\xff'),
            "\x80" + std::string(15, '\0')};
  if (shape.type == Type::f16)
    return {0.0,     -0.0,     infinity, -infinity,   std::nan(""),
            65504.0, -65504.0, 65505.0,  0x1p-24,     -0x1p-24,
            0x1p-25, 0x1p-14,  1e300,    0x1.ffcp-15, 1.0 + 0x1p-11};
  if (is_float_shape(shape))
    return {0.0,   -0.0,     infinity,       -infinity,       std::nan(""),
            1e300, -1e300,   1e-50,          -1e-50,          5e-324,
            1e-45, 0x1p-149, 0x1.fffffep127, -0x1.fffffep127, 0x1.ffffffp127};
  std::vector<Part> result = {Whole{0}, Whole{-1}, Whole{1}};
  for (const Type type : {Type::u8, Type::u32, Type::u64}) result.emplace_back(largest_of(type));
  for (const Type type : {Type::i8, Type::i32, Type::i64}) {
    result.emplace_back(smallest_of(type));
    result.emplace_back(largest_of(type));
  }
  if (is_128_bit(shape.type) || shape.type <= Type::boolean)
    for (const Whole value :
         {Whole{1} << 64, (Whole{1} << 64) + 1, -(Whole{1} << 64), -(Whole{1} << 63) - 1,
          smallest_of(Type::i128), largest_of(Type::i128)})
      result.emplace_back(value);
  return result;
}

std::vector<Key> interesting_points(const TestColumn& column, std::size_t samples, Random& random) {
  const std::vector<Shape> parts = parts_of(column.shape());
  const std::vector<const Key*> keys = valid_keys(column);
  std::vector<Key> result = {all_null(column.shape())};
  for (std::size_t i = 0; i < samples && !keys.empty(); ++i) {
    const Key& key = *random.pick(keys);
    result.push_back(key);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (Part& value : near_misses(key[part], parts[part]))
        result.push_back(replaced(key, part, std::move(value)));
      if (parts.size() > 1) result.push_back(replaced(key, part, (*random.pick(keys))[part]));
    }
  }
  const Key start = keys.empty() ? some_key(column.shape()) : *random.pick(keys);
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (Part& value : far_values(parts[part]))
      result.push_back(replaced(start, part, std::move(value)));
  return result;
}

std::vector<std::pair<Key, Key>> interesting_ranges(const TestColumn& column, std::size_t samples,
                                                    Random& random) {
  std::vector<const Key*> sorted = valid_keys(column);
  std::sort(sorted.begin(), sorted.end(),
            [](const Key* a, const Key* b) { return compare(*a, *b) < 0; });
  std::vector<Key> ends = interesting_points(column, std::max<std::size_t>(samples / 4, 4), random);
  const std::vector<Key> edges = row_edges(sorted, random);
  ends.insert(ends.end(), edges.begin(), edges.end());

  std::vector<std::pair<Key, Key>> result;
  for (std::size_t i = 0; i < samples; ++i) {
    const Key& end = random.pick(ends);
    result.emplace_back(end, random.pick(ends));
    result.emplace_back(end, end);
    if (sorted.empty()) continue;
    const std::size_t at = random.below(sorted.size());
    const std::size_t next = std::min(at + 1 + random.below(4), sorted.size() - 1);
    const Key& from = *sorted[at];
    const Key& to = *sorted[next];
    result.emplace_back(from, to);
    result.emplace_back(to, from);  // inverted
    // Strictly between two neighbours, and from just outside to just outside.
    const std::size_t last = from.size() - 1;
    const Shape shape = parts_of(column.shape())[last];
    const std::vector<Part> beside = near_misses(to[last], shape);
    for (const Part& low : near_misses(from[last], shape))
      result.emplace_back(replaced(from, last, low), replaced(to, last, random.pick(beside)));
  }
  if (!sorted.empty()) result.emplace_back(*sorted.front(), *sorted.back());
  const std::vector<Part> far = far_values(parts_of(column.shape())[0]);
  for (const Part& low : far)
    for (const Part& high : far)
      result.emplace_back(replaced(ends.back(), 0, low), replaced(ends.back(), 0, high));
  return result;
}

std::vector<Shape> comparable_shapes(const Shape& shape) {
  std::vector<Shape> shapes = {shape};
  if (shape.type == Type::composite) {
    Shape other = shape;
    for (Shape& part : other.parts) part = comparable_shapes(part).back();
    shapes.push_back(other);
  } else if (shape.type == Type::string) {
    for (const Layout layout : {Layout::views, Layout::offsets32, Layout::fixed, Layout::offsets64})
      if (layout != shape.layout) shapes.push_back({Type::string, layout});
  } else if (is_float_shape(shape)) {
    for (const Type type : {Type::f16, Type::f32, Type::f64})
      if (type != shape.type) shapes.push_back({type});
  } else if (is_decimal(shape.type)) {
    for (const Type type : {Type::decimal128, Type::decimal32, Type::decimal64})
      if (type != shape.type) shapes.push_back({type});
  } else if (shape.type == Type::time32 || shape.type == Type::time64) {
    shapes.push_back({shape.type == Type::time32 ? Type::time64 : Type::time32});
  } else if (shape.type <= Type::boolean || shape.type == Type::i128 || shape.type == Type::u128) {
    if (shape.type == Type::i128) shapes.push_back({Type::u128});
    for (const Type type :
         {Type::boolean, Type::i8, Type::u16, Type::i128, Type::i32, Type::u64, Type::i64})
      if (type != shape.type) shapes.push_back({type});
  }
  return shapes;
}

std::vector<Batch> interesting_batches(const TestColumn& column, std::size_t samples,
                                       Random& random) {
  samples = affordable(samples, 4);
  const std::vector<Key> keys = interesting_points(column, samples, random);
  const std::vector<std::pair<Key, Key>> pairs = interesting_ranges(column, samples, random);
  std::vector<Batch> batches;
  const std::vector<Shape> shapes = comparable_shapes(column.shape());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    batches.push_back(points_in(shapes[i], keys));
    batches.push_back(ranges_in(shapes[i], shapes[i], pairs));
    if (i != 0) batches.push_back(ranges_in(shapes[i - 1], shapes[i], pairs));
  }
  return batches;
}

std::vector<Batch> own_batches(const TestColumn& column, std::size_t samples, Random& random) {
  samples = affordable(samples, 4);
  return {points_in(column.shape(), interesting_points(column, samples, random)),
          ranges_in(column.shape(), column.shape(), interesting_ranges(column, samples, random))};
}

}  // namespace rtindex::test
