#pragma once

#include <vector>

#include "engine/cuda/gather_option.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex::optix {

inline constexpr SpecOption split_option = {.name = "split",
                                            .topic = SpecOption::Topic::scene,
                                            .number = SpecOption::Number::whole,
                                            .min = 1,
                                            .max = 0xffffffffU,
                                            .fallback_text = "as many as it holds",
                                            .help = "keys in one acceleration structure of OptiX"};

// The options of rx:optix. Builds without CUDA declare them, too: they parse the same specs.
[[nodiscard]] inline std::vector<SpecOption> declared_options() {
  std::vector<SpecOption> options = RxOptions::declared();
  options.push_back(split_option);
  options.push_back(cuda::gather_option.needing("bucket"));
  return options;
}

}  // namespace rtindex::optix
