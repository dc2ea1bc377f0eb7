#pragma once

#include <string>
#include <vector>

#include "harness/experiment.hpp"
#include "harness/record.hpp"

namespace rtindex::cli {

// The results of an experiment as tables, one per metric: a row per series, a column per place on
// the x axis. Below our series stand the published ones. Points without a value say why.
[[nodiscard]] std::string result_tables(const bench::Experiment& experiment,
                                        const std::vector<bench::Record>& ours,
                                        const std::vector<bench::Record>& published);

}  // namespace rtindex::cli
