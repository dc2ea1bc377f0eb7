// Joins on equal keys into buffers, in the order of the lookups and in any order.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// The buffers of a join, on the device of the index.
struct JoinBuffers {
  JoinBuffers(ExecutionSpace& space, std::size_t pairs)
      : lookups(space, pairs), rows(space, pairs), count(space, 1) {}

  [[nodiscard]] JoinOutputs outputs(ExecutionSpace& space) const {
    return {.lookups = lookups.data(),
            .rows = rows.data(),
            .capacity = rows.size(),
            .count = count.data(),
            .memory_space = space.memory()};
  }

  WorkloadArray<std::uint64_t> lookups;
  WorkloadArray<std::uint32_t> rows;
  WorkloadArray<std::uint64_t> count;
};

// Compares the sum of the values of each lookup's rows with the expected one.
void check_pairs(const JoinBuffers& found, const Column& column, const Lookups& lookups,
                 const std::string& index) {
  const std::vector<std::uint64_t> probe = found.lookups.to_host();
  const std::vector<std::uint32_t> rows = found.rows.to_host();
  const std::vector<std::uint32_t> values = column.values.to_host();
  if (found.count.to_host().front() != rows.size())
    throw WrongAnswer(index + " returned a wrong number of pairs");
  std::vector<std::uint64_t> sums(lookups.size());
  for (std::size_t i = 0; i < rows.size(); ++i) sums[probe[i]] += values[rows[i]];
  if (sums != lookups.expected.to_host()) throw WrongAnswer(index + " returned wrong pairs");
}

Outcome time_join(Fixture& fixture, const Lookups& lookups, std::size_t pairs, JoinOrder order,
                  const Effort& effort) {
  const Index& index = fixture.index();
  ExecutionSpace& space = fixture.space();
  const JoinBuffers found(space, pairs);
  const Query query = Query::equal(lookups.lower.view());
  const auto join = [&] {
    index.join_into(query, JoinKind::inner, found.outputs(space), {.order = order});
  };
  std::vector<double> runs;
  runs.reserve(static_cast<std::size_t>(effort.runs));
  static_cast<void>(space.milliseconds(join));
  for (int run = 0; run < effort.runs; ++run) runs.push_back(space.milliseconds(join));
  Outcome outcome{.index = index.spec().text()};
  outcome.workload = lookups.about;
  outcome.measured = {{"lookup_ms", std::move(runs)}};
  check_pairs(found, fixture.column(), lookups, outcome.index);
  return outcome;
}

std::string category_of(std::size_t multiplicity, JoinOrder order) {
  return std::string(multiplicity == 1 ? "one row a key" : "eight rows a key") +
         (order == JoinOrder::any ? ", any order" : ", order of the lookups");
}

void run_joins(Session& session) {
  const std::size_t lookup_count = std::size_t{1} << session.pick(12, 20, 26);
  for (const std::size_t multiplicity : {1, 8}) {
    // As many pairs of both.
    const std::size_t batch = lookup_count / multiplicity;
    Lazy<Column> column([&](ExecutionSpace& space) {
      return repeated_column(space, default_keys(session), multiplicity, column_seed);
    });
    Lazy<Lookups> lookups(
        [&](ExecutionSpace& space) { return hits_in(column.in(space), batch, lookup_seed); });
    for (const Contestant& contestant : session.contestants()) {
      Fixture fixture(session, contestant.spec, column);
      for (const JoinOrder order : {JoinOrder::lookups, JoinOrder::any})
        session.point({.series = contestant.label, .category = category_of(multiplicity, order)},
                      [&] {
                        return time_join(fixture, lookups.in(fixture.space()), lookup_count, order,
                                         session.settings().effort);
                      });
    }
  }
}

}  // namespace

Experiment joins_experiment() {
  return {.name = "joins",
          .title = "Joins in any order",
          .question = "What does a join cost in the order of the lookups, and in any order?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {lookup_ms()},
          .run = run_joins};
}

}  // namespace rtindex::bench
