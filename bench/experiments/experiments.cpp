#include "experiments/experiments.hpp"

#include <algorithm>

#include <rtindex/error.hpp>

namespace rtindex::bench {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      lookups_experiment(),
  };
  return all;
}

const Experiment& experiment_named(const std::string& name) {
  const auto& all = experiments();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Experiment& each) { return each.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const Experiment& each : all) names += (names.empty() ? "" : ", ") + each.name;
  throw Error("unknown experiment '" + name + "': choose all, or one of " + names);
}

}  // namespace rtindex::bench
