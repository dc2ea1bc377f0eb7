#pragma once

#include <string>
#include <vector>

#include <rtindex/spec.hpp>

namespace rtindex::bench {

// An index that takes part, and the name of its curves.
struct Contestant {
  Spec spec;
  std::string label;

  // Whether it traces the paper's rays: such are the series to hold against the paper's RX.
  [[nodiscard]] bool traces_rays() const {
    return spec.tracer() == "embree" || spec.tracer() == "optix";
  }
};

// Every index that can be used on this machine: those on the GPU where there is one, else those on
// the CPU. The classic ones answer batches as they come, as the paper's baselines do.
[[nodiscard]] std::vector<Contestant> default_contestants();

// Ray tracers of any device that can be used here, for experiments about rays.
[[nodiscard]] std::vector<Contestant> default_ray_tracers();

// The indexes that the user names, each once.
[[nodiscard]] std::vector<Contestant> contestants_of(const std::vector<std::string>& specs);

// Throws where one of them cannot be built here, before anything is measured or recorded.
void require_usable(const std::vector<Contestant>& contestants);

}  // namespace rtindex::bench
