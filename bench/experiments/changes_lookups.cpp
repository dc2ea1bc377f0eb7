// Lookups on an index that has changed, beside an index that was built over the same rows.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <rtindex/error.hpp>

#include "engine/engine.hpp"
#include "engine/index_options.hpp"
#include "experiments/changing_index.hpp"
#include "experiments/experiments.hpp"
#include "index/resolve.hpp"

namespace rtindex::bench {

namespace {

// The most rows that lie outside the main segment before a change merges them into it.
std::size_t fullest_delta(const Spec& spec, std::size_t keys) {
  constexpr std::size_t eighth = 8;
  const ResolvedSpec resolved = resolve(spec);
  const std::size_t max_delta =
      IndexOptions::from(resolved.spec)
          .delta.value_or(resolved.kind->bind(resolved.spec, nullptr).default_delta);
  return std::min(max_delta, keys / eighth);
}

// The line of describe() that counts the keys of each segment.
std::string segments_of(const Index& index) {
  const std::string text = index.describe();
  const std::size_t start = text.find("segments: ");
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

// One index with the fullest delta and erased rows, and one over its valid rows, on first use.
class ChangedAndStatic {
 public:
  ChangedAndStatic(Session& session, const Contestant& contestant, Values values)
      : session_(session), contestant_(contestant), values_(values) {}

  [[nodiscard]] Outcome run(bool is_static, std::size_t hits) {
    if (!changed_) make();
    const Lookups lookups = lookups_of(hits);
    const Effort& effort = session_.settings().effort;
    Outcome outcome = is_static
                          ? time_lookups(*static_, *valid_, lookups, effort, changed_->options())
                          : changed_->look_up(lookups, effort);
    if (!is_static) outcome.workload["segments"] = segments_of(changed_->index());
    outcome = with_throughput(std::move(outcome), lookups.size());
    const double bytes = is_static ? static_cast<double>(static_->memory_usage().resident)
                                   : changed_->resident_bytes();
    outcome.measured.push_back({"resident_bytes", {bytes}});
    return outcome;
  }

 private:
  // In batches, as a delta fills up.
  void make() {
    constexpr std::size_t batches = 256;
    constexpr std::size_t erased_share = 20;  // 5%
    const std::size_t keys = changing_keys(session_, contestant_);
    const std::size_t delta = fullest_delta(contestant_.spec, keys);
    ChangingIndex changed(session_.space_for(contestant_.spec), contestant_.spec,
                          {.rows = keys, .room = delta, .bits = changing_bits(session_)}, values_);
    changed.change(Change::erase, keys / erased_share);
    const std::size_t batch = std::max<std::size_t>(1, delta / batches);
    for (std::size_t done = 0; done < delta; done += std::min(batch, delta - done))
      changed.change(Change::insert, std::min(batch, delta - done));
    if (segments_of(changed.index()).find('+') == std::string::npos)
      throw Error("all rows are in one segment after the inserts: expected several, got '" +
                  segments_of(changed.index()) + "'; set a larger delta in the spec");
    valid_.emplace(changed.table().valid_column());
    static_.emplace(std::move(changed.built_anew(contestant_.spec, *valid_, {.runs = 1}).last));
    changed_.emplace(std::move(changed));
  }

  [[nodiscard]] Lookups lookups_of(std::size_t hits) {
    const std::size_t points = changing_lookups(session_);
    if (hits == 1) return changed_->table().hits(points, lookup_seed);
    if (!ranked_) ranked_.emplace(*valid_);
    return ranges_of_hits(*ranked_, points / 32, hits, lookup_seed);
  }

  Session& session_;
  const Contestant& contestant_;
  Values values_;
  std::optional<ChangingIndex> changed_;
  std::optional<Column> valid_;
  std::optional<Ranked> ranked_;
  std::optional<Index> static_;
};

bool can_include(const Contestant& contestant) {
  const Spec& spec = contestant.spec;
  return spec.kind() == "sorted" || spec.kind() == "btree" || spec.tracer() == "native";
}

void run_changes_lookups(Session& session) {
  for (const Contestant& contestant : session.contestants())
    for (const Values values : {Values::fetched, Values::included}) {
      if (values == Values::included && !can_include(contestant)) continue;
      ChangedAndStatic both(session, contestant, values);
      for (const std::size_t hits : {1U, 16U, 1024U})
        for (const bool is_static : {true, false}) {
          const std::string what = hits == 1 ? "points" : fmt::format("ranges of {}", hits);
          session.point(
              {.series = series_of(contestant, is_static ? "static" : "fullest delta, 5% erased"),
               .category = what + (values == Values::included ? ", included values" : "")},
              [&] { return both.run(is_static, hits); });
        }
    }
}

}  // namespace

Experiment changes_lookups_experiment() {
  return {.name = "changes-lookups",
          .title = "Lookups after changes",
          .question =
              "How much slower are lookups before changes are merged, and how much more "
              "memory do they take?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {lookup_ms(), throughput(), resident_bytes()},
          .run = run_changes_lookups};
}

}  // namespace rtindex::bench
