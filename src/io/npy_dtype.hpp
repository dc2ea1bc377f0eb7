#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <rtindex/column.hpp>

namespace rtindex {

// What NumPy's type text ("<u4", "|S16", "<M8[us]") means to us.
struct NpyType {
  Type type = Type::u64;
  std::size_t width = 8;  // bytes of one element
  std::string unit;       // of a timestamp: "us"
};

// A type that cannot be indexed is an Error that names the file and the way out.
[[nodiscard]] NpyType npy_type(std::string_view descr, const std::string& path);

}  // namespace rtindex
