#pragma once

#include <string>

#include "picture/scene_model.hpp"

namespace rtindex {

struct PictureOptions {
  std::string title;
  bool bvh = false;
};

// The whole picture as an SVG document: title, the column as a table where it is short, the scene,
// and a legend that says what each lookup is and which rows it returned.
[[nodiscard]] std::string scene_picture(const SceneModel& model, const PictureOptions& options);

}  // namespace rtindex
