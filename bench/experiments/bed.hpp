#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "experiments/lazy.hpp"
#include "harness/measure.hpp"
#include "harness/session.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {

enum class Values : std::uint8_t { fetched, included };

// One index over one column, built when it is first needed, and once.
class Bed {
 public:
  Bed(Session& session, Spec spec, Lazy<Column>& column, Values values = Values::fetched)
      : session_(session), spec_(std::move(spec)), column_(column), values_(values) {}
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  // Where the index works, and the column there.
  [[nodiscard]] Place& place() { return session_.place_for(spec_); }
  [[nodiscard]] const Column& column() { return column_.in(place()); }

  [[nodiscard]] Outcome fire(const Lookups& lookups, Firing firing = {}) {
    firing.included = values_ == Values::included;
    if (!index_) index_.emplace(made());
    return time_lookups(*index_, column(), lookups, effort(), firing);
  }
  [[nodiscard]] Outcome fire(Lazy<Lookups>& lookups, const Firing& firing = {}) {
    return fire(lookups.in(place()), firing);
  }
  [[nodiscard]] Outcome profile(Lazy<Lookups>& lookups) {
    if (!index_) index_.emplace(made());
    return profile_lookups(*index_, column(), lookups.in(place()), effort());
  }
  [[nodiscard]] Outcome builds() {
    index_.reset();
    Builds builds = time_builds(
        column(), [this] { return made(); }, effort());
    index_.emplace(std::move(builds.last));
    return std::move(builds.outcome);
  }

 private:
  [[nodiscard]] const Effort& effort() const { return session_.settings().effort; }
  [[nodiscard]] Index made() {
    if (values_ == Values::fetched) return build(column().keys.view(), spec_);
    return build(column().keys.view(), spec_, {.include = view_of(column().values)});
  }

  Session& session_;
  Spec spec_;
  Lazy<Column>& column_;
  Values values_;
  std::optional<Index> index_;
};

// All contestants over one column. Their indexes stay, so that every batch of lookups is made once
// and fired at all of them.
class Beds {
 public:
  struct Entry {
    Contestant contestant;
    std::unique_ptr<Bed> bed;
  };

  Beds(Session& session, Lazy<Column>& column) {
    for (const Contestant& contestant : session.contestants())
      entries_.push_back({contestant, std::make_unique<Bed>(session, contestant.spec, column)});
  }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

inline constexpr std::uint64_t column_seed = 1;
inline constexpr std::uint64_t lookup_seed = 2;

// The paper's numbers of keys and lookups (section 3.1), and what stands for them elsewhere.
inline std::size_t usual_keys_log2(const Session& session) { return session.pick(12, 20, 26); }
inline std::size_t usual_keys(const Session& session) {
  return std::size_t{1} << usual_keys_log2(session);
}
inline std::size_t usual_lookups(const Session& session) {
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

}  // namespace rtindex::bench
