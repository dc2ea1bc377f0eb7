#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "experiments/fixture.hpp"
#include "workload/changing_table.hpp"

namespace rtindex::bench {

// An index and the table beside it, which change together in the space of the index.
class ChangingIndex {
 public:
  ChangingIndex(ExecutionSpace& space, const Spec& spec, const ChangingTable::Shape& shape,
                Values values = Values::fetched)
      : table_(space, shape, column_seed),
        index_(built(table_.column(), spec, values)),
        options_{.included = values == Values::included} {}

  // Makes a change in both, and returns the milliseconds until it is complete in the index.
  double change(Change change, std::size_t rows) {
    const RowBatch batch = table_.next(change, rows);
    const double ms = timed(batch, index_);
    table_.apply(batch);
    return ms;
  }
  // Runs a change without effect on either, to warm up caches, kernels and memory pools.
  void warm_up(Change change, std::size_t rows) const {
    Index other = index_.snapshot();
    static_cast<void>(timed(table_.next(change, rows), other));
  }

  [[nodiscard]] Outcome look_up(const Lookups& lookups, const Effort& effort) const {
    return time_lookups(index_, table_.column(), lookups, effort, options_);
  }
  // Compares the answers to lookups of valid and erased rows with the table.
  [[nodiscard]] Outcome check(std::size_t lookups, double limit_s) const {
    Outcome outcome = look_up(table_.hits_and_misses(lookups, lookup_seed),
                              {.runs = 1, .limit_s = limit_s, .runs_limit_s = limit_s});
    outcome.measured.clear();
    return outcome;
  }
  // Builds an index over the valid rows, of which `valid` is a copy.
  [[nodiscard]] Builds built_anew(const Spec& spec, const Column& valid,
                                  const Effort& effort) const {
    const Values values = options_.included ? Values::included : Values::fetched;
    return time_builds(
        valid, [&] { return built(valid, spec, values); }, effort);
  }

  [[nodiscard]] const ChangingTable& table() const { return table_; }
  [[nodiscard]] ChangingTable& table() { return table_; }
  [[nodiscard]] const Index& index() const { return index_; }
  [[nodiscard]] Index& index() { return index_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] double resident_bytes() const {
    return static_cast<double>(index_.memory_usage().resident);
  }

 private:
  [[nodiscard]] static Index built(const Column& column, const Spec& spec, Values values) {
    if (values == Values::fetched) return build(column.keys.view(), spec);
    return build(column.keys.view(), spec, {.include = view_of(column.values)});
  }
  [[nodiscard]] double timed(const RowBatch& batch, Index& index) const {
    ExecutionSpace& space = table_.space();
    space.wait();
    return space.milliseconds([&] {
      apply(batch, index);
      space.wait();
    });
  }

  ChangingTable table_;
  Index index_;
  RunOptions options_;
};

inline constexpr Change all_changes[] = {Change::insert, Change::update, Change::erase};

// Random 32-bit keys at the paper's scale, 64-bit keys on a CPU. Embree's builds take too long and
// too much memory for as many keys as the others have.
inline std::size_t changing_keys(const Session& session, const Contestant& contestant) {
  const bool is_embree = contestant.spec.tracer() == "embree";
  return std::size_t{1} << session.pick(12, is_embree ? 18 : 24, 26);
}
inline int changing_bits(const Session& session) {
  return static_cast<int>(session.pick(64, 64, 32));
}
inline std::size_t changing_lookups(const Session& session) {
  return std::size_t{1} << session.pick(10, 20, 26);
}

// Of a batch, or of the three batches of a round.
inline Metric change_ms() { return {"change_ms", "mean time of the changes [ms]"}; }

// Adds a failure to the measurements that succeeded.
[[nodiscard]] inline Outcome checked(Outcome outcome, const Outcome& check) {
  outcome.append(check);
  return outcome;
}

}  // namespace rtindex::bench
