#pragma once

#include "picture/scene_layout.hpp"
#include "picture/scene_model.hpp"
#include "picture/svg.hpp"

namespace rtindex {

// Paints primitives, axes, bounding volumes, rays and hits, in the coordinates of the layout.
void paint_scene(Svg& svg, const SceneModel& model, const SceneLayout& layout, bool bvh);

}  // namespace rtindex
