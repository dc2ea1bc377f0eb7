#include "harness/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/check.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t pilot_share = 64;

// One batch of lookups at one index: what is fired, where its sums go, what they must be.
class Shot {
 public:
  Shot(Place& place, const Index& index, const Column& column, const Lookups& lookups,
       const Firing& firing)
      : place_(place),
        index_(index),
        name_(index.spec().text()),
        lookups_(lookups),
        batch_(std::max<std::size_t>(1, lookups.size() / firing.batches)),
        values_(place.put(firing.included ? ColumnView() : ColumnView(column.values))),
        sums_(place.sums(lookups.size())),
        expected_(lookups.expected) {
    if (firing.sorted) {
      expected_ = in_key_order(lookups, batch_).expected;
      sortable_ = place.put_to_sort(lookups.lower);
    } else {
      lower_ = place.put(lookups.lower.view());
    }
    if (lookups.are_ranges()) upper_ = place.put(lookups.upper.view());
  }

  struct Run {
    double sort_ms = 0;
    double lookup_ms = 0;
  };

  // Fires the first `size` lookups and checks what they give.
  Run fire(std::size_t size) {
    Run run;
    if (sortable_) {
      sortable_->restore();
      run.sort_ms = place_.milliseconds([&] {
        each_batch(size, [&](auto first, auto count) { sortable_->sort(first, count); });
      });
    }
    sums_->wipe();
    run.lookup_ms = place_.milliseconds(
        [&] { each_batch(size, [&](auto first, auto count) { look_up(first, count); }); });
    // A pilot that cuts a sorted batch short has other lookups than the whole batch starts with.
    const bool is_comparable = !sortable_ || size % batch_ == 0 || size == lookups_.size();
    if (is_comparable)
      check_sums(sums_->fetch().first(size), std::span(expected_).first(size), name_);
    return run;
  }

 private:
  template <class Work>
  void each_batch(std::size_t size, const Work& work) const {
    for (std::size_t first = 0; first < size; first += batch_)
      work(first, std::min(batch_, size - first));
  }

  void look_up(std::size_t first, std::size_t count) {
    const Place::Put& lower = sortable_ ? *sortable_ : *lower_;
    const Ask ask{.answers = Answer::sum, .values = values_->view()};
    const Outputs outputs{.sum = sums_->data() + first, .place = sums_->place()};
    if (upper_)
      index_.range_into(lower.slice(first, count), upper_->slice(first, count), ask, outputs);
    else
      index_.lookup_into(lower.slice(first, count), ask, outputs);
  }

  Place& place_;
  const Index& index_;
  std::string name_;
  const Lookups& lookups_;
  std::size_t batch_;
  std::unique_ptr<Place::Put> values_, lower_, upper_;
  std::unique_ptr<Place::Sortable> sortable_;
  std::unique_ptr<Place::Sums> sums_;
  std::vector<std::uint64_t> expected_;
};

// A small share of the lookups tells whether the whole batch would run into the limit.
std::optional<std::string> too_slow(Shot& shot, std::size_t size, double limit_s) {
  const std::size_t pilot = size / pilot_share;
  if (pilot == 0) return std::nullopt;
  const double seconds = shot.fire(pilot).lookup_ms / 1000;
  if (seconds * pilot_share <= limit_s) return std::nullopt;
  return fmt::format("{} of {} lookups took {:.1f} s; the limit is {:.0f} s for all", pilot, size,
                     seconds, limit_s);
}

int runs_within(const Effort& effort, double warm_up_ms) {
  return warm_up_ms / 1000 * effort.runs <= effort.limit_s ? effort.runs : 1;
}

}  // namespace

const std::vector<double>& Outcome::runs(const std::string& metric) const {
  const auto found = std::find_if(measured.begin(), measured.end(),
                                  [&](const Measured& m) { return m.metric == metric; });
  if (found == measured.end()) throw std::logic_error("no runs of " + metric);
  return found->runs;
}

void Outcome::derive(const std::string& metric, const std::string& from, double factor) {
  if (status != "ok") return;
  std::vector<double> derived = runs(from);
  for (double& run : derived) run *= factor;
  measured.push_back({metric, std::move(derived)});
}

void Outcome::append(const Outcome& other) {
  if (!other.index.empty()) index = other.index;
  if (status == "ok") {
    status = other.status;
    reason = other.reason;
  }
  measured.insert(measured.end(), other.measured.begin(), other.measured.end());
  workload.update(other.workload);
}

Outcome time_lookups(Place& place, const Index& index, const Column& column, const Lookups& lookups,
                     const Effort& effort, const Firing& firing) {
  Outcome outcome{.index = index.spec().text()};
  outcome.workload.update(column.about);
  outcome.workload.update(lookups.about);
  outcome.workload.update({{"sorted", firing.sorted}, {"batches", firing.batches}});
  const LookupKind kind = lookups.are_ranges() ? LookupKind::range : LookupKind::point;
  if (!index.supports(Answer::sum, kind)) {
    outcome.status = "unsupported";
    outcome.reason = fmt::format("{} lookups cannot be answered with sums", name_of(kind));
    return outcome;
  }
  Shot shot(place, index, column, lookups, firing);
  if (const auto reason = too_slow(shot, lookups.size(), effort.limit_s)) {
    outcome.status = "timed out";
    outcome.reason = *reason;
    return outcome;
  }
  const int runs = runs_within(effort, shot.fire(lookups.size()).lookup_ms);
  std::vector<double> sort_ms, lookup_ms, total_ms;
  for (int i = 0; i < runs; ++i) {
    const Shot::Run run = shot.fire(lookups.size());
    sort_ms.push_back(run.sort_ms);
    lookup_ms.push_back(run.lookup_ms);
    total_ms.push_back(run.sort_ms + run.lookup_ms);
  }
  outcome.measured.push_back({"lookup_ms", lookup_ms});
  if (firing.sorted) {
    outcome.measured.push_back({"sort_ms", sort_ms});
    outcome.measured.push_back({"total_ms", total_ms});
  }
  return outcome;
}

Outcome time_builds(Place& place, const Column& column, const Spec& spec, const Effort& effort) {
  const auto keys = place.put(column.keys.view());
  Outcome outcome;
  outcome.workload = column.about;
  std::optional<Index> index;
  const auto build_once = [&] {
    index.reset();
    return place.milliseconds([&] { index.emplace(build(keys->view(), spec)); });
  };
  const int runs = runs_within(effort, build_once());
  std::vector<double> build_ms(static_cast<std::size_t>(runs));
  std::generate(build_ms.begin(), build_ms.end(), build_once);
  const Bytes bytes = index->bytes();
  outcome.index = index->spec().text();
  outcome.measured = {{"build_ms", build_ms},
                      {"resident_bytes", {static_cast<double>(bytes.resident)}},
                      {"build_peak_bytes", {static_cast<double>(bytes.build_peak)}}};
  for (const auto& [name, value] : index->build_parts())
    outcome.measured.push_back({name, {value}});
  return outcome;
}

}  // namespace rtindex::bench
