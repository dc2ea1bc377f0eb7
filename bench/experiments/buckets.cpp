#include <fmt/format.h>

#include <rtindex/error.hpp>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t hits_of_a_range = 1024;

struct KeySet {
  std::string name;
  Column (*column)(ExecutionSpace& space, std::size_t size);
};

// Dense keys fill few rows of the scene. Random 64-bit keys are the opposite: nearly every bucket
// has a row, and so a marker, of its own.
const KeySet key_sets[] = {{"dense 32-bit keys",
                            [](ExecutionSpace& space, std::size_t size) {
                              return dense_column(space, size, 32, column_seed);
                            }},
                           {"random 64-bit keys", [](ExecutionSpace& space, std::size_t size) {
                              return uniform_column(space, size, 64, column_seed);
                            }}};

// "without" is RX as the paper has it: a primitive for every key.
std::vector<std::string> bucket_sizes(const Session& session) {
  std::vector<std::string> sizes = {"without"};
  for (const int log2 :
       session.pick<int>({0, 4, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}))
    sizes.push_back(std::to_string(1 << log2));
  return sizes;
}

void run_buckets(Session& session) {
  for (const Contestant& tracer : session.ray_tracers())
    if (!tracer.spec.option("bucket", "").empty())
      throw Error("unexpected bucket in " + tracer.label + ": this experiment sets it; remove it");
  const std::size_t range_count = std::size_t{1} << session.pick(6, 12, 24);
  for (const KeySet& keys : key_sets) {
    Lazy<Column> column(
        [&](ExecutionSpace& space) { return keys.column(space, default_keys(session)); });
    Lazy<Lookups> points([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    Lazy<Lookups> ranges([&](ExecutionSpace& space) {
      return ranges_of_hits(Ranked(column.in(space)), range_count, hits_of_a_range, lookup_seed);
    });
    for (const Contestant& tracer : session.ray_tracers())
      for (const std::string& size : bucket_sizes(session)) {
        const Spec spec = size == "without" ? tracer.spec : tracer.spec.with("bucket", size);
        Fixture fixture(session, spec, column);
        session.point({.series = series_of(tracer, keys.name), .category = size}, [&] {
          Outcome outcome = fixture.time_builds();
          outcome.append(fixture.run(points));
          return outcome;
        });
        session.point({.series = series_of(tracer, keys.name + ", ranges"), .category = size},
                      [&] { return fixture.run(ranges); });
      }
  }
}

}  // namespace

Experiment buckets_experiment() {
  return {.name = "buckets",
          .title = "Buckets of sorted keys",
          .question = "How many keys should share a primitive, for points and ranges of 1024 hits?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {lookup_ms(), resident_bytes(), build_ms()},
          .run = run_buckets};
}

}  // namespace rtindex::bench
