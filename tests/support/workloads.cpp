#include "support/workloads.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace rtindex::test {

namespace {

// At most so many rows: the first ones, and a sample of the rest.
TestColumn affordable_part(TestColumn column) {
  constexpr std::size_t kept_whole = 64;
  if (effort_divisor == 1 || column.size() <= kept_whole) return column;
  std::vector<Key> keys;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (row < kept_whole || row % effort_divisor == 0) keys.push_back(column.keys()[row]);
  return {column.shape(), std::move(keys)};
}

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

TestColumn Workload::column() const {
  std::uint64_t seed = 17;
  for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
  Random random(seed);
  return affordable_part(make(random));
}

const std::vector<Workload>& all_workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> list;
    for (const auto& part :
         {integer_workloads(), float_workloads(), string_workloads(), composite_workloads()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : all_workloads()) names.push_back(workload.name);
  return names;
}

const Workload& workload_named(const std::string& name) {
  static const std::vector<Workload> with_128_bits = workloads_128();
  for (const auto* const list : {&all_workloads(), &with_128_bits})
    for (const Workload& workload : *list)
      if (workload.name == name) return workload;
  throw std::logic_error("no workload " + name);
}

TestColumn values_of(Type type, std::size_t size, Random& random) {
  const Shape shape{type};
  std::vector<Key> keys;
  for (std::size_t row = 0; row < size; ++row) {
    if (type == Type::f16) {
      keys.push_back({half_value(static_cast<std::uint16_t>(random.bits()))});
      continue;
    }
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

TestColumn with_null_values(const TestColumn& values, Random& random) {
  const std::size_t share = random.pick(std::vector<std::size_t>{1, 2, 3, 50, values.size() + 1});
  return with_nulls(values, [&](std::size_t) { return random.one_in(share); });
}

const std::vector<Type>& value_types() {
  static const std::vector<Type> types = {
      Type::u8,          Type::u16,        Type::u32,       Type::u64,      Type::i8,
      Type::i16,         Type::i32,        Type::i64,       Type::boolean,  Type::date32,
      Type::timestamp64, Type::f32,        Type::f64,       Type::f16,      Type::time32,
      Type::time64,      Type::duration64, Type::decimal32, Type::decimal64};
  return types;
}

}  // namespace rtindex::test
