#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "harness/measure.hpp"
#include "harness/session.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {

// A workload that is generated on first use, once per execution space: an experiment whose points
// all have records generates none, and indexes in the same space share one.
template <class T>
class Lazy {
 public:
  explicit Lazy(std::function<T(ExecutionSpace&)> make) : make_(std::move(make)) {}
  [[nodiscard]] const T& in(ExecutionSpace& space) {
    const auto made = made_.find(&space);
    return made != made_.end() ? made->second : made_.emplace(&space, make_(space)).first->second;
  }

 private:
  std::function<T(ExecutionSpace&)> make_;
  std::map<ExecutionSpace*, T> made_;
};

enum class Values : std::uint8_t { fetched, included };

// One index over one column, built once, on first use.
class Fixture {
 public:
  Fixture(Session& session, Spec spec, Lazy<Column>& column, Values values = Values::fetched)
      : session_(session), spec_(std::move(spec)), column_(column), values_(values) {}
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  // The space of the index, and the column there.
  [[nodiscard]] ExecutionSpace& space() { return session_.space_for(spec_); }
  [[nodiscard]] const Column& column() { return column_.in(space()); }

  [[nodiscard]] const Index& index() {
    if (!index_) index_.emplace(built());
    return *index_;
  }

  [[nodiscard]] Outcome run(const Lookups& lookups, RunOptions options = {}) {
    options.included = values_ == Values::included;
    return time_lookups(index(), column(), lookups, effort(), options);
  }
  [[nodiscard]] Outcome run(Lazy<Lookups>& lookups, const RunOptions& options = {}) {
    return run(lookups.in(space()), options);
  }
  [[nodiscard]] Outcome profile(Lazy<Lookups>& lookups) {
    return profile_lookups(index(), column(), lookups.in(space()), effort());
  }
  [[nodiscard]] Outcome time_builds() {
    index_.reset();
    Builds builds = bench::time_builds(
        column(), [this] { return built(); }, effort());
    index_.emplace(std::move(builds.last));
    return std::move(builds.outcome);
  }

 private:
  [[nodiscard]] const Effort& effort() const { return session_.settings().effort; }
  [[nodiscard]] Index built() {
    if (values_ == Values::fetched) return build(column().keys.view(), spec_);
    return build(column().keys.view(), spec_, {.include = view_of(column().values)});
  }

  Session& session_;
  Spec spec_;
  Lazy<Column>& column_;
  Values values_;
  std::optional<Index> index_;
};

// All contestants over one column. Their indexes stay in memory, so that every batch of lookups is
// generated once and run on all of them.
class Fixtures {
 public:
  struct Entry {
    Contestant contestant;
    std::unique_ptr<Fixture> fixture;
  };

  Fixtures(Session& session, Lazy<Column>& column) {
    for (const Contestant& contestant : session.contestants())
      entries_.push_back({contestant, std::make_unique<Fixture>(session, contestant.spec, column)});
  }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

inline constexpr std::uint64_t column_seed = 1;
inline constexpr std::uint64_t lookup_seed = 2;

// The paper's numbers of keys and lookups (section 3.1), and smaller ones for the other scales.
inline std::size_t default_keys_log2(const Session& session) { return session.pick(12, 20, 26); }
inline std::size_t default_keys(const Session& session) {
  return std::size_t{1} << default_keys_log2(session);
}
inline std::size_t default_lookups(const Session& session) {
  return std::size_t{1} << session.pick(12, 17, 27);
}

// "rx:embree, sorted lookups"; without `what` the label alone.
inline std::string series_of(const Contestant& contestant, const std::string& what = {}) {
  return what.empty() ? contestant.label : contestant.label + ", " + what;
}

// Adds million lookups per second.
[[nodiscard]] inline Outcome with_throughput(Outcome outcome, std::size_t lookups) {
  if (outcome.status != "ok") return outcome;
  std::vector<double> rates = outcome.runs("lookup_ms");
  for (double& rate : rates) rate = static_cast<double>(lookups) / rate / 1e3;
  outcome.measured.push_back({throughput().name, std::move(rates)});
  return outcome;
}

inline std::string order_name(bool sorted) { return sorted ? "sorted lookups" : ""; }

// The key modes (section 3.2). Extended mode comes last: at its worst a single lookup takes longer
// than all other points together.
inline const std::vector<std::string>& key_modes() {
  static const std::vector<std::string> modes = {"naive", "3d", "extended"};
  return modes;
}

// The numbers of keys, log2, for comparisons of modes, rays and primitives.
inline std::vector<int> mode_sizes(const Session& session) {
  return session.pick<int>({10, 12}, {16, 18, 20}, {21, 22, 23, 24, 25, 26});
}

}  // namespace rtindex::bench
