// The work of a traversal as counts, not times: they are the same on every machine.

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

// Neighbouring keys are two apart, so that every odd key between them is a miss.
constexpr std::uint64_t stride = 2;

struct Batch {
  std::vector<std::uint64_t> lower, upper;
  std::uint32_t matches;  // of each lookup
};

// An index and its lookups.
struct Case {
  std::string name;
  std::string options;
  std::uint32_t hits = 1;  // matches of a lookup; more than one: a range
  bool swapped = false;    // the keys of half of the rows are swapped first
};

// Only for the rays of the paper.
const std::vector<Case>& ray_cases() {
  static const std::vector<Case> cases = {
      {"perpendicular rays", "point=perpendicular"},
      {"rays from an offset", "point=offset"},
      {"rays from zero", "point=zero"},
      {"extended mode", "mode=extended"},
      {"extended mode, rays from zero", "mode=extended,point=zero"},
      {"swapped keys, rebuilt", "update=rebuild,delta=0", 1, true},
      {"swapped keys, refitted", "update=refit", 1, true},
      {"range of 64 from zero", "range=zero", 64},
  };
  return cases;
}

const std::vector<Case>& common_cases() {
  static const std::vector<Case> cases = {
      {"points, all hit", ""},
      {"points, all miss", "", 0},
      {"range of 64", "", 64},
  };
  return cases;
}

Batch batch_of(const Case& question, std::size_t keys, std::size_t lookups) {
  std::mt19937_64 random(lookup_seed);
  Batch batch{{}, {}, question.hits};
  for (std::size_t i = 0; i < lookups; ++i) {
    const std::size_t width = std::max<std::size_t>(question.hits, 1);
    const std::uint64_t first = random() % (keys - width) * stride;
    batch.lower.push_back(question.hits == 0 ? first + 1 : first);
    batch.upper.push_back(first + (width - 1) * stride);
  }
  return batch;
}

Index index_for(const Case& question, const Spec& base, std::size_t keys) {
  Spec spec = base;
  // The options of a case override those of the contestant.
  const Spec own(question.options.empty() ? "rx" : "rx," + question.options);
  for (const auto& [name, value] : own.options()) spec = spec.with(name, value);
  // Boxes are tested by our own intersection program, which counts.
  if (spec.tracer() != "native") spec = spec.with("primitive", "aabb");
  std::vector<std::uint64_t> column = dense_shuffled<std::uint64_t>(keys, column_seed);
  for (std::uint64_t& key : column) key *= stride;
  Index index = build(column, spec);
  if (!question.swapped) return index;
  std::vector<std::uint32_t> rows(keys / 2);
  std::vector<std::uint64_t> taken(keys / 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint32_t>(i);
    taken[i] = column[rows.size() - 1 - i];
  }
  index.update(rows, taken);
  return index;
}

Outcome counted(const Case& question, const Spec& spec, std::size_t keys, std::size_t lookups) {
  const Index index = index_for(question, spec, keys);
  const Batch batch = batch_of(question, keys, lookups);
  Counters counters;
  const Query query =
      question.hits > 1 ? Query::range(batch.lower, batch.upper) : Query::equal(batch.lower);
  const Answers answers = index.answer(query, {.answers = Answer::count}, {.counters = &counters});
  for (const std::uint32_t count : answers.count())
    if (count != batch.matches)
      throw std::runtime_error(fmt::format("{}: expected {} matches, got {}", index.spec().text(),
                                           batch.matches, count));
  const auto per_lookup = [&](std::uint64_t count) -> std::vector<double> {
    return {static_cast<double>(count) / static_cast<double>(lookups)};
  };
  Outcome outcome{.index = index.spec().text()};
  outcome.measured = {{"tested_per_lookup", per_lookup(counters.tested)},
                      {"rays_per_lookup", per_lookup(counters.rays)},
                      {"hits_per_lookup", per_lookup(counters.hits)},
                      {"cells_per_lookup", per_lookup(counters.cells)}};
  outcome.workload = {{"keys", "dense shuffled uint64, every second one"},
                      {"key_count", keys},
                      {"lookup_count", lookups},
                      {"hits_per_lookup", question.hits},
                      {"answer", "count"}};
  return outcome;
}

void run_traversal_work(Session& session) {
  const std::size_t keys = std::size_t{1} << session.pick(12, 18, 24);
  const std::size_t lookups = std::size_t{1} << session.pick(8, 12, 16);
  const auto count = [&](const Contestant& contestant, const std::vector<Case>& cases) {
    for (const Case& question : cases)
      session.point({.series = contestant.label, .category = question.name},
                    [&] { return counted(question, contestant.spec, keys, lookups); });
  };
  for (const Contestant& contestant : session.ray_tracers()) {
    count(contestant, common_cases());
    count(contestant, ray_cases());
  }
  for (const Contestant& contestant : session.contestants())
    if (contestant.spec.tracer() == "native") count(contestant, common_cases());
}

}  // namespace

Experiment traversal_work_experiment() {
  return {
      .name = "traversal-work",
      .title = "The work of a traversal",
      .question = "How many rays, tests and hits does a lookup take, and what makes it take more?",
      .figure = "none",
      .section = "",
      .x = {},
      .metrics = {{"tested_per_lookup", "keys tested per lookup", false},
                  {"rays_per_lookup", "rays per lookup", false},
                  {"hits_per_lookup", "hits reported per lookup", false},
                  {"cells_per_lookup", "cells of a grid read per lookup", false}},
      .run = run_traversal_work};
}

}  // namespace rtindex::bench
