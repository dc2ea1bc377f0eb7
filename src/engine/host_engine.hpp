#pragma once

#include <memory>
#include <utility>

#include "engine/batch_runner.hpp"
#include "engine/engine.hpp"
#include "engine/host_segments.hpp"
#include "engine/kind.hpp"

namespace rtindex {

// The engine of an index on the CPU.
[[nodiscard]] inline Engine host_engine(HostSearchers searchers) {
  return {.segments = std::make_shared<HostSegmentBuilder>(std::move(searchers)),
          .batches = std::make_shared<HostBatchRunner>(),
          .merges_in_background = true};
}

}  // namespace rtindex
