#pragma once

// The instructions of x86 that ALEX names, for other processors. They have the same ones.

#include <cstdint>

inline int _mm_popcnt_u64(std::uint64_t word) { return __builtin_popcountll(word); }
inline int _lzcnt_u64(std::uint64_t word) { return word == 0 ? 64 : __builtin_clzll(word); }
inline int _tzcnt_u64(std::uint64_t word) { return word == 0 ? 64 : __builtin_ctzll(word); }
