#pragma once

#include <string>
#include <vector>

#include "drawing/scene_layout.hpp"
#include "drawing/scene_model.hpp"
#include "drawing/svg.hpp"

namespace rtindex {

// Each lookup and the rows that it returned, one per line, in `width` pixels.
[[nodiscard]] double legend_width(const SceneModel& model);  // the minimum
[[nodiscard]] double legend_height(const SceneModel& model, double width);
void paint_legend(Svg& svg, const SceneModel& model, PixelPoint at, double width);

// Notes that explain this scene.
[[nodiscard]] std::vector<std::string> scene_notes(const SceneModel& model,
                                                   const SceneLayout& layout, bool bvh);

}  // namespace rtindex
