#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <rtindex/answer.hpp>

#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

// What makes a key the neighbour of another, on the command line.
struct NeighbourOptions {
  std::string direction = "backward";
  bool no_exact = false;
  std::string tolerance;

  // --no-exact and --tolerance; a verb declares its own option for the direction.
  void add_to(CLI::App& verb);
  // For keys of this column.
  [[nodiscard]] NearestOptions options(const LoadedColumn& column) const;
};

}  // namespace rtindex::cli
