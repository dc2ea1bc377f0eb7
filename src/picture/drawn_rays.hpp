#pragma once

#include <cstddef>
#include <vector>

#include "picture/scene_layout.hpp"

namespace rtindex {

// A ray in the picture. It may hit from `begin` to `tip`; `begin` is the origin or, for rays from
// zero, where t_min lies. A tracer that cannot tell t exactly is given a ray that reaches a little
// further: `slack_begin` to `slack_tip`.
struct DrawnRay {
  std::size_t lookup = 0;
  std::size_t line = 0;
  std::int64_t first = 0, last = 0;
  bool perpendicular = false;
  PixelPoint origin, slack_begin, begin, crossing, tip, slack_tip;

  [[nodiscard]] bool starts_later() const { return begin.x - origin.x > 1 && !perpendicular; }
};

// All rays of the model. Where rays of several lookups would cover each other they are moved apart.
[[nodiscard]] std::vector<DrawnRay> drawn_rays(const SceneModel& model, const SceneLayout& layout);

}  // namespace rtindex
