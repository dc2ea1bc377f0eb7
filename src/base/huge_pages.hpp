#pragma once

#include <cstddef>
#include <vector>

namespace rtindex {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

// Asks for huge pages where some memory, which nobody has written to yet, has room for them. Where
// the system grants none, nothing changes.
void ask_for_huge_pages(void* data, std::size_t bytes);

// Resizes an empty vector. Its elements are set by one thread, which then takes a quarter of the
// time where the vector is large, because most of it goes into page faults.
template <class T>
void resize_in_huge_pages(std::vector<T>& elements, std::size_t size) {
  elements.reserve(size);
  ask_for_huge_pages(elements.data(), size * sizeof(T));
  elements.resize(size);
}

}  // namespace rtindex
