#pragma once

#include <vector>

#include "picture/scene_layout.hpp"

namespace rtindex {

struct BoundingVolume {
  PixelBox box;
  int depth;  // 0 for the root
};

// A binary hierarchy over the primitives of the picture, split at the median of the longer side,
// down to groups of at most two places. Parents come before their children.
[[nodiscard]] std::vector<BoundingVolume> bounding_volumes(const SceneLayout& layout);

}  // namespace rtindex
