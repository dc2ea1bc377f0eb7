#include "cpu_peers/cpu_peers.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "harness/timing.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

std::vector<double> PeerRace::medians(const Batch& batch,
                                      const std::vector<Competitor>& competitors) const {
  std::vector<Sums> answers(competitors.size(), Sums(batch.lookups));
  std::vector<std::function<void()>> runs;
  for (std::size_t i = 0; i < competitors.size(); ++i)
    runs.emplace_back([&, i] { competitors[i].run(answers[i]); });
  const std::vector<Times> times = race(runs);

  fmt::print("{}\n", batch.question);
  nlohmann::json workload = batch.workload;
  workload["question"] = batch.question;
  workload["lookups"] = batch.lookups;
  std::vector<double> medians;
  for (std::size_t i = 0; i < competitors.size(); ++i) {
    if (answers[i] != answers[0]) wrong_answers(competitors[i].name, batch.question);
    medians.push_back(times[i].median());
    fmt::print("  {:44} {:9.2f} Ml/s {:8.2f}x\n", competitors[i].name,
               static_cast<double>(batch.lookups) / medians[i] / 1e3, medians[0] / medians[i]);
    records_->add(competitors[i].name, workload, "lookup_ms", medians[i], times[i].runs);
  }
  fmt::print("\n");
  std::fflush(stdout);
  return medians;
}

void wrong_answers(const std::string& who, const std::string& question) {
  fmt::print(stderr, "{}: wrong answers to \"{}\"\n", who, question);
  std::exit(1);
}

KeyVector random_column(int keys_log2) {
  return uniform_distinct<std::uint64_t>(std::size_t{1} << keys_log2, 1);
}

Words values_for(std::size_t size) {
  Words values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] = static_cast<std::uint32_t>(i * 2654435761U) >> 4;
  return values;
}

Competitor points_of(const Index& index, const KeyVector& keys, const Words& values) {
  return {index.spec().text(), [&](Sums& sums) {
            index.answer_into(Query::equal(keys), {.values = values}, {.sum = sums.data()});
          }};
}

Ranges Ranges::with_hits(const KeyVector& sorted_keys, std::size_t hits, std::size_t lookups) {
  Ranges ranges;
  std::mt19937_64 random(4);
  for (std::size_t i = 0; i < lookups; ++i) {
    const std::size_t first = random() % (sorted_keys.size() - hits + 1);
    ranges.lower.push_back(sorted_keys[first]);
    ranges.upper.push_back(sorted_keys[first + hits - 1]);
  }
  return ranges;
}

Competitor ranges_of(const Index& index, const Ranges& ranges, const Words& values) {
  return {index.spec().text(), [&](Sums& sums) {
            index.answer_into(Query::range(ranges.lower, ranges.upper), {.values = values},
                              {.sum = sums.data()});
          }};
}

}  // namespace rtindex::bench
