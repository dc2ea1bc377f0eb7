#pragma once

#include "drawing/scene_layout.hpp"
#include "drawing/scene_model.hpp"
#include "drawing/svg.hpp"

namespace rtindex {

// Paints primitives, axes, bounding volumes, rays and hits, in the coordinates of the layout.
void paint_scene(Svg& svg, const SceneModel& model, const SceneLayout& layout, bool bvh);

}  // namespace rtindex
