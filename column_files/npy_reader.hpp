#pragma once

#include <string>

#include "column_files/loaded_column.hpp"

namespace rtindex {

// A 1-D array from an .npy file, viewed in the mapped file. Not-a-time becomes null.
[[nodiscard]] LoadedColumn read_npy(FileBytes file);
[[nodiscard]] inline LoadedColumn read_npy(const std::string& path,
                                           Access access = Access::sequential) {
  return read_npy(FileBytes(path, access));
}

}  // namespace rtindex
