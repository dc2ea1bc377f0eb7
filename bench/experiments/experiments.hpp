#pragma once

#include <string>
#include <vector>

#include "harness/experiment.hpp"

namespace rtindex::bench {

// Every experiment, in the order of the paper; ours last. One file here is one question.
[[nodiscard]] const std::vector<Experiment>& experiments();

// The experiment of that name; throws Error, naming those that there are.
[[nodiscard]] const Experiment& experiment_named(const std::string& name);

// Section 3: the choices of RX.

// Section 4: RX beside the classic indexes.
Experiment lookups_experiment();

}  // namespace rtindex::bench
