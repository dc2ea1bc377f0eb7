#pragma once

#include <cstddef>
#include <vector>

#include "base/call_control.hpp"

namespace rtindex {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

// Requests huge pages for memory that was not written yet. No effect if it is too small for a huge
// page or the system grants none.
void advise_huge_pages(void* data, std::size_t bytes);

// Resizes an empty vector. One thread sets its elements, and spends most of that time in page
// faults: with huge pages a large vector is resized four times faster. A call that is stopped ends
// between two pieces.
template <class T>
void resize_in_huge_pages(std::vector<T>& elements, std::size_t size) {
  elements.reserve(size);
  advise_huge_pages(elements.data(), size * sizeof(T));
  constexpr std::size_t piece = (std::size_t{1} << 26) / sizeof(T);
  while (size - elements.size() > piece) {
    elements.resize(elements.size() + piece);
    check_stop();
  }
  elements.resize(size);
}

}  // namespace rtindex
