#pragma once

#include <vector>

#include "engine/backend.hpp"

namespace rtindex {

// Every backend, in the order in which `auto` prefers them: a GPU where there is one, and on each
// device the native tracer first.
[[nodiscard]] const std::vector<const Backend*>& backends();

// The classic indexes on the CPU.
[[nodiscard]] const Backend& sorted_backend();
[[nodiscard]] const Backend& btree_backend();
[[nodiscard]] const Backend& hash_backend();

}  // namespace rtindex
