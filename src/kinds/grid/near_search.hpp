#pragma once

#include <cstdint>
#include <type_traits>

#include <rtindex/answer.hpp>

#include "answers/cuda/run.hpp"
#include "base/macros.hpp"

// Searches in a cell of the grid, positions begin..end of a column in key order: all keys before
// the cell are less than the wanted key, all after it greater. They start at `guess`, the position
// of the key if those of the cell were spread evenly, and continue in the direction of the key. A
// GPU pays for memory transactions, not for bytes: what is read at once is a step.
//
// An order has steps of `Order::step` keys; read(number) returns the keys and rows of step
// `number`, padded with greatest keys and miss_row after the last key of the order.

namespace rtindex {

namespace near {

enum class Way : std::uint8_t { open, down, up };

}  // namespace near

// Finds a key that is in the cell at most once: returns result(the step that was read, its number,
// the index in it), or miss_row where the cell does not have the key.
template <class Order, class Key, class Result>
[[nodiscard]] RTINDEX_HD std::uint32_t only_near(const Order& order, std::uint32_t begin,
                                                 std::uint32_t end, std::uint32_t guess, Key key,
                                                 const Result& result) {
  constexpr std::uint32_t step = Order::step;
  if (begin >= end) return miss_row;
  near::Way way = near::Way::open;
  std::uint32_t number = guess / step;
  for (;;) {
    const auto found = order.read(number);
    std::uint32_t at_key = miss_row;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = static_cast<int>(step) - 1; i >= 0; --i)
      if (found.keys[i] == key) at_key = result(found, number, static_cast<std::uint32_t>(i));
    if (at_key != miss_row) return at_key;
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

// The row of a key that is in the cell at most once.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD std::uint32_t row_near(const Order& order, std::uint32_t begin,
                                                std::uint32_t end, std::uint32_t guess, Key key) {
  return only_near(order, begin, end, guess, key,
                   [](const auto& found, std::uint32_t, std::uint32_t i) { return found.rows[i]; });
}

// The position of a key that is in the cell at most once; padding has no row.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD std::uint32_t position_near(const Order& order, std::uint32_t begin,
                                                     std::uint32_t end, std::uint32_t guess,
                                                     Key key) {
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

namespace near {

// Entry `wanted` of what was read from position `first` on, without an indexed access, for which
// a GPU would copy it to memory.
template <class Key, class Step>
[[nodiscard]] RTINDEX_HD cuda::Neighbour<Key> entry(const Step& found, std::uint32_t first,
                                                    std::uint32_t wanted) {
  constexpr std::uint32_t step = std::extent_v<decltype(Step::keys)>;
  cuda::Neighbour<Key> result{first + wanted, found.keys[0], found.rows[0]};
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::uint32_t i = 1; i < step; ++i)
    if (i == wanted) {
      result.key = found.keys[i];
      result.row = found.rows[i];
    }
  return result;
}

}  // namespace near

template <class Key, class Order>
[[nodiscard]] RTINDEX_HD cuda::Neighbour<Key> neighbour_at(const Order& order,
                                                           std::uint32_t position) {
  const std::uint32_t number = position / Order::step;
  return near::entry<Key>(order.read(number), number * Order::step,
                          position - number * Order::step);
}

// The last key of the order that is not greater: one of the cell, or the one before it. `unique`:
// an equal key has no other behind it.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD cuda::Neighbour<Key> last_near(const Order& order, std::uint32_t begin,
                                                        std::uint32_t end, std::uint32_t guess,
                                                        Key key, bool unique) {
  constexpr std::uint32_t step = Order::step;
  cuda::Neighbour<Key> best;
  near::Way way = near::Way::open;
  for (std::uint32_t number = guess / step; begin < end;) {
    const auto found = order.read(number);
    const std::uint32_t at = number * step;
    std::uint32_t inside = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < step; ++i) inside += found.keys[i] <= key && i < end - at ? 1 : 0;
    if (inside != 0) {
      best = near::entry<Key>(found, at, inside - 1);
      if (inside < step || end - at <= step || way == near::Way::down ||
          (unique && best.key == key))
        return best;
      way = near::Way::up;
      ++number;
    } else {
      if (way == near::Way::up) return best;
      if (at <= begin) break;
      way = near::Way::down;
      --number;
    }
  }
  return begin == 0 ? best : neighbour_at<Key>(order, begin - 1);
}

// The first key of the order, which has `size` keys, that is not less: one of the cell, or the one
// behind it.
template <class Order, class Key>
[[nodiscard]] RTINDEX_HD cuda::Neighbour<Key> first_near(const Order& order, std::uint32_t begin,
                                                         std::uint32_t end, std::uint32_t guess,
                                                         Key key, bool unique, std::uint32_t size) {
  constexpr std::uint32_t step = Order::step;
  cuda::Neighbour<Key> best;
  near::Way way = near::Way::open;
  for (std::uint32_t number = guess / step; begin < end;) {
    const auto found = order.read(number);
    const std::uint32_t at = number * step;
    std::uint32_t less = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < step; ++i) less += found.keys[i] < key ? 1 : 0;
    if (less < step) {
      if (less >= size - at) return {};  // nothing but padding
      best = near::entry<Key>(found, at, less);
      if (less != 0 || at <= begin || way == near::Way::up || (unique && best.key == key))
        return best;
      way = near::Way::down;
      --number;
    } else {
      if (way == near::Way::down) return best;
      if (end - at <= step) break;
      way = near::Way::up;
      ++number;
    }
  }
  return end < size ? neighbour_at<Key>(order, end) : best;
}

}  // namespace rtindex
