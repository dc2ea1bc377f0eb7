#pragma once

#include <cstddef>
#include <vector>

#include "drawing/scene_layout.hpp"

// Rays and bounding volumes, in pixels, drawn over the primitives of a layout.

namespace rtindex {

// A ray in the picture. It may hit from `begin` to `tip`; `begin` is the origin or, for rays from
// zero, where t_min lies. Tracers that round t get a slightly longer ray: `slack_begin` to
// `slack_tip`.
struct DrawnRay {
  std::size_t lookup = 0;
  std::size_t line = 0;
  std::int64_t first = 0, last = 0;
  bool perpendicular = false;
  bool runs_left = false;
  PixelPoint origin, slack_begin, begin, crossing, tip, slack_tip;

  [[nodiscard]] bool starts_later() const { return begin.x - origin.x > 1 && !perpendicular; }
};

// All rays of the model; overlapping rays of several lookups are moved apart.
[[nodiscard]] std::vector<DrawnRay> drawn_rays(const SceneModel& model, const SceneLayout& layout);

struct BoundingVolume {
  PixelBox box;
  int depth;  // 0 for the root
};

// A binary hierarchy over the primitives of the picture, split at the median of the longer side,
// down to groups of at most two piles. Parents come before their children.
[[nodiscard]] std::vector<BoundingVolume> bounding_volumes(const SceneLayout& layout);

}  // namespace rtindex
