#include "harness/session.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::bench {

std::string name_of(Scale scale) {
  switch (scale) {
    case Scale::smoke: return "smoke";
    case Scale::laptop: return "laptop";
    case Scale::paper: return "paper";
  }
  return {};
}

Scale scale_named(const std::string& name) {
  for (const Scale scale : {Scale::smoke, Scale::laptop, Scale::paper})
    if (name_of(scale) == name) return scale;
  throw Error("unknown scale '" + name + "': expected smoke, laptop or paper");
}

Session::Session(Settings settings, Records& records, std::vector<Record> known, Announce announce)
    : settings_(std::move(settings)),
      records_(records),
      known_(std::move(known)),
      announce_(std::move(announce)) {
  for (const Record& record : known_) done_.insert(record.point());
}

std::size_t Session::points_to_measure(const Experiment& experiment) {
  is_counting_ = true;
  counted_.clear();
  run(experiment);
  is_counting_ = false;
  return counted_.size();
}

void Session::run(const Experiment& experiment) {
  experiment_ = &experiment;
  experiment.run(*this);
  experiment_ = nullptr;
}

std::vector<Record> Session::results(const std::string& experiment) const {
  std::vector<Record> results;
  std::copy_if(known_.begin(), known_.end(), std::back_inserter(results), [&](const Record& r) {
    return r.experiment == experiment && r.scale == name_of(settings_.scale);
  });
  return results;
}

std::vector<Contestant> Session::ray_tracers() {
  std::vector<Contestant> tracers = contestants();
  std::erase_if(tracers, [](const Contestant& c) { return !c.traces_rays(); });
  if (tracers.empty()) tracers = settings_.substitutes;
  if (tracers.empty())
    unsupported("needs an index that traces rays: rx:embree or rx:optix; see `rtindex indexes`");
  return tracers;
}

void Session::point(const PointId& id, const std::function<Outcome()>& measure) {
  const Record identity{.experiment = experiment_->name,
                        .series = id.series,
                        .x = id.x,
                        .category = id.category,
                        .scale = name_of(settings_.scale)};
  if (done_.contains(identity.point())) return;
  if (is_counting_) {
    counted_.insert(identity.point());
    return;
  }
  if (announce_) announce_(*experiment_, id);
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  try {
    outcome = measure();
  } catch (const Error& error) {
    outcome = {.status = "unsupported", .reason = error.what()};
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  add(id, outcome, elapsed.count());
}

void Session::unsupported(const std::string& reason) {
  point({.series = "none", .category = "none"},
        [&] { return Outcome{.index = "none", .status = "unsupported", .reason = reason}; });
}

void Session::add(const PointId& id, const Outcome& outcome, double elapsed_s) {
  Record record{.experiment = experiment_->name,
                .index = outcome.index.empty() ? id.series : outcome.index,
                .series = id.series,
                .x = id.x,
                .category = id.category,
                .metric = experiment_->metrics.front().name,
                .status = outcome.status,
                .reason = outcome.reason,
                .scale = name_of(settings_.scale),
                .workload = outcome.workload,
                .elapsed_s = elapsed_s};
  if (!settings_.note.empty()) record.workload["note"] = settings_.note;
  // Metrics that were measured before lookups timed out, or were not supported, are kept.
  if (outcome.status != "ok") {
    add_record(record);
    record.status = "ok";
    record.reason.clear();
    record.elapsed_s.reset();
  }
  for (const Measured& measured : outcome.measured) {
    record.metric = measured.metric;
    record.value = mean(measured.runs);
    record.runs = measured.runs;
    add_record(record);
    record.elapsed_s.reset();
  }
}

void Session::add_record(Record record) {
  Record written = records_.add(std::move(record));
  done_.insert(written.point());
  known_.push_back(std::move(written));
}

}  // namespace rtindex::bench
