#include "claims/figures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/experiment.hpp"
#include "harness/records.hpp"

namespace rtindex::bench {

namespace {

bool is_published(const Record& record) { return !record.source.empty(); }

// An index on a GPU, or CUB's sort.
bool is_on_gpu(const Record& record) {
  return record.index.find("@cuda") != std::string::npos || record.index.starts_with("cub::");
}

// "NVIDIA H200", "Neoverse-N1": what the index ran on.
std::string device_of(const Record& record) {
  const bool gpu = is_published(record) || is_on_gpu(record);
  return record.machine.value(gpu ? "gpu" : "cpu", "unknown");
}

// The names of our series for the paper's, as far as records have them.
std::map<std::string, std::string> names_in(const std::vector<Record>& records) {
  std::map<std::string, std::string> names;
  const auto has = [&](const std::string& label) {
    return std::any_of(records.begin(), records.end(), [&](const Record& r) {
      return r.series == label || r.series.starts_with(label + ", ");
    });
  };
  const std::vector<std::pair<std::string, std::vector<std::string>>> candidates = {
      {"RX", {"RX", "rx:optix@cuda", "rx:optix", "rx:embree"}},
      {"HT", {"HT", "hash@cuda", "hash"}},
      {"B+", {"B+", "btree@cuda", "btree"}},
      {"SA", {"SA", "sorted@cuda", "sorted"}},
      {"sort", {"cub::DeviceRadixSort", "tbb::parallel_sort"}}};
  for (const auto& [name, labels] : candidates) {
    const auto found = std::find_if(labels.begin(), labels.end(), has);
    if (found != labels.end()) names[name] = *found;
  }
  return names;
}

// What is measured for an index of the paper.
std::string our_names(const std::string& index) {
  static const std::map<std::string, std::string> names = {{"RX", "rx:embree or rx:optix"},
                                                           {"HT", "hash"},
                                                           {"B+", "btree"},
                                                           {"SA", "sorted"},
                                                           {"sort", "the sort"}};
  return names.at(index);
}

double best_run(const Record& record) {
  if (record.runs.empty()) return *record.value;
  const auto [least, greatest] = std::minmax_element(record.runs.begin(), record.runs.end());
  return record.metric == throughput().name ? *greatest : *least;
}

}  // namespace

Figures::Figures(std::string name, std::vector<Record> records)
    : name_(std::move(name)), records_(std::move(records)), names_(names_in(records_)) {}

bool Figures::is_gpu() const {
  return std::any_of(records_.begin(), records_.end(),
                     [](const Record& r) { return is_published(r) || is_on_gpu(r); });
}

bool Figures::has_rt_cores() const {
  return std::any_of(records_.begin(), records_.end(), [](const Record& r) {
    return (is_published(r) || is_on_gpu(r)) && r.machine.value("rt_cores", 0) > 0;
  });
}

std::string Figures::series(const std::string& index, const std::string& what) const {
  const auto name = names_.find(index);
  if (name == names_.end()) return {};
  return what.empty() ? name->second : name->second + ", " + what;
}

Quantity Figures::value(const std::string& experiment, const std::string& index,
                        const std::string& what, const Point& point,
                        const std::string& metric) const {
  const std::string wanted = series(index, what);
  const Record* best = nullptr;
  for (const Record& record : records_) {
    if (record.experiment != experiment || record.series != wanted || record.metric != metric ||
        !record.ok())
      continue;
    switch (point.kind) {
      case Point::Kind::category:
        if (!record.x && record.category == point.category) return best_run(record);
        break;
      case Point::Kind::number:
        if (record.x && *record.x == point.number) return best_run(record);
        break;
      case Point::Kind::least:
        if (record.x && (best == nullptr || *record.x < *best->x)) best = &record;
        break;
      case Point::Kind::greatest:
        if (record.x && (best == nullptr || *record.x > *best->x)) best = &record;
        break;
    }
  }
  if (best != nullptr) return best_run(*best);
  note_gap(experiment, index, what, metric);
  return {};
}

std::vector<double> Figures::values(const std::string& experiment, const std::string& index,
                                    const std::string& what, const std::string& metric) const {
  const std::string wanted = series(index, what);
  std::vector<double> values;
  for (const Record& record : records_)
    if (record.experiment == experiment && record.series == wanted && record.metric == metric &&
        record.ok())
      values.push_back(best_run(record));
  if (values.empty()) note_gap(experiment, index, what, metric);
  return values;
}

bool Figures::has_series(const std::string& label) const {
  return std::ranges::any_of(
      records_, [&](const Record& record) { return record.series.starts_with(label); });
}

Gap Figures::gap(const std::string& experiment, const std::string& index, const std::string& what,
                 const std::string& metric) const {
  using enum Gap::Kind;
  if (std::ranges::none_of(records_, [&](const Record& r) { return r.experiment == experiment; }))
    return {not_run, experiment, "no records of " + experiment};
  if (!names_.contains(index)) {
    if (index == "RX" && has_series("rx:native"))
      return {not_applicable, experiment, "rx:native casts no rays; measure rx:embree or rx:optix"};
    return {no_index, experiment, "no records of " + our_names(index)};
  }
  const std::string wanted = series(index, what);
  for (const Record& record : records_)
    if (record.experiment == experiment && record.series == wanted && record.metric == metric &&
        !record.ok())
      return {no_point, experiment, wanted + ' ' + record.status};
  return {no_point, experiment, "this scale has no such point"};
}

void Figures::note_gap(const std::string& experiment, const std::string& index,
                       const std::string& what, const std::string& metric) const {
  if (!first_gap_) first_gap_ = gap(experiment, index, what, metric);
}

Figures published_figures(const std::string& gpu) {
  std::vector<Record> records = published_records();
  std::erase_if(records, [&](const Record& r) { return r.machine.value("gpu", "") != gpu; });
  return {gpu, std::move(records)};
}

std::vector<Figures> figures_of(const std::vector<Record>& records) {
  std::map<std::string, std::vector<Record>> groups;
  for (const Record& record : records)
    if (!is_published(record) && !record.scale.empty())
      groups[device_of(record) + ", " + record.scale].push_back(record);
  // Experiments of our own tell nothing about claims of the paper.
  std::set<std::string> of_the_paper;
  for (const Record& record : published_records()) of_the_paper.insert(record.experiment);
  std::erase_if(groups, [&](const auto& group) {
    return std::none_of(group.second.begin(), group.second.end(), [&](const Record& record) {
      return of_the_paper.contains(record.experiment);
    });
  });
  std::vector<Figures> figures;
  figures.reserve(groups.size());
  for (auto& [name, group] : groups) figures.emplace_back(name, std::move(group));
  return figures;
}

}  // namespace rtindex::bench
