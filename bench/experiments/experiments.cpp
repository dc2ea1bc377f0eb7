#include "experiments/experiments.hpp"

#include <algorithm>
#include <iterator>

#include <rtindex/error.hpp>

namespace rtindex::bench {

namespace {

std::vector<Experiment> list() {
  std::vector<Experiment> all = {
      key_modes_experiment(),
      key_stride_experiment(),
      coordinate_scale_experiment(),
      point_rays_experiment(),
      range_rays_experiment(),
      decomposition_points_experiment(),
      decomposition_uniform_experiment(),
      decomposition_ranges_experiment(),
      primitives_experiment(),
      updates_experiment(),
      lookups_experiment(),
      keys_experiment(),
      build_time_experiment(),
      memory_experiment(),
      multiplicity_experiment(),
      order_experiment(),
      batches_experiment(),
      sorting_floor_experiment(),
      hit_rate_experiment(),
      outside_misses_experiment(),
      key_size_experiment(),
      lookup_skew_experiment(),
      key_skew_experiment(),
      ranges_experiment(),
      hardware_experiment(),
  };
  std::ranges::move(profile_experiments(), std::back_inserter(all));
  for (const auto& ours :
       {every_index_experiment, buckets_experiment, large_columns_experiment, real_data_experiment,
        traversal_work_experiment, changes_experiment, changes_lookups_experiment,
        changes_mix_experiment, changes_ageing_experiment, changes_readers_experiment,
        changes_single_experiment, neighbours_experiment, asof_experiment, joins_experiment,
        intervals_experiment, filters_experiment, distributions_experiment})
    all.push_back(ours());
  return all;
}

nlohmann::json metrics_of(const Experiment& experiment) {
  nlohmann::json metrics = nlohmann::json::array();
  for (const Metric& metric : experiment.metrics)
    metrics.push_back(
        {{"name", metric.name},
         {"label", metric.label},
         {"log", metric.log},
         {"lower_is_better",
          metric.lower_is_better ? nlohmann::json(*metric.lower_is_better) : nlohmann::json()}});
  return metrics;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = list();
  return all;
}

const Experiment& experiment_named(const std::string& name) {
  const auto& all = experiments();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Experiment& each) { return each.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const Experiment& each : all) names += (names.empty() ? "" : ", ") + each.name;
  throw Error("unknown experiment '" + name + "': expected all, or one of " + names);
}

nlohmann::json experiments_as_json() {
  nlohmann::json list = nlohmann::json::array();
  for (const Experiment& experiment : experiments()) {
    nlohmann::json entry = {
        {"name", experiment.name},
        {"title", experiment.title},
        {"question", experiment.question},
        {"figure", experiment.figure},
        {"section", experiment.section},
        {"metrics", metrics_of(experiment)},
        {"command", experiment.command + " " + experiment.name + " --scale paper"}};
    if (experiment.x)
      entry["x"] = {
          {"name", experiment.x->name}, {"label", experiment.x->label}, {"log", experiment.x->log}};
    if (!experiment.needs.empty()) entry["needs"] = experiment.needs;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace rtindex::bench
