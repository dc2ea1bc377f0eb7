#pragma once

#include <cstdint>

#include <rtindex/answer.hpp>

#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

// Four neighbouring keys, which a search reads at once.
template <class Key>
struct Four {
  Key keys[4];
};

// Two counters of what a search reads: one counts nothing.
struct NoWork {
  __device__ void read_group() const {}
  __device__ void compared(unsigned) const {}
};
struct CountedWork {
  Counters* counters;
  __device__ void read_group() const { add(counters->cells, 1); }
  __device__ void compared(unsigned keys) const { add(counters->tested, keys); }

 private:
  __device__ static void add(std::uint64_t& to, unsigned more) {
    atomicAdd(reinterpret_cast<unsigned long long*>(&to), more);
  }
};

// A DeviceOrder as kernels read it.
template <class Key, Layout layout, class Work = NoWork>
struct OrderView : Work {
  static constexpr bool has_keys = layout != Layout::pairs;  // in an array of their own

  const std::uint64_t* pairs;  // or KeyBlocks
  const Key* keys;
  const std::uint32_t* row_ids;  // null: rows follow each other
  std::uint32_t first_row;
  std::uint32_t size;

  explicit OrderView(const DeviceOrder& order, Work work = {})
      : Work(work),
        pairs(order.pairs()),
        row_ids(order.split_rows()),
        first_row(order.first_row()),
        size(static_cast<std::uint32_t>(order.size())) {
    if constexpr (sizeof(Key) == 4)
      keys = order.narrow_keys();
    else
      keys = order.wide_keys();
  }

  [[nodiscard]] __device__ Key key(std::uint32_t position) const {
    this->compared(1);
    if constexpr (has_keys)
      return __ldg(keys + position);
    else if constexpr (sizeof(Key) == 4)
      return static_cast<Key>(__ldg(pairs + position) >> 32);
    else
      return __ldg(pairs + KeyBlocks::key_at(position));
  }
  [[nodiscard]] __device__ std::uint32_t row(std::uint32_t position) const {
    if constexpr (layout == Layout::keys)
      return first_row + position;
    else if constexpr (layout == Layout::split)
      return row_ids == nullptr ? first_row + position : __ldg(row_ids + position);
    else if constexpr (sizeof(Key) == 4)
      return static_cast<std::uint32_t>(__ldg(pairs + position));
    else
      return __ldg(reinterpret_cast<const std::uint32_t*>(pairs) + KeyBlocks::row_at(position));
  }
  // Four keys from a multiple of four on.
  [[nodiscard]] __device__ Four<Key> four(std::uint32_t aligned) const {
    static_assert(has_keys);
    this->compared(4);
    if constexpr (sizeof(Key) == 4) {
      const uint4 a = __ldg(reinterpret_cast<const uint4*>(keys + aligned));
      return {{a.x, a.y, a.z, a.w}};
    } else {
      const auto* at = reinterpret_cast<const ulonglong2*>(keys + aligned);
      const ulonglong2 a = __ldg(at);
      const ulonglong2 b = __ldg(at + 1);
      return {{a.x, a.y, b.x, b.y}};
    }
  }

  // The keys that a search near a guess reads at once: two pairs in one load, or a block, or four
  // keys without rowIDs.
  static constexpr std::uint32_t step = has_keys ? 4 : sizeof(Key) == 4 ? 2 : KeyBlocks::keys;
  struct Step {
    Key keys[step];
    std::uint32_t rows[step];
  };
  [[nodiscard]] __device__ Step read(std::uint32_t number) const {
    static_assert(layout != Layout::split);
    if constexpr (layout == Layout::keys) {
      const std::uint32_t at = number * step;
      const Four<Key> found = four(at);
      Step result;
#pragma unroll
      for (std::uint32_t i = 0; i < step; ++i) {
        result.keys[i] = found.keys[i];
        result.rows[i] = at + i < size ? first_row + at + i : miss_row;  // padding has no row
      }
      return result;
    } else if constexpr (sizeof(Key) == 4) {
      this->compared(step);
      const uint4 two = __ldg(reinterpret_cast<const uint4*>(pairs) + number);
      return {{two.y, two.w}, {two.x, two.z}};
    } else {
      this->compared(step);
      const auto* at = reinterpret_cast<const ulonglong2*>(pairs) + std::size_t{number} * 4;
      const ulonglong2 a = __ldg(at);
      const ulonglong2 b = __ldg(at + 1);
      const ulonglong2 c = __ldg(at + 2);
      const ulonglong2 d = __ldg(at + 3);
      const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
      return {{a.x, a.y, b.x, b.y, c.x},
              {low(c.y), low(c.y >> 32), low(d.x), low(d.x >> 32), low(d.y)}};
    }
  }

  // The first position in [begin, end) whose key is not less; `end` where there is none. All keys
  // before `begin` are less, all from `end` on are greater.
  [[nodiscard]] __device__ std::uint32_t lower_bound(std::uint32_t begin, std::uint32_t end,
                                                     Key wanted) const {
    constexpr std::uint32_t few = has_keys ? 16 : 0;
    while (end - begin > few) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (key(middle) < wanted)
        begin = middle + 1;
      else
        end = middle;
    }
    if constexpr (has_keys) {
      for (std::uint32_t at = begin & ~3U; at < end; at += 4) {
        const Four<Key> found = four(at);
#pragma unroll
        for (std::uint32_t i = 0; i < 4; ++i)
          if (found.keys[i] >= wanted) return min(at + i, end);
      }
    }
    return end;
  }

  // The row of a key whose first position would be `at`, or miss_row; and all its positions. All
  // keys from `end` on are greater.
  [[nodiscard]] __device__ std::uint32_t row_at(std::uint32_t at, std::uint32_t end,
                                                Key wanted) const {
    return at < end && key(at) == wanted ? row(at) : miss_row;
  }
  [[nodiscard]] __device__ Run run_at(std::uint32_t at, std::uint32_t end, Key wanted) const {
    if (at >= end || key(at) != wanted) return {at, at};
    return {at, end_of_equal(at, end, wanted)};
  }

  // Behind the last of the keys equal to the one at `begin`; all from `end` on are greater.
  [[nodiscard]] __device__ std::uint32_t end_of_equal(std::uint32_t begin, std::uint32_t end,
                                                      Key wanted) const {
    std::uint32_t at = begin + 1;
    const std::uint32_t near = min(end, begin + 8);
    while (at < near && key(at) == wanted) ++at;
    if (at < near || at >= end) return at;
    while (at < end) {
      const std::uint32_t middle = at + (end - at) / 2;
      if (key(middle) == wanted)
        at = middle + 1;
      else
        end = middle;
    }
    return at;
  }
};

}  // namespace rtindex::cuda
