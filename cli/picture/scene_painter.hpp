#pragma once

#include "cli/picture/scene_layout.hpp"
#include "cli/picture/scene_model.hpp"
#include "cli/picture/svg.hpp"

namespace rtindex::cli {

// Paints primitives, axes, bounding volumes, rays and hits, in the coordinates of the layout.
void paint_scene(Svg& svg, const SceneModel& model, const SceneLayout& layout, bool bvh);

}  // namespace rtindex::cli
