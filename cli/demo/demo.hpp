#pragma once

#include <cstddef>
#include <string>

#include "drawing/scene_model.hpp"

namespace rtindex::cli {

// The paper's examples (fig:intro with Q1 to Q3, fig:3d with Q4), answered by rays and compared
// with a scan; a wrong answer throws std::runtime_error.
void show_paper_examples();

struct RaceSize {
  std::size_t rows;
  std::size_t points;
  std::size_t ranges;
};

// Point and range lookups of random 64-bit keys on every available index. Prints a table; every
// answer is compared with one from a sorted copy of the column, and a wrong one throws
// std::runtime_error.
void run_race(const RaceSize& size);

// A small scene in characters: each row of the scene as a line of triangles with their rowIDs and
// keys, and below it the rays of the lookups.
[[nodiscard]] std::string text_picture(const SceneModel& model);

}  // namespace rtindex::cli
