#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "io/loaded_column.hpp"

namespace rtindex::cli {

// What a call did, in a few lines for a person.
struct Summary {
  double build_seconds = 0;  // or to load it
  bool loaded = false;
  std::uint64_t lookups = 0;
  double lookup_seconds = 0;
  std::uint64_t matched = 0;
  Counters counters;  // where they were asked for
  std::vector<std::string> files;

  [[nodiscard]] std::string text(const LoadedColumn& column, const Index& index) const;
};

// "0.41 ms", "12.3 ms", "4,210 ms".
[[nodiscard]] std::string milliseconds_text(double seconds);

}  // namespace rtindex::cli
