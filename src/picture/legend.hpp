#pragma once

#include <string>
#include <vector>

#include "picture/scene_layout.hpp"
#include "picture/scene_model.hpp"
#include "picture/svg.hpp"

namespace rtindex {

// What each lookup is and which rows it returned, one below the other, in `width` pixels.
[[nodiscard]] double legend_width(const SceneModel& model);  // the least that it needs
[[nodiscard]] double legend_height(const SceneModel& model, double width);
void paint_legend(Svg& svg, const SceneModel& model, PixelPoint at, double width);

// Sentences about this scene that a reader may need.
[[nodiscard]] std::vector<std::string> scene_notes(const SceneModel& model,
                                                   const SceneLayout& layout, bool bvh);

}  // namespace rtindex
