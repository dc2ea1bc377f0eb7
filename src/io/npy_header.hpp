#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex {

// What stands before the elements of an .npy file (format 1.0, 2.0 and 3.0).
struct NpyHeader {
  std::string descr;  // NumPy's type text; a structured type's whole list
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;
};

// Parses the beginning of a file; whatever is wrong is an Error that names `path`.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view file, const std::string& path);

}  // namespace rtindex
