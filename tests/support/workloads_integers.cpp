#include <algorithm>
#include <limits>

#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

constexpr Whole one = 1;

using MakeIntegers = std::function<std::vector<Whole>(Random&)>;

Workload shuffled(std::string name, Type type, MakeIntegers make) {
  return {std::move(name), [type, make](Random& random) {
            std::vector<Whole> values = make(random);
            random.shuffle(values);
            return integers(type, values);
          }};
}

// A column that is sorted already.
Workload in_order(std::string name, Type type, MakeIntegers make) {
  return {std::move(name), [type, make](Random& random) {
            std::vector<Whole> values = make(random);
            std::sort(values.begin(), values.end());
            return integers(type, values);
          }};
}

MakeIntegers dense(Whole start, Whole count, Whole step = 1) {
  return [=](Random&) {
    std::vector<Whole> values;
    for (Whole i = 0; i < count; ++i) values.push_back(start + i * step);
    return values;
  };
}

MakeIntegers uniform(Whole low, Whole high, std::size_t count) {
  return [=](Random& random) {
    std::vector<Whole> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(random.between(low, high));
    return values;
  };
}

MakeIntegers repeated(std::vector<Whole> distinct, std::size_t times) {
  return [=](Random&) {
    std::vector<Whole> values;
    for (const Whole value : distinct) values.insert(values.end(), times, value);
    return values;
  };
}

// Nine of ten keys lie in a hundredth of the domain.
std::vector<Whole> clustered(Random& random) {
  std::vector<Whole> values;
  for (std::size_t i = 0; i < 900; ++i) {
    const Whole cluster = (one << 60) * static_cast<Whole>(1 + random.below(9));
    values.push_back(random.one_in(10) ? random.between(0, largest_of(Type::u64))
                                       : cluster + random.between(0, 300));
  }
  return values;
}

// Clusters of clusters, each 2^13 times as narrow as the one around it.
std::vector<Whole> nested_clusters(Random& random) {
  std::vector<Whole> values;
  std::vector<Whole> bases = {one << 61};
  for (int level = 0; level < 4; ++level) {
    std::vector<Whole> inner;
    for (const Whole base : bases)
      for (int i = 0; i < 4; ++i)
        inner.push_back(base + random.between(0, one << (54 - 13 * level)));
    values.insert(values.end(), inner.begin(), inner.end());
    bases = inner;
  }
  return values;
}

// Runs of 64 neighbours, far apart; some repeat.
std::vector<Whole> far_runs(Random& random) {
  std::vector<Whole> values;
  for (int run = 0; run < 6; ++run) {
    const Whole start = random.between(0, 40) << 57;
    for (Whole i = 0; i < 64; ++i) values.push_back(start + i);
  }
  return values;
}

// Where a float, a row, a mode or a type ends.
std::vector<Whole> edges(Whole low, Whole high) {
  std::vector<Whole> values = {low, high};
  for (const int bits : {8, 16, 18, 21, 22, 23, 24, 29, 31, 32, 44, 45, 46, 47, 63, 64})
    for (int step = -2; step <= 2; ++step)
      for (const Whole value : {(one << bits) + step, -(one << bits) + step, Whole{step}})
        if (low <= value && value <= high) values.push_back(value);
  return values;
}

// Keys beside every border between rows, for several ways to split the bits.
std::vector<Whole> keys_at_row_edges(Random& random) {
  std::vector<Whole> values = {0};
  for (const int bits : {10, 18, 20, 22, 23, 42, 43, 44, 45, 46})
    for (int i = 0; i < 8; ++i) {
      const Whole row = random.between(1, (one << (64 - bits)) - 1);
      for (int step = -2; step <= 1; ++step) values.push_back((row << bits) + step);
    }
  return values;
}

Workload with_null_rows(const Workload& workload, const std::string& name, std::size_t one_in) {
  return {name, [workload, one_in](Random& random) {
            return with_nulls(workload.make(random),
                              [&](std::size_t) { return random.one_in(one_in); });
          }};
}

}  // namespace

std::vector<Workload> integer_workloads() {
  const Whole top = largest_of(Type::u64);
  const Whole lowest = smallest_of(Type::i64);
  const Whole highest = largest_of(Type::i64);
  std::vector<Workload> list = {
      shuffled("dense_u32", Type::u32, dense(0, 1500)),
      shuffled("dense_high_u64", Type::u64, dense(one << 40, 1000)),
      shuffled("dense_across_2_22", Type::u32, dense((one << 22) - 500, 1000)),
      shuffled("dense_across_2_23", Type::u32, dense((one << 23) - 500, 1000)),
      shuffled("every_third_i32", Type::i32, dense(-1000, 700, 3)),
      shuffled("sparse_u32", Type::u32, uniform(0, largest_of(Type::u32), 1000)),
      shuffled("sparse_u64", Type::u64, uniform(0, top, 1000)),
      shuffled("sparse_i64", Type::i64, uniform(lowest, highest, 800)),
      shuffled("clustered_u64", Type::u64, clustered),
      shuffled("nested_clusters_u64", Type::u64, nested_clusters),
      shuffled("far_runs_i64", Type::i64, far_runs),
      shuffled("top_u64", Type::u64, dense(top - 700, 701)),
      shuffled("duplicates_x256", Type::u32, repeated({3, 4, one << 22, (one << 32) - 1}, 256)),
      shuffled("all_equal_u64", Type::u64, repeated({top}, 700)),
      shuffled("all_equal_i8", Type::i8, repeated({-128}, 700)),
      shuffled("extremes_u64", Type::u64, [top](Random&) { return edges(0, top); }),
      shuffled("extremes_i64", Type::i64, [=](Random&) { return edges(lowest, highest); }),
      shuffled("extremes_i32", Type::i32,
               [](Random&) { return edges(smallest_of(Type::i32), largest_of(Type::i32)); }),
      shuffled("row_edges_u64", Type::u64, keys_at_row_edges),
      shuffled("two_ends_u64", Type::u64, repeated({0, top}, 3)),
      shuffled("every_u8", Type::u8, dense(0, 256)),
      shuffled("every_i8", Type::i8, dense(-128, 256)),
      shuffled("random_u16", Type::u16, uniform(0, 65535, 500)),
      shuffled("random_i16", Type::i16, uniform(-32768, 32767, 500)),
      shuffled("bools", Type::boolean, uniform(0, 1, 300)),
      shuffled("only_true", Type::boolean, repeated({1}, 30)),
      shuffled("dates", Type::date32, uniform(-30000, 30000, 600)),
      shuffled("timestamps", Type::timestamp64, uniform(lowest, highest, 600)),
      shuffled("times_32", Type::time32, uniform(0, 86'399'999, 400)),
      shuffled("times_64", Type::time64, uniform(0, 86'399'999'999'999, 400)),
      shuffled("durations", Type::duration64, uniform(lowest, highest, 400)),
      shuffled("extremes_decimal32", Type::decimal32,
               [](Random&) { return edges(smallest_of(Type::i32), largest_of(Type::i32)); }),
      shuffled("extremes_decimal64", Type::decimal64,
               [=](Random&) { return edges(lowest, highest); }),
      shuffled("single_u64", Type::u64, repeated({12345678901234}, 1)),
      shuffled("single_zero_u8", Type::u8, repeated({0}, 1)),
      shuffled("empty_u32", Type::u32, dense(0, 0)),
      shuffled("empty_i64", Type::i64, dense(0, 0)),
      in_order("in_order_dense_u32", Type::u32, dense(7, 1500)),
      in_order("in_order_dense_top_u64", Type::u64, dense(top - 700, 701)),
      in_order("in_order_every_i8", Type::i8, dense(-128, 256)),
      in_order("in_order_u32", Type::u32, uniform(0, largest_of(Type::u32), 1000)),
      in_order("in_order_clustered_u64", Type::u64, clustered),
      in_order("in_order_timestamps", Type::timestamp64, uniform(lowest, highest, 600)),
      in_order("in_order_duplicates", Type::i64, repeated({lowest, -3, 4, highest}, 130)),
      in_order("in_order_extremes_u64", Type::u64, [top](Random&) { return edges(0, top); }),
  };
  for (const auto& [from, name, one_in] :
       std::vector<std::tuple<std::string, std::string, std::size_t>>{
           {"dense_u32", "nulls_dense_u32", 3},
           {"sparse_u64", "nulls_sparse_u64", 2},
           {"extremes_i64", "nulls_extremes_i64", 4},
           {"extremes_decimal64", "nulls_decimal64", 4},
           {"every_i8", "all_null_i8", 1},
           {"sparse_u32", "all_null_u32", 1},
           {"in_order_timestamps", "in_order_nulls", 9}})
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].name == from) list.push_back(with_null_rows(list[i], name, one_in));
  list.push_back({"in_order_null_ends_u32", [](Random& random) {
                    return with_nulls(integers(Type::u32, dense(9, 300)(random)),
                                      [](std::size_t row) { return row < 5 || row > 290; });
                  }});
  return list;
}

}  // namespace rtindex::test
