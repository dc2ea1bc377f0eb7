#pragma once

#include <string>
#include <vector>

#include <rtindex/spec.hpp>

namespace rtindex::bench {

// An index to measure, and the label of its series.
struct Contestant {
  Spec spec;
  std::string label;

  // Whether it traces the paper's rays: its series are comparable with the paper's RX.
  [[nodiscard]] bool traces_rays() const {
    return spec.tracer() == "embree" || spec.tracer() == "optix";
  }
};

// Every available index: those on the GPU if there is one, otherwise those on the CPU. The classic
// ones answer batches unordered, as the paper's baselines do.
[[nodiscard]] std::vector<Contestant> default_contestants();

// Available ray tracers of any device, for experiments about rays.
[[nodiscard]] std::vector<Contestant> default_ray_tracers();

// The indexes of a list of specs, without duplicates.
[[nodiscard]] std::vector<Contestant> contestants_of(const std::vector<std::string>& specs);

// Throws if one of them cannot be built, before anything is measured or recorded.
void require_available(const std::vector<Contestant>& contestants);

}  // namespace rtindex::bench
