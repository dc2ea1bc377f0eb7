#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "workload/column.hpp"

namespace rtindex::bench {

namespace {

constexpr const char* needed = "Nsight Compute and an NVIDIA GPU: scripts/profile.sh";

// A profiler replays every kernel several times. Ratios do not depend on the number of lookups,
// which is smaller than the paper's.
std::size_t profiled_lookups(const Session& session) {
  return std::size_t{1} << session.pick(10, 20, 24);
}
// Fewer still for structures so degenerate that lookups may be a hundred times slower.
std::size_t few_lookups(const Session& session) {
  return std::size_t{1} << session.pick(10, 14, 16);
}

Lazy<Column> uniform_keys(Session& session) {
  return Lazy<Column>([&session](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
}

void profile_all(Session& session, Fixtures& fixtures, Lazy<Lookups>& lookups,
                 const std::string& category) {
  for (auto& [contestant, fixture] : fixtures)
    session.point({.series = contestant.label, .category = category},
                  [&, &fixture = fixture] { return fixture->profile(lookups); });
}

void lookups(Session& session) {
  Lazy<Column> column = uniform_keys(session);
  Fixtures fixtures(session, column);
  for (const int log2 : session.pick<int>({6, 8}, {13, 15, 17, 19}, {13, 15, 17, 19, 21, 24})) {
    Lazy<Lookups> batch([&](ExecutionSpace& space) {
      return hits_in(column.in(space), std::size_t{1} << log2, lookup_seed);
    });
    profile_all(session, fixtures, batch, fmt::format("2^{} lookups", log2));
  }
}

void skew(Session& session) {
  Lazy<Column> column = uniform_keys(session);
  Fixtures fixtures(session, column);
  for (const double exponent : {0.0, 0.5, 1.0, 1.5}) {
    Lazy<Lookups> batch([&](ExecutionSpace& space) {
      return skewed_hits_in(column.in(space), profiled_lookups(session), exponent, lookup_seed);
    });
    profile_all(session, fixtures, batch, fmt::format("Zipf {:.1f}", exponent));
  }
}

void hit_rate(Session& session) {
  Lazy<Column> column = uniform_keys(session);
  Fixtures fixtures(session, column);
  for (const double rate : {1.0, 0.5, 0.0}) {
    Lazy<Lookups> batch([&](ExecutionSpace& space) {
      return with_hit_rate(column.in(space), profiled_lookups(session), rate, Misses::in_range,
                           column_seed, lookup_seed);
    });
    profile_all(session, fixtures, batch, fmt::format("hit rate {:.1f}", rate));
  }
}

void modes(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Lookups> batch([&](ExecutionSpace& space) {
    return hits_in(column.in(space), few_lookups(session), lookup_seed);
  });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string mode : {"extended", "3d"})
      session.point({.series = tracer.label, .category = mode}, [&] {
        return Fixture(session, tracer.spec.with("mode", mode), column).profile(batch);
      });
}

// Lookups after an update. Swapped positions move keys far, swapped keys by one (section 3.6).
Outcome profile_after_swaps(const Session& session, const Column& before, const Spec& spec,
                            Neighbours swapped) {
  const std::size_t pairs = std::size_t{1} << session.pick(4, 6, 8);
  const Swaps swaps = random_swaps(before, pairs, swapped, lookup_seed);
  Index index = build(before.keys.view(), spec);
  apply(swaps, index);
  Column after = before.copy();
  apply(swaps, after);
  Outcome outcome = profile_lookups(index, after, hits_in(after, few_lookups(session), lookup_seed),
                                    session.settings().effort);
  outcome.workload["swaps"] = pairs;
  return outcome;
}

void updates(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  struct Case {
    std::string name, update, delta;
    Neighbours swapped;
  };
  const Case cases[] = {{"rebuild", "rebuild", "0", Neighbours::positions},
                        {"refit, swapped keys", "refit", "auto", Neighbours::keys},
                        {"refit, swapped positions", "refit", "auto", Neighbours::positions}};
  for (const Contestant& tracer : session.ray_tracers())
    for (const Case& each : cases)
      session.point({.series = tracer.label, .category = each.name}, [&] {
        const Spec spec = tracer.spec.with("update", each.update).with("delta", each.delta);
        return profile_after_swaps(session, column.in(session.space_for(spec)), spec, each.swapped);
      });
}

Metric share(const std::string& name, const std::string& label) {
  return {name, label, false, std::nullopt};
}

Experiment profile(const std::string& name, const std::string& title, const std::string& question,
                   const std::string& figure, const std::string& section,
                   std::vector<Metric> metrics, void (*points)(Session&)) {
  return {.name = name,
          .title = title,
          .question = question,
          .figure = figure,
          .section = section,
          .x = {},
          .metrics = std::move(metrics),
          .run =
              [points](Session& session) {
                if (session.settings().profiled) return points(session);
                session.unsupported(fmt::format("a profile needs {}", needed));
              },
          .needs = needed,
          .command = "scripts/profile.sh"};
}

std::vector<Metric> memory_metrics() {
  return {share("l1_hit_percent", "hit rate of the L1 cache [%]"),
          share("l2_hit_percent", "hit rate of the L2 cache [%]"),
          {"l1_read_bytes", "read from the L1 cache [bytes]"},
          {"l2_read_bytes", "read from the L2 cache [bytes]"},
          {"memory_read_bytes", "read from device memory [bytes]"},
          {"instructions", "instructions executed by warps"}};
}

}  // namespace

std::vector<Experiment> profile_experiments() {
  return {
      profile("profile-lookups", "Profile: number of lookups",
              "How busy are processors and memory as the batch grows?", "tab:lookup-util", "4.2",
              {share("active_warps", "active warps per SM"),
               share("bandwidth_percent", "share of the peak bandwidth [%]")},
              lookups),
      profile("profile-skew", "Profile: skewed lookups", "What do caches and memory do under skew?",
              "tab:skew_profiling", "4.8", memory_metrics(), skew),
      profile("profile-hit-rate", "Profile: hit rate", "How much less memory does a miss read?",
              "text", "4.6", memory_metrics(), hit_rate),
      profile("profile-modes", "Profile: key modes",
              "How much more does extended mode read than 3d mode?", "text", "3.2",
              memory_metrics(), modes),
      profile("profile-updates", "Profile: updates",
              "What does a refit do to the memory that lookups read?", "text", "3.6",
              memory_metrics(), updates)};
}

}  // namespace rtindex::bench
