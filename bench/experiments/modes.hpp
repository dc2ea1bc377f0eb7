#pragma once

#include <string>
#include <vector>

#include "harness/session.hpp"

namespace rtindex::bench {

// The ways in which a key becomes coordinates (section 3.2). Extended mode comes last: where it
// goes astray, a single lookup may take longer than all other points together.
inline const std::vector<std::string>& key_modes() {
  static const std::vector<std::string> modes = {"naive", "3d", "extended"};
  return modes;
}

// Numbers of keys, log2, over which modes, rays and primitives are compared.
inline std::vector<int> mode_sizes(const Session& session) {
  return session.pick<int>({10, 12}, {16, 18, 20}, {21, 22, 23, 24, 25, 26});
}

}  // namespace rtindex::bench
