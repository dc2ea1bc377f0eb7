#pragma once

#include <cstdint>
#include <span>

#include "storage/pairs.hpp"

namespace rtindex {

// Sorts pairs by key, and by row among equal keys. The pairs come in row order. Parallel; needs as
// much memory again for the time of the sort.
template <class Key>
void sort_pairs(std::span<Pair<Key>> pairs);

extern template void sort_pairs(std::span<Pair<std::uint32_t>>);
extern template void sort_pairs(std::span<Pair<std::uint64_t>>);

}  // namespace rtindex
