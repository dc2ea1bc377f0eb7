#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "harness/experiment.hpp"

namespace rtindex::bench {

// Every experiment, in the order of the paper; ours last. A file here is a section of the paper, or
// a question of our own.
[[nodiscard]] const std::vector<Experiment>& experiments();

// The experiment of that name; throws Error if there is none.
[[nodiscard]] const Experiment& experiment_named(const std::string& name);

// Every experiment with its question, figure and axes, for the report.
[[nodiscard]] nlohmann::json experiments_as_json();

// Section 3: the choices of RX.
Experiment key_modes_experiment();
Experiment key_stride_experiment();
Experiment coordinate_scale_experiment();
Experiment point_rays_experiment();
Experiment range_rays_experiment();
Experiment decomposition_points_experiment();
Experiment decomposition_uniform_experiment();
Experiment decomposition_ranges_experiment();
Experiment primitives_experiment();
Experiment updates_experiment();

// Section 4: RX and the classic indexes.
Experiment lookups_experiment();
Experiment keys_experiment();
Experiment build_time_experiment();
Experiment memory_experiment();
Experiment multiplicity_experiment();
Experiment order_experiment();
Experiment batches_experiment();
Experiment sorting_floor_experiment();
Experiment hit_rate_experiment();
Experiment outside_misses_experiment();
Experiment key_size_experiment();
Experiment lookup_skew_experiment();
Experiment key_skew_experiment();
Experiment ranges_experiment();
Experiment hardware_experiment();

// Both: profiles of GPU kernels.
std::vector<Experiment> profile_experiments();

// Beyond the paper.
Experiment every_index_experiment();
Experiment buckets_experiment();
Experiment large_columns_experiment();
Experiment real_data_experiment();
// Throws if the file has no column for it.
void require_real_data(const std::string& path);
Experiment traversal_work_experiment();
Experiment changes_experiment();
Experiment changes_lookups_experiment();
Experiment changes_mix_experiment();
Experiment changes_ageing_experiment();
Experiment changes_readers_experiment();
Experiment changes_single_experiment();
Experiment neighbours_experiment();
Experiment asof_experiment();
Experiment joins_experiment();
Experiment intervals_experiment();
Experiment filters_experiment();
Experiment distributions_experiment();

}  // namespace rtindex::bench
