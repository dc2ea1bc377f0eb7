// Batches of changes alone, and mixed with lookups.

#include <algorithm>

#include "experiments/changing_index.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

// Batches of `rows` rows, enough of them for several merges of small batches into the main
// structure, as many as memory and erases allow.
std::size_t batches_of(std::size_t rows, std::size_t keys) {
  constexpr std::size_t rows_wanted = std::size_t{1} << 22;
  // Fewer rows than 2^10 at a time would take too long to fill a delta.
  const std::size_t most = rows < 1024 ? 1024 : 4096;
  constexpr std::size_t fewest = 3;
  const std::size_t all = std::min(rows_wanted, keys / 2);
  return std::clamp(all / rows, fewest, most);
}

// For slow indexes, batches end here, except the first few.
double time_of_batches(const Session& session) {
  return std::min(session.settings().effort.runs_limit_s,
                  static_cast<double>(session.pick(10, 20, 60)));
}

Outcome time_changes(Session& session, const Contestant& contestant, Change change,
                     std::size_t rows) {
  const std::size_t keys = changing_keys(session, contestant);
  const std::size_t batches = batches_of(rows, keys);
  const std::size_t room = change == Change::insert ? batches * rows : 0;
  ChangingIndex changing(session.space_for(contestant.spec), contestant.spec,
                         {.rows = keys, .room = room, .bits = changing_bits(session)});
  changing.warm_up(change, rows);
  std::vector<double> times;
  double total_ms = 0;
  while (times.size() < batches &&
         (times.size() < 3 || total_ms / 1000 < time_of_batches(session))) {
    times.push_back(changing.change(change, rows));
    total_ms += times.back();
  }
  const auto done = static_cast<double>(times.size());
  Outcome outcome{.index = changing.index().spec().text()};
  outcome.workload = {{"change", name_of(change)}, {"rows", rows}, {"batches_of_rows", done}};
  outcome.measured = {{"change_ms", {mean(times)}},
                      {"worst_ms", {*std::max_element(times.begin(), times.end())}},
                      {"mrows_per_s", {done * static_cast<double>(rows) / total_ms / 1e3}},
                      {"resident_bytes", {changing.resident_bytes()}}};
  return checked(std::move(outcome),
                 changing.check(changing_lookups(session) / 16, session.settings().effort.limit_s));
}

void run_changes(Session& session) {
  const auto sizes = session.pick<int>({0, 4, 8, 10}, {0, 4, 8, 10, 12, 16, 20},
                                       {0, 4, 8, 12, 16, 18, 20, 22, 24});
  for (const Contestant& contestant : session.contestants())
    for (const Change change : all_changes)
      for (const int log2 : sizes) {
        const std::size_t rows = std::size_t{1} << log2;
        // Three batches of erases leave a row.
        if (4 * rows > changing_keys(session, contestant)) continue;
        session.point({.series = series_of(contestant, name_of(change)), .x = log2},
                      [&] { return time_changes(session, contestant, change, rows); });
      }
}

// Rounds of changes of each kind and of lookups, with shares of all operations.
struct Mix {
  double share_of_changes;
  std::size_t operations;  // in a round
  std::size_t rounds;

  // Of each of the three kinds.
  [[nodiscard]] std::size_t changes() const {
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(share_of_changes * static_cast<double>(operations) / 3));
  }
  [[nodiscard]] std::size_t lookups() const { return operations - 3 * changes(); }
};

Outcome time_mix(Session& session, const Contestant& contestant, NewKeys new_keys, const Mix& mix) {
  ChangingIndex changing(session.space_for(contestant.spec), contestant.spec,
                         {.rows = changing_keys(session, contestant),
                          .room = mix.rounds * mix.changes(),
                          .bits = changing_bits(session),
                          .new_keys = new_keys});
  for (const Change change : all_changes) changing.warm_up(change, mix.changes());
  Outcome outcome{.index = changing.index().spec().text()};
  const Effort once{.runs = 1, .limit_s = session.settings().effort.limit_s};
  Measured change_times{"change_ms", {}}, lookup_times{"lookup_ms", {}},
      rates{"moperations_per_s", {}};
  double total_ms = 0;
  for (std::size_t round = 0; round < mix.rounds; ++round) {
    double change_ms = 0;
    for (const Change change : all_changes) change_ms += changing.change(change, mix.changes());
    Outcome found =
        changing.look_up(changing.table().hits(mix.lookups(), lookup_seed + round), once);
    outcome.workload.update(found.workload);
    if (found.status != "ok") return found;
    change_times.runs.push_back(change_ms);
    lookup_times.runs.push_back(found.runs("lookup_ms").front());
    total_ms += change_ms + lookup_times.runs.back();
  }
  const auto operations = static_cast<double>(mix.rounds * mix.operations);
  outcome.measured = {{"moperations_per_s", {operations / total_ms / 1e3}},
                      {"change_ms", {mean(change_times.runs)}},
                      {"lookup_ms", {mean(lookup_times.runs)}}};
  outcome.workload.update({{"share_of_changes", mix.share_of_changes},
                           {"operations", mix.operations},
                           {"rounds", mix.rounds}});
  return checked(std::move(outcome), changing.check(changing_lookups(session) / 16, once.limit_s));
}

void run_mix(Session& session) {
  const std::size_t operations = std::size_t{1} << session.pick(8, 16, 18);
  const std::size_t rounds = session.pick(4, 64, 32);
  for (const Contestant& contestant : session.contestants())
    for (const NewKeys new_keys : {NewKeys::anywhere, NewKeys::narrow})
      for (const double share : {0.05, 0.5, 0.9})
        session.point(
            {.series = series_of(contestant, new_keys == NewKeys::anywhere ? "uniform" : "skewed"),
             .x = share},
            [&] {
              return time_mix(session, contestant, new_keys, {share, operations, rounds});
            });
}

}  // namespace

Experiment changes_experiment() {
  return {.name = "changes",
          .title = "Changes",
          .question = "What does a batch of inserts, updates or erases cost, merges included?",
          .figure = "none",
          .section = "",
          .x = XAxis{"log2_rows", "rows in the batch, log2"},
          .metrics = {change_ms(),
                      {"worst_ms", "time of the slowest batch [ms]"},
                      {"mrows_per_s", "throughput [million rows/s]", true, false},
                      resident_bytes()},
          .run = run_changes};
}

Experiment changes_mix_experiment() {
  return {.name = "changes-mix",
          .title = "Changes among lookups",
          .question = "How many operations a second are left when changes and lookups alternate?",
          .figure = "none",
          .section = "",
          .x = XAxis{"share_of_changes", "share of the operations that are changes"},
          .metrics = {{"moperations_per_s", "throughput [million operations/s]", true, false},
                      change_ms(),
                      lookup_ms()},
          .run = run_mix};
}

}  // namespace rtindex::bench
