#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rtindex {

// The memory of a locator, beyond the keys and rowIDs in key order.
struct LocatorBytes {
  std::vector<std::pair<std::string, std::size_t>> parts;  // by name
  std::size_t build_peak = 0;                              // at most while it was built
};

}  // namespace rtindex
