#include <bit>
#include <cmath>
#include <limits>

#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Workload floats_of(std::string name, Type type, std::function<double(Random&, std::size_t)> make,
                   std::size_t size) {
  return {std::move(name), [=](Random& random) {
            std::vector<double> values;
            for (std::size_t i = 0; i < size; ++i) {
              const double value = make(random, i);
              values.push_back(type == Type::f32 ? static_cast<double>(static_cast<float>(value))
                                                 : value);
            }
            random.shuffle(values);
            return floats(type, values);
          }};
}

double special(Random&, std::size_t i) {
  static const std::vector<double> values = {0.0,
                                             -0.0,
                                             inf,
                                             -inf,
                                             std::nan(""),
                                             -std::nan(""),
                                             std::nan("7"),
                                             0x1p-149,
                                             -0x1p-149,
                                             0x1.fffffep127,
                                             1.0,
                                             -1.0,
                                             0x1p-126,
                                             -0x1p-126,
                                             0x1p23,
                                             0x1p24,
                                             -0x1.fffffep127,
                                             0.1F};
  return values[i % values.size()];
}

double special_or_double(Random& random, std::size_t i) {
  static const std::vector<double> values = {
      5e-324, -5e-324,  1e300,          -1e300,   0.1, std::nextafter(0.1, 1.0),
      1e-50,  0x1p-150, 0x1.ffffffp127, 0x1p-1022};
  return i % 2 == 0 ? special(random, i / 2) : values[i / 2 % values.size()];
}

double any_bits32(Random& random, std::size_t) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random.bits())));
}

double any_bits64(Random& random, std::size_t) { return std::bit_cast<double>(random.bits()); }

// Neighbouring floats on both sides of zero, denormals all of them.
double around_zero(Random&, std::size_t i) {
  const std::size_t step = i / 2;
  return (i % 2 == 0 ? 1 : -1) * static_cast<double>(step) * 0x1p-149;
}

double any_bits16(Random& random, std::size_t) {
  return half_value(static_cast<std::uint16_t>(random.bits()));
}

// Neighbouring float16s on both sides of zero, denormals and normals.
double around_zero16(Random&, std::size_t i) {
  return half_value(static_cast<std::uint16_t>(i / 2 + 900 + (i % 2 == 0 ? 0 : 0x8000)));
}

double uniform(Random& random, std::size_t) { return random.real(-1000, 1000); }

}  // namespace

std::vector<Workload> float_workloads() {
  std::vector<Workload> list = {
      floats_of("special_f32", Type::f32, special, 90),
      floats_of("special_f64", Type::f64, special_or_double, 120),
      floats_of("any_bits_f16", Type::f16, any_bits16, 700),
      floats_of("around_zero_f16", Type::f16, around_zero16, 400),
      floats_of("any_bits_f32", Type::f32, any_bits32, 700),
      floats_of("any_bits_f64", Type::f64, any_bits64, 700),
      floats_of("around_zero_f32", Type::f32, around_zero, 400),
      floats_of("around_zero_f64", Type::f64, around_zero, 400),
      floats_of("uniform_f32", Type::f32, uniform, 700),
      floats_of("uniform_f64", Type::f64, uniform, 700),
      floats_of(
          "all_nan_f32", Type::f32, [](Random&, std::size_t) { return std::nan(""); }, 20),
      floats_of("empty_f64", Type::f64, uniform, 0),
  };
  const Workload base = list[1];
  list.push_back({"nulls_special_f64", [base](Random& random) {
                    return with_nulls(base.make(random),
                                      [&](std::size_t) { return random.one_in(3); });
                  }});
  return list;
}

}  // namespace rtindex::test
