#pragma once

#include <string>

#include "io/loaded_column.hpp"

namespace rtindex {

// A 1-D array from an .npy file, viewed in the mapped file. Not-a-time becomes null.
[[nodiscard]] LoadedColumn read_npy(const std::string& path, Access access = Access::sequential);

}  // namespace rtindex
