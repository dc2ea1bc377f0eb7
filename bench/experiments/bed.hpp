#pragma once

#include <memory>
#include <string>

#include <rtindex/index.hpp>

#include "experiments/lazy.hpp"
#include "harness/measure.hpp"
#include "harness/session.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {

enum class Values : std::uint8_t { fetched, included };

// One index over one column, built when the first lookups are fired at it.
class Bed {
 public:
  Bed(const Session& session, Spec spec, Lazy<Column>& column, Values values = Values::fetched)
      : effort_(session.settings().effort),
        spec_(std::move(spec)),
        column_(column),
        values_(values),
        place_(place_for(spec_)),
        index_([this] { return made(); }) {}
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  [[nodiscard]] Outcome fire(const Lookups& lookups, Firing firing = {}) {
    firing.included = values_ == Values::included;
    return time_lookups(*place_, *index_, *column_, lookups, effort_, firing);
  }
  [[nodiscard]] Outcome builds() { return time_builds(*place_, *column_, spec_, effort_); }

 private:
  [[nodiscard]] Index made() {
    const auto keys = place_->put(column_->keys.view());
    if (values_ == Values::fetched) return build(keys->view(), spec_);
    const auto included = place_->put(column_->values);
    return build(keys->view(), spec_, include(included->view()));
  }

  Effort effort_;
  Spec spec_;
  Lazy<Column>& column_;
  Values values_;
  std::unique_ptr<Place> place_;
  Lazy<Index> index_;
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
