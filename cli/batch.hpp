#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/batch_options.hpp"
#include "cli/lookups.hpp"

namespace rtindex::cli {

// Where the lookups of a verb come from.
struct LookupSource {
  std::vector<std::string> files;  // the files that are read
  bool given = false;              // whether the user named any lookups
  std::string how;                 // what to pass where none were given
  std::function<Lookups(const LoadedColumn& column)> load;
};

// Loads, builds, answers, writes and sums up: all that `lookup` and `range` do.
void run_batch(const BatchOptions& options, const LookupSource& source);

}  // namespace rtindex::cli
