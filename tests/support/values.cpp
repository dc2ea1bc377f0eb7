#include "support/values.hpp"

#include <cmath>
#include <limits>

namespace rtindex::test {

namespace {

double random_real(Random& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (random.below(100)) {
    case 0: return infinity;
    case 1: return -infinity;
    case 2: return std::nan("");
    case 3: return -0.0;
    default: return static_cast<double>(static_cast<float>(random.real(-1e6, 1e6)));
  }
}

}  // namespace

TestColumn values_of(Type type, std::size_t size, Random& random) {
  const Shape shape{type};
  std::vector<Key> keys;
  for (std::size_t row = 0; row < size; ++row) {
    if (is_float_shape(shape)) {
      keys.push_back({random_real(random)});
      continue;
    }
    const Whole low = smallest_of(type);
    const Whole high = largest_of(type);
    const std::size_t draw = random.below(8);
    const Whole value = draw == 0 ? low : draw == 1 ? high : random.between(low, high);
    keys.push_back({value});
  }
  return {shape, std::move(keys)};
}

const std::vector<Type>& value_types() {
  static const std::vector<Type> types = {
      Type::u8,  Type::u16,     Type::u32,    Type::u64,         Type::i8,  Type::i16, Type::i32,
      Type::i64, Type::boolean, Type::date32, Type::timestamp64, Type::f32, Type::f64};
  return types;
}

}  // namespace rtindex::test
