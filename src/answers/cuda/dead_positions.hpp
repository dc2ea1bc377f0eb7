#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <rtindex/device.hpp>

#include "answers/cuda/run.hpp"
#include "answers/row_bits.hpp"
#include "base/cuda/device_array.hpp"
#include "base/macros.hpp"

namespace rtindex::cuda {

// A bit for each of some positions in key order, 1 where the row is dead, and the number of dead
// rows at all positions before them. A GPU reads 32 bytes at once: one read gives a rank.
struct alignas(32) DeadBlock {
  static constexpr std::uint32_t words = 7;
  static constexpr std::uint32_t word_bits = 32;
  static constexpr std::uint32_t positions = words * word_bits;

  std::uint32_t before;
  std::uint32_t bits[words];
};

// No row is dead: what kernels are compiled for where an index has lost none.
struct NoneDead {
  static constexpr bool any = false;

  [[nodiscard]] RTINDEX_HD static constexpr bool has(std::size_t) { return false; }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t before(std::uint32_t) { return 0; }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t live_in(Run run) {
    return run.end - run.begin;
  }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t first_live(Run run) { return run.begin; }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t last_live(Run run) {
    return run.begin < run.end ? run.end - 1 : run.end;
  }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t live_at(Run run, std::uint32_t nth) {
    return run.begin + nth;
  }
};

// The positions of dead rows in a column in key order; kernels take it by value.
struct DeadPositions {
  static constexpr bool any = true;

  const DeadBlock* blocks = nullptr;  // null: none is dead

  [[nodiscard]] bool empty() const { return blocks == nullptr; }

  [[nodiscard]] RTINDEX_HD bool has(std::size_t position) const {
    const auto at = static_cast<std::uint32_t>(position);
    return (word(at) >> (at % DeadBlock::word_bits) & 1) != 0;
  }

  // How many dead positions there are before this one.
  [[nodiscard]] RTINDEX_HD std::uint32_t before(std::uint32_t position) const {
    const std::uint32_t number = position / DeadBlock::positions;
    const std::uint32_t within = position - number * DeadBlock::positions;
    const DeadBlock block = read(number);
    std::uint32_t count = block.before;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < DeadBlock::words; ++i) {
      const std::uint32_t first = i * DeadBlock::word_bits;
      if (within >= first + DeadBlock::word_bits)
        count += ones(block.bits[i]);
      else if (within > first)
        count += ones(block.bits[i] & ((1U << (within - first)) - 1));
    }
    return count;
  }

  [[nodiscard]] RTINDEX_HD std::uint32_t live_in(Run run) const {
    if (run.begin >= run.end) return 0;
    return run.end - run.begin - (before(run.end) - before(run.begin));
  }

  // The first live position of a run; its end where there is none.
  [[nodiscard]] RTINDEX_HD std::uint32_t first_live(Run run) const {
    std::uint32_t at = run.begin;
    const std::uint64_t block_end =
        (std::uint64_t{at} / DeadBlock::positions + 1) * DeadBlock::positions;
    while (at < run.end && at < block_end) {
      const std::uint32_t live = ~word(at) >> (at % DeadBlock::word_bits);
      if (live != 0) return smaller(at + lowest(live), run.end);
      const std::uint32_t step = DeadBlock::word_bits - at % DeadBlock::word_bits;
      if (run.end - at <= step) return run.end;
      at += step;
    }
    if (at >= run.end) return run.end;
    return select({at, run.end}, live_before(at / DeadBlock::positions));
  }

  // The last live position of a run; its end where there is none.
  [[nodiscard]] RTINDEX_HD std::uint32_t last_live(Run run) const {
    if (run.begin >= run.end) return run.end;
    std::uint32_t at = run.end - 1;
    const std::uint32_t number = at / DeadBlock::positions;
    for (;;) {
      const std::uint32_t bit = at % DeadBlock::word_bits;
      const std::uint32_t live = ~word(at) << (DeadBlock::word_bits - 1 - bit);
      if (live != 0) {
        const std::uint32_t back = leading_zeros(live);
        return at - run.begin < back ? run.end : at - back;
      }
      if (at - run.begin <= bit) return run.end;
      at -= bit + 1;
      if (at / DeadBlock::positions != number) break;
    }
    const std::uint32_t live = live_before(number);
    if (live <= run.begin - before(run.begin)) return run.end;
    return select({run.begin, at + 1}, live - 1);
  }

  // The nth live position of a run that has more.
  [[nodiscard]] RTINDEX_HD std::uint32_t live_at(Run run, std::uint32_t nth) const {
    return select(run, run.begin - before(run.begin) + nth);
  }

 private:
  [[nodiscard]] RTINDEX_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) {
    return a < b ? a : b;
  }
  [[nodiscard]] RTINDEX_HD static std::uint32_t ones(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__popc(word));
#else
    return static_cast<std::uint32_t>(std::popcount(word));
#endif
  }
  [[nodiscard]] RTINDEX_HD static std::uint32_t leading_zeros(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__clz(static_cast<int>(word)));
#else
    return static_cast<std::uint32_t>(std::countl_zero(word));
#endif
  }
  // The lowest bit that is set, of a word that is not 0.
  [[nodiscard]] RTINDEX_HD static std::uint32_t lowest(std::uint32_t word) {
    return ones((word & (0U - word)) - 1);
  }

  [[nodiscard]] RTINDEX_HD DeadBlock read(std::uint32_t number) const {
#if defined(__CUDA_ARCH__)
    const auto* const at = reinterpret_cast<const uint4*>(blocks + number);
    const uint4 a = __ldg(at);
    const uint4 b = __ldg(at + 1);
    return {a.x, {a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
#else
    return blocks[number];
#endif
  }
  // The word that holds the bit of a position.
  [[nodiscard]] RTINDEX_HD std::uint32_t word(std::uint32_t position) const {
    const std::uint32_t number = position / DeadBlock::positions;
    const std::uint32_t within = position - number * DeadBlock::positions;
    return blocks[number].bits[within / DeadBlock::word_bits];
  }
  // How many live positions there are before a block.
  [[nodiscard]] RTINDEX_HD std::uint32_t live_before(std::uint32_t number) const {
    return number * DeadBlock::positions - blocks[number].before;
  }

  // The position of the live row with `live` live ones before it, at or after run.begin; run.end
  // where that is not in the run.
  [[nodiscard]] RTINDEX_HD std::uint32_t select(Run run, std::uint32_t live) const {
    std::uint32_t low = run.begin / DeadBlock::positions;
    std::uint32_t high = (run.end - 1) / DeadBlock::positions;
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (live_before(middle) <= live)
        low = middle;
      else
        high = middle - 1;
    }
    const DeadBlock block = read(low);
    std::uint32_t left = live - (low * DeadBlock::positions - block.before);
    std::uint32_t found = run.end;
    bool searching = true;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < DeadBlock::words; ++i) {
      std::uint32_t bits = ~block.bits[i];
      const std::uint32_t here = ones(bits);
      if (searching && left < here) {
        for (; left > 0; --left) bits &= bits - 1;
        found = low * DeadBlock::positions + i * DeadBlock::word_bits + lowest(bits);
        searching = false;
      } else if (searching) {
        left -= here;
      }
    }
    return smaller(found, run.end);
  }
};

// Calls work(NoneDead{}), or work(dead) where some are.
template <class Work>
void with_dead(const DeadPositions& dead, Work&& work) {
  if (dead.empty())
    work(NoneDead{});
  else
    work(dead);
}

// The dead rows of a column in key order, by position.
class DeadPositionList {
 public:
  // Blocks until they are counted.
  DeadPositionList(RowsView rows, std::size_t size, const RowBits& dead,
                   const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

  // Empty where the set has no row of the column.
  [[nodiscard]] DeadPositions view() const { return {count_ == 0 ? nullptr : blocks_.data()}; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return blocks_.bytes(); }

 private:
  DeviceArray<DeadBlock> blocks_;
  std::uint32_t count_ = 0;
};

}  // namespace rtindex::cuda
