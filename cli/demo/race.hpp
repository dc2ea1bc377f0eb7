#pragma once

#include <cstddef>

namespace rtindex::cli {

struct RaceSize {
  std::size_t rows;
  std::size_t points;
  std::size_t ranges;
};

// Random 64-bit keys, looked up by point and by range on every index that can be used here. Prints
// a table; every answer is compared with one from a sorted copy of the column, and a wrong one
// throws std::runtime_error.
void run_race(const RaceSize& size);

}  // namespace rtindex::cli
