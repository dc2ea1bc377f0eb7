#include "experiments/listing.hpp"

#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

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
