#pragma once

#include <cstdint>

#include <rtindex/answer.hpp>

#include "base/macros.hpp"

// Searches in a cell of the grid, positions begin..end of a column in key order: all keys before
// the cell are less than the wanted key, all after it greater. They start at `guess`, the position
// of the key if those of the cell were spread evenly, and go on in the one direction that can help.
// A GPU pays for memory transactions, not for bytes: what is read at once is a step.
//
// An order has steps of `Order::step` keys; read(number) gives the keys and rows of step `number`,
// and greatest keys with miss_row after the last key of the order.

namespace rtindex {

namespace near {

enum class Way : std::uint8_t { open, down, up };

}  // namespace near

// A key that is in the cell once at most: take(what was read, its number, where in it), or
// miss_row where the key is not there.
template <class Order, class Key, class Take>
[[nodiscard]] RTINDEX_HD std::uint32_t only_near(const Order& order, std::uint32_t begin,
                                                 std::uint32_t end, std::uint32_t guess, Key key,
                                                 const Take& take) {
  constexpr std::uint32_t step = Order::step;
  if (begin >= end) return miss_row;
  near::Way way = near::Way::open;
  std::uint32_t number = guess / step;
  for (;;) {
    const auto found = order.read(number);
    std::uint32_t taken = miss_row;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = static_cast<int>(step) - 1; i >= 0; --i)
      if (found.keys[i] == key) taken = take(found, number, static_cast<std::uint32_t>(i));
    if (taken != miss_row) return taken;
    if (key < found.keys[0]) {
      if (number * step <= begin || way == near::Way::up) return miss_row;
      way = near::Way::down;
      --number;
    } else if (key > found.keys[step - 1]) {
      if (end - number * step <= step || way == near::Way::down) return miss_row;
      way = near::Way::up;
      ++number;
    } else {
      return miss_row;
    }
  }
}

// The row of such a key.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD std::uint32_t row_near(const Order& order, std::uint32_t begin,
                                                std::uint32_t end, std::uint32_t guess, Key key) {
  return only_near(order, begin, end, guess, key,
                   [](const auto& found, std::uint32_t, std::uint32_t i) { return found.rows[i]; });
}

// The position of such a key; entries after the last key have no row.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD std::uint32_t place_near(const Order& order, std::uint32_t begin,
                                                  std::uint32_t end, std::uint32_t guess, Key key) {
  return only_near(order, begin, end, guess, key,
                   [](const auto& found, std::uint32_t number, std::uint32_t i) {
                     return found.rows[i] == miss_row ? miss_row : number * Order::step + i;
                   });
}

// The first position in the cell whose key is not less; `end` where there is none.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD std::uint32_t lower_near(const Order& order, std::uint32_t begin,
                                                  std::uint32_t end, std::uint32_t guess, Key key) {
  constexpr std::uint32_t step = Order::step;
  if (begin >= end) return end;
  near::Way way = near::Way::open;
  std::uint32_t number = guess / step;
  for (;;) {
    const auto found = order.read(number);
    const std::uint32_t at = number * step;
    std::uint32_t less = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < step; ++i) less += found.keys[i] < key ? 1 : 0;
    if (less == 0 && at > begin && way != near::Way::up) {
      way = near::Way::down;
      --number;
    } else if (less == step && end - at > step && way != near::Way::down) {
      way = near::Way::up;
      ++number;
    } else {
      return at + less < end ? at + less : end;
    }
  }
}

}  // namespace rtindex
