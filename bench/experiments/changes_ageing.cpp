// An index over many rounds of changes, with lookups after each.

#include <algorithm>
#include <optional>

#include "experiments/changing_index.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

struct Rounds {
  std::size_t count;
  std::size_t per_point;  // rounds whose mean is a point
  std::size_t rows;       // of each kind of change
  std::size_t lookups;
};

// All rounds run in order, even if only some points are measured, so that --continue measures the
// same index.
class Ageing {
 public:
  Ageing(Session& session, const Contestant& contestant, const Rounds& rounds)
      : session_(session), contestant_(contestant), rounds_(rounds) {}

  [[nodiscard]] Outcome run_to(std::size_t round) {
    advance_to(round - rounds_.per_point);
    Measured change_times{"change_ms", {}}, lookup_times{"lookup_ms", {}};
    Outcome outcome;
    while (round_ < round) {
      change_times.runs.push_back(change());
      Outcome found = changing_->look_up(lookups(), once());
      if (found.status != "ok") return found;
      lookup_times.runs.push_back(found.runs("lookup_ms").front());
      outcome.workload = found.workload;
    }
    outcome.index = changing_->index().spec().text();
    outcome.measured = {{"lookup_ms", lookup_times.runs},
                        {"change_ms", change_times.runs},
                        {"resident_bytes", {changing_->resident_bytes()}}};
    return checked(std::move(outcome), changing_->check(rounds_.lookups, once().limit_s));
  }

  // An index over the valid rows of that round.
  [[nodiscard]] Outcome beside(std::size_t round) {
    advance_to(round);
    const Column valid = changing_->table().valid_column();
    Builds builds = changing_->built_anew(contestant_.spec, valid, {.runs = 1});
    Outcome outcome = time_lookups(builds.last, valid, lookups(), session_.settings().effort);
    outcome.append(builds.outcome);
    return outcome;
  }

 private:
  void advance_to(std::size_t round) {
    if (!changing_)
      changing_.emplace(session_.space_for(contestant_.spec), contestant_.spec,
                        ChangingTable::Shape{.rows = changing_keys(session_, contestant_),
                                             .room = rounds_.count * rounds_.rows,
                                             .bits = changing_bits(session_)});
    while (round_ < round) static_cast<void>(change());
  }
  double change() {
    double ms = 0;
    for (const Change change : all_changes) ms += changing_->change(change, rounds_.rows);
    ++round_;
    return ms;
  }
  [[nodiscard]] Lookups lookups() const {
    return changing_->table().hits(rounds_.lookups, lookup_seed + round_);
  }
  [[nodiscard]] Effort once() const {
    return {.runs = 1, .limit_s = session_.settings().effort.limit_s};
  }

  Session& session_;
  const Contestant& contestant_;
  Rounds rounds_;
  std::optional<ChangingIndex> changing_;
  std::size_t round_ = 0;
};

void run_ageing(Session& session) {
  const Rounds rounds{.count = session.pick(8, 200, 1000),
                      .per_point = session.pick(4, 20, 50),
                      .rows = std::size_t{1} << session.pick(4, 14, 14),
                      .lookups = std::size_t{1} << session.pick(8, 16, 22)};
  for (const Contestant& contestant : session.contestants()) {
    Ageing ageing(session, contestant, rounds);
    for (std::size_t round = rounds.per_point; round <= rounds.count; round += rounds.per_point) {
      const auto x = static_cast<double>(round);
      session.point({.series = contestant.label, .x = x}, [&] { return ageing.run_to(round); });
      session.point({.series = series_of(contestant, "static"), .x = x},
                    [&] { return ageing.beside(round); });
    }
  }
}

}  // namespace

Experiment changes_ageing_experiment() {
  return {.name = "changes-ageing",
          .title = "Ageing",
          .question = "Do lookups, changes and memory stay the same over many rounds of changes?",
          .figure = "none",
          .section = "",
          .x = XAxis{"round", "rounds of changes"},
          .metrics = {lookup_ms(), change_ms(), resident_bytes()},
          .run = run_ageing};
}

}  // namespace rtindex::bench
