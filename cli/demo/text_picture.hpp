#pragma once

#include <string>

#include "picture/scene_model.hpp"

namespace rtindex::cli {

// A small scene in characters: each row of the scene as a line of triangles with their rowIDs and
// keys, and below it the rays of the lookups that pass it.
[[nodiscard]] std::string text_picture(const SceneModel& model);

}  // namespace rtindex::cli
