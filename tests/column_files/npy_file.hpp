#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex::testing {

inline std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

template <class T>
std::string bytes_of(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

// The bytes before the elements, with any dictionary; padded so that elements start at a multiple
// of `alignment`.
inline std::string npy_head(std::string dictionary, int major = 1, std::size_t alignment = 64) {
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  while ((8 + length_bytes + dictionary.size() + 1) % alignment != 0) dictionary += ' ';
  dictionary += '\n';
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
         little_endian(dictionary.size(), static_cast<int>(length_bytes)) + dictionary;
}

inline std::string dictionary(std::string_view descr, std::string_view shape,
                              std::string_view fortran = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran) +
         ", 'shape': " + std::string(shape) + ", }";
}

template <class T>
std::string npy(std::string_view descr, const std::vector<T>& elements, int major = 1,
                std::size_t alignment = 64) {
  const std::string shape = "(" + std::to_string(elements.size()) + ",)";
  return npy_head(dictionary(descr, shape), major, alignment) + bytes_of(elements);
}

}  // namespace rtindex::testing
