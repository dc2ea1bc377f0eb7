// Section 3.4: how many bits of a key go to each axis.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// The bits on x for a dense column of 2^keys_log2 keys: 3 to 10 fewer than the keys have, which is
// the paper's 16 to 23 at 2^26 keys.
std::vector<int> bits_on_x(std::size_t keys_log2) {
  std::vector<int> bits;
  for (int left = 10; left >= 3; --left) bits.push_back(static_cast<int>(keys_log2) - left);
  return bits;
}

// "23+9+0" or "23+0+9": the other bits of a 32-bit key go to one more axis.
std::string two_axis_split(int x_bits, bool on_y) {
  constexpr int most = 23;
  const int other = std::min(most, 32 - x_bits);
  return on_y ? fmt::format("{}+{}+0", x_bits, other) : fmt::format("{}+0+{}", x_bits, other);
}

void run_decomposition_points(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Lookups> lookups([&](ExecutionSpace& space) {
    return hits_in(column.in(space), default_lookups(session), lookup_seed);
  });
  for (const Contestant& tracer : session.ray_tracers())
    for (const bool on_y : {true, false})
      for (const int bits : bits_on_x(default_keys_log2(session))) {
        Fixture fixture(session, tracer.spec.with("bits", two_axis_split(bits, on_y)), column);
        session.point({.series = series_of(tracer, on_y ? "x+y" : "x+z"), .x = bits},
                      [&] { return fixture.run(lookups); });
      }
}

void run_decomposition_uniform(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 64, column_seed);
  });
  Lazy<Lookups> lookups([&](ExecutionSpace& space) {
    return hits_in(column.in(space), default_lookups(session), lookup_seed);
  });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string bits :
         {"18+23+23", "21+21+22", "21+22+21", "22+21+21", "23+18+23", "23+23+18"}) {
      Fixture fixture(session, tracer.spec.with("bits", bits), column);
      session.point({.series = tracer.label, .category = bits},
                    [&] { return fixture.run(lookups); });
    }
}

void run_decomposition_ranges(Session& session) {
  const std::size_t lookups = std::size_t{1} << session.pick(6, 12, 20);
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Ranked> ranked([&](ExecutionSpace& space) { return Ranked(column.in(space)); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const int bits : bits_on_x(default_keys_log2(session))) {
      Fixture fixture(session, tracer.spec.with("bits", two_axis_split(bits, true)), column);
      for (const int hits_log2 : {6, 8, 10}) {
        const std::string what = fmt::format("2^{} hits", hits_log2);
        session.point({.series = series_of(tracer, what), .x = bits}, [&] {
          const std::size_t hits = std::size_t{1} << hits_log2;
          return fixture.run(
              ranges_of_hits(ranked.in(fixture.space()), lookups, hits, lookup_seed));
        });
      }
    }
}

}  // namespace

Experiment decomposition_points_experiment() {
  return {.name = "decomposition-points",
          .title = "Key decomposition, points",
          .question = "Which axes should the bits of a dense key go to, for points?",
          .figure = "fig:decomp_point_lookups",
          .section = "3.4",
          .x = XAxis{"x_bits", "bits on the x axis"},
          .metrics = {lookup_ms()},
          .run = run_decomposition_points};
}

Experiment decomposition_uniform_experiment() {
  return {.name = "decomposition-uniform",
          .title = "Key decomposition, uniform 64-bit keys",
          .question = "Does the decomposition matter for uniform 64-bit keys?",
          .figure = "text",
          .section = "3.4",
          .x = {},
          .metrics = {lookup_ms()},
          .run = run_decomposition_uniform};
}

Experiment decomposition_ranges_experiment() {
  return {.name = "decomposition-ranges",
          .title = "Key decomposition, ranges",
          .question = "Which axes should the bits of a dense key go to, for ranges?",
          .figure = "fig:decomp_range_lookups",
          .section = "3.4",
          .x = XAxis{"x_bits", "bits on the x axis"},
          .metrics = {lookup_ms()},
          .run = run_decomposition_ranges};
}

}  // namespace rtindex::bench
