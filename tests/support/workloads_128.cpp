#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

Whole random_whole(Type type, Random& random) {
  const Whole bits =
      static_cast<Whole>(random.bits() >> 2) << 64 | static_cast<Whole>(random.bits());
  return smallest_of(type) < 0 ? bits - (Whole{1} << 125) : bits & ((Whole{1} << 125) - 1);
}

Workload wholes(std::string name, Type type, std::size_t size, std::function<Whole(Random&)> make) {
  return {std::move(name), [=](Random& random) {
            std::vector<Whole> values;
            for (std::size_t i = 0; i < size; ++i) values.push_back(make(random));
            return integers(type, values);
          }};
}

// Where words, types and the encoded bits end.
Workload edges_of(std::string name, Type type) {
  return {std::move(name), [=](Random& random) {
            std::vector<Whole> values = {smallest_of(type), largest_of(type)};
            for (const int bits : {0, 31, 32, 62, 63, 64, 65, 66, 96, 124})
              for (int step = -2; step <= 2; ++step)
                for (const Whole sign : {1, -1}) {
                  const Whole value = sign * (Whole{1} << bits) + step;
                  if (smallest_of(type) <= value && value <= largest_of(type))
                    values.push_back(value);
                }
            random.shuffle(values);
            return integers(type, values);
          }};
}

// Keys that share their first bytes, and some that differ in the last only.
TestColumn uuids(Random& random) {
  std::vector<Key> keys;
  for (int i = 0; i < 400; ++i) {
    std::string bytes(16, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.bits());
    if (i % 4 == 1) bytes.replace(0, 9, std::string(9, '\x42'));
    if (i % 4 == 2) bytes.replace(0, 15, std::string(15, '\xc0'));
    if (i % 4 == 3 && i > 8) bytes = std::get<std::string>(keys[random.below(8)][0]);
    keys.push_back({bytes});
  }
  return {Shape{Type::binary16}, std::move(keys)};
}

TestColumn tuples(Random& random) {
  std::vector<Key> keys;
  for (int i = 0; i < 300; ++i)
    keys.push_back({random.between(-2, 2),
                    random.one_in(3) ? random.between(0, 5) : random_whole(Type::i128, random),
                    random.between(0, 2)});
  return {Shape{Type::composite, Layout::strings, {{Type::i8}, {Type::i128}, {Type::u64}}},
          std::move(keys)};
}

TestColumn tuples_by_decimal(Random& random) {
  std::vector<Key> keys;
  for (int i = 0; i < 300; ++i)
    keys.push_back({random.between(-3, 3) << 70, random.between(-1000, 1000)});
  return {Shape{Type::composite, Layout::strings, {{Type::decimal128}, {Type::decimal128}}},
          std::move(keys)};
}

}  // namespace

std::vector<Workload> workloads_128() {
  const auto spread = [](Type type) {
    return [type](Random& random) { return random_whole(type, random); };
  };
  const auto clustered = [](Random& random) {
    return (random.between(-4, 4) << 100) + random.between(0, 50);
  };
  return {
      wholes("sparse_i128", Type::i128, 500, spread(Type::i128)),
      wholes("sparse_u128", Type::u128, 500, spread(Type::u128)),
      wholes("small_i128", Type::i128, 500, [](Random& r) { return r.between(-900, 900); }),
      wholes("high_u128", Type::u128, 500,
             [](Random& r) { return (Whole{3} << 100) + r.between(0, 900); }),
      wholes("clustered_i128", Type::i128, 500, clustered),
      wholes("decimals_128", Type::decimal128, 500, clustered),
      edges_of("edges_i128", Type::i128),
      edges_of("edges_u128", Type::u128),
      wholes("empty_i128", Type::i128, 0, spread(Type::i128)),
      wholes("single_u128", Type::u128, 1, spread(Type::u128)),
      {"binary_uuids", uuids},
      {"nulls_i128",
       [=](Random& random) {
         std::vector<Whole> values;
         for (int i = 0; i < 400; ++i) values.push_back(random_whole(Type::i128, random));
         return with_nulls(integers(Type::i128, values),
                           [&](std::size_t) { return random.one_in(3); });
       }},
      {"nulls_binary_uuids",
       [](Random& random) {
         return with_nulls(uuids(random), [&](std::size_t) { return random.one_in(3); });
       }},
      {"int_i128_int", tuples},
      {"two_decimals_128", tuples_by_decimal},
  };
}

}  // namespace rtindex::test
