#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "answers/cuda/run.hpp"
#include "base/cuda/device_array.hpp"
#include "base/macros.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

// A bit for each of some positions in key order, 1 where the row is deleted, and the number of
// deleted rows at all positions before them. A GPU reads 32 bytes at once, so that a rank needs one
// read.
struct alignas(32) DeletedBlock {
  static constexpr std::uint32_t words = 7;
  static constexpr std::uint32_t word_bits = 32;
  static constexpr std::uint32_t positions = words * word_bits;

  std::uint32_t before;
  std::uint32_t bits[words];
};

// No row is deleted: the kernels for this case are compiled separately.
struct NoneDeleted {
  static constexpr bool any = false;

  [[nodiscard]] RTINDEX_HD static constexpr bool has(std::size_t) { return false; }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t before(std::uint32_t) { return 0; }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t valid_in(Run run) {
    return run.end - run.begin;
  }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t first_valid(Run run) { return run.begin; }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t last_valid(Run run) {
    return run.begin < run.end ? run.end - 1 : run.end;
  }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t valid_at(Run run, std::uint32_t nth) {
    return run.begin + nth;
  }
};

// The positions of deleted rows in a column in key order; passed to kernels by value.
struct DeletedPositions {
  static constexpr bool any = true;

  const DeletedBlock* blocks = nullptr;  // null: none is deleted

  [[nodiscard]] bool empty() const { return blocks == nullptr; }

  [[nodiscard]] RTINDEX_HD bool has(std::size_t position) const {
    const auto at = static_cast<std::uint32_t>(position);
    return (word(at) >> (at % DeletedBlock::word_bits) & 1) != 0;
  }

  // How many deleted positions there are before this one.
  [[nodiscard]] RTINDEX_HD std::uint32_t before(std::uint32_t position) const {
    const std::uint32_t number = position / DeletedBlock::positions;
    const std::uint32_t within = position - number * DeletedBlock::positions;
    const DeletedBlock block = read(number);
    std::uint32_t count = block.before;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < DeletedBlock::words; ++i) {
      const std::uint32_t first = i * DeletedBlock::word_bits;
      if (within >= first + DeletedBlock::word_bits)
        count += ones(block.bits[i]);
      else if (within > first)
        count += ones(block.bits[i] & ((1U << (within - first)) - 1));
    }
    return count;
  }

  [[nodiscard]] RTINDEX_HD std::uint32_t valid_in(Run run) const {
    if (run.begin >= run.end) return 0;
    return run.end - run.begin - (before(run.end) - before(run.begin));
  }

  // The first valid position of a run; its end where there is none.
  [[nodiscard]] RTINDEX_HD std::uint32_t first_valid(Run run) const {
    std::uint32_t at = run.begin;
    const std::uint64_t block_end =
        (std::uint64_t{at} / DeletedBlock::positions + 1) * DeletedBlock::positions;
    while (at < run.end && at < block_end) {
      const std::uint32_t valid = ~word(at) >> (at % DeletedBlock::word_bits);
      if (valid != 0) return smaller(at + lowest(valid), run.end);
      const std::uint32_t step = DeletedBlock::word_bits - at % DeletedBlock::word_bits;
      if (run.end - at <= step) return run.end;
      at += step;
    }
    if (at >= run.end) return run.end;
    return select({at, run.end}, valid_before(at / DeletedBlock::positions));
  }

  // The last valid position of a run; its end where there is none.
  [[nodiscard]] RTINDEX_HD std::uint32_t last_valid(Run run) const {
    if (run.begin >= run.end) return run.end;
    std::uint32_t at = run.end - 1;
    const std::uint32_t number = at / DeletedBlock::positions;
    for (;;) {
      const std::uint32_t bit = at % DeletedBlock::word_bits;
      const std::uint32_t valid = ~word(at) << (DeletedBlock::word_bits - 1 - bit);
      if (valid != 0) {
        const std::uint32_t back = leading_zeros(valid);
        return at - run.begin < back ? run.end : at - back;
      }
      if (at - run.begin <= bit) return run.end;
      at -= bit + 1;
      if (at / DeletedBlock::positions != number) break;
    }
    const std::uint32_t valid = valid_before(number);
    if (valid <= run.begin - before(run.begin)) return run.end;
    return select({run.begin, at + 1}, valid - 1);
  }

  // The nth valid position of a run that has more.
  [[nodiscard]] RTINDEX_HD std::uint32_t valid_at(Run run, std::uint32_t nth) const {
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

  [[nodiscard]] RTINDEX_HD DeletedBlock read(std::uint32_t number) const {
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
    const std::uint32_t number = position / DeletedBlock::positions;
    const std::uint32_t within = position - number * DeletedBlock::positions;
    return blocks[number].bits[within / DeletedBlock::word_bits];
  }
  // How many valid positions there are before a block.
  [[nodiscard]] RTINDEX_HD std::uint32_t valid_before(std::uint32_t number) const {
    return number * DeletedBlock::positions - blocks[number].before;
  }

  // The position of the valid row with `valid` valid ones before it, at or after run.begin; run.end
  // where that is not in the run.
  [[nodiscard]] RTINDEX_HD std::uint32_t select(Run run, std::uint32_t valid) const {
    std::uint32_t low = run.begin / DeletedBlock::positions;
    std::uint32_t high = (run.end - 1) / DeletedBlock::positions;
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (valid_before(middle) <= valid)
        low = middle;
      else
        high = middle - 1;
    }
    const DeletedBlock block = read(low);
    std::uint32_t left = valid - (low * DeletedBlock::positions - block.before);
    std::uint32_t found = run.end;
    bool searching = true;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t i = 0; i < DeletedBlock::words; ++i) {
      std::uint32_t bits = ~block.bits[i];
      const std::uint32_t here = ones(bits);
      if (searching && left < here) {
        for (; left > 0; --left) bits &= bits - 1;
        found = low * DeletedBlock::positions + i * DeletedBlock::word_bits + lowest(bits);
        searching = false;
      } else if (searching) {
        left -= here;
      }
    }
    return smaller(found, run.end);
  }
};

// Calls work(NoneDeleted{}), or work(deleted) where some are.
template <class Work>
void with_deleted(const DeletedPositions& deleted, Work&& work) {
  if (deleted.empty())
    work(NoneDeleted{});
  else
    work(deleted);
}

// The deleted rows of a column in key order, by position.
class DeletedPositionList {
 public:
  // Blocks until they are counted.
  DeletedPositionList(RowsView rows, std::size_t size, const RowBits& deleted, const Queue& queue);

  // Empty where the bitmap has no row of the column.
  [[nodiscard]] DeletedPositions view() const { return {count_ == 0 ? nullptr : blocks_.data()}; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return blocks_.bytes(); }

 private:
  DeviceArray<DeletedBlock> blocks_;
  std::uint32_t count_ = 0;
};

}  // namespace rtindex::cuda
