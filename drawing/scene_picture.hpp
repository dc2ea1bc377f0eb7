#pragma once

#include <string>

#include "drawing/scene_model.hpp"

namespace rtindex {

struct PictureOptions {
  std::string title;
  bool bvh = false;
};

// The whole picture as an SVG document: title, a table of the column if it is short, the scene, and
// a legend with each lookup and the rows that it returned.
[[nodiscard]] std::string scene_picture(const SceneModel& model, const PictureOptions& options);

}  // namespace rtindex
