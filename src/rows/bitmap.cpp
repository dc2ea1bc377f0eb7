#include <rtindex/bitmap.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "rows/bitmap_bits.hpp"
#include "rows/cuda/device_bitmap.hpp"

namespace rtindex {

#if !defined(RTINDEX_HAS_CUDA)
namespace cuda {

namespace {

[[noreturn]] void fail_without_gpu() {
  fail(ErrorKind::unsupported,
       "the bitmaps are in device memory, and this library was built without CUDA: copy them to "
       "host memory");
}

}  // namespace

void combine_bitmaps(const BitmapView&, const BitmapView&, BitmapOperation, std::uint8_t*, Stream) {
  fail_without_gpu();
}
std::size_t count_bitmap(const BitmapView&, Stream) { fail_without_gpu(); }

}  // namespace cuda
#endif

namespace {

constexpr std::size_t rows_a_word = 64;
constexpr std::size_t grain_words = std::size_t{1} << 14;

[[nodiscard]] std::size_t words_of(std::size_t rows) {
  return (rows + rows_a_word - 1) / rows_a_word;
}

void require_bits(const BitmapView& bitmap) {
  if (bitmap.bits == nullptr && bitmap.rows != 0)
    fail("expected the bits of {} rows, got a null pointer", bitmap.rows);
}

void combine(const BitmapView& a, const BitmapView& b, BitmapOperation operation, std::uint8_t* out,
             Stream stream) {
  require_bits(a);
  require_bits(b);
  if (a.rows != b.rows)
    fail("expected bitmaps of the same length, got {} and {} rows", a.rows, b.rows);
  if (a.memory_space != b.memory_space)
    fail("one bitmap is in {} memory and the other in {} memory: copy one of them",
         name_of(a.memory_space), name_of(b.memory_space));
  if (a.rows == 0) return;
  if (out == nullptr) fail("expected a buffer for {} rows, got a null pointer", a.rows);
  if (a.memory_space == MemorySpace::device)
    return cuda::combine_bitmaps(a, b, operation, out, stream);
  const std::size_t bytes = bitmap_bytes(a.rows);
  parallel_for(words_of(a.rows), grain_words, [&](std::size_t first, std::size_t count) {
    for (std::size_t word = first; word < first + count; ++word) {
      const std::uint64_t own = word_of(a, word);
      const std::uint64_t other = word_of(b, word);
      const std::uint64_t result = operation == BitmapOperation::both     ? own & other
                                   : operation == BitmapOperation::either ? own | other
                                                                          : own & ~other;
      std::memcpy(out + 8 * word, &result, std::min(sizeof(result), bytes - 8 * word));
    }
  });
}

}  // namespace

void bitmap_and(const BitmapView& a, const BitmapView& b, std::uint8_t* out, Stream stream) {
  combine(a, b, BitmapOperation::both, out, stream);
}

void bitmap_or(const BitmapView& a, const BitmapView& b, std::uint8_t* out, Stream stream) {
  combine(a, b, BitmapOperation::either, out, stream);
}

void bitmap_and_not(const BitmapView& a, const BitmapView& b, std::uint8_t* out, Stream stream) {
  combine(a, b, BitmapOperation::first_only, out, stream);
}

std::size_t bitmap_count(const BitmapView& bitmap, Stream stream) {
  require_bits(bitmap);
  if (bitmap.rows == 0) return 0;
  if (bitmap.memory_space == MemorySpace::device) return cuda::count_bitmap(bitmap, stream);
  return parallel_reduce(
      words_of(bitmap.rows), grain_words, std::size_t{0},
      [&](std::size_t first, std::size_t count) {
        std::size_t set = 0;
        for (std::size_t word = first; word < first + count; ++word)
          set += static_cast<std::size_t>(std::popcount(word_of(bitmap, word)));
        return set;
      },
      std::plus<>());
}

}  // namespace rtindex
