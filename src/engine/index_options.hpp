#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <rtindex/spec.hpp>

#include "base/spec_options.hpp"

namespace rtindex {

// The options of every index, whatever its kind.
struct IndexOptions {
  int threads = 0;                   // 0: all
  std::optional<std::size_t> delta;  // none: the engine's default

  [[nodiscard]] static IndexOptions from(const Spec& spec);
  // A GPU has no option for its threads.
  [[nodiscard]] static std::vector<SpecOption> declared(bool on_gpu);
};

}  // namespace rtindex
