#include "rows/row_bitmap.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>

#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t word_grain = std::size_t{1} << 15;

std::size_t count_bits(std::span<const std::uint32_t> words) {
  return parallel_reduce(
      words.size(), word_grain, std::size_t{0},
      [&](std::size_t first, std::size_t count) {
        std::size_t bits = 0;
        for (const std::uint32_t word : words.subspan(first, count))
          bits += static_cast<std::size_t>(std::popcount(word));
        return bits;
      },
      std::plus<>());
}

}  // namespace

HostRowBitmap::HostRowBitmap(Array<std::uint32_t> words, std::size_t rows)
    : words_(std::move(words)) {
  bits_.words = std::as_const(words_).data();
  bits_.rows = rows;
  count_ = count_bits(std::as_const(words_).span());
}

Array<std::uint32_t> HostRowBitmap::words() const {
  Array<std::uint32_t> copy(words_.size());
  std::copy(words_.begin(), words_.end(), copy.begin());
  return copy;
}

RowBitmapBuilder::RowBitmapBuilder(std::size_t rows)
    : words_(RowBits::words_of(rows)), rows_(rows) {
  parallel_for(words_.size(), word_grain, [&](std::size_t first, std::size_t count) {
    std::fill_n(words_.data() + first, count, 0);
  });
}

std::size_t RowBitmapBuilder::count() const { return count_bits(words_.span()); }

RowBitmapPtr RowBitmapBuilder::finish() && {
  auto bitmap = std::make_shared<HostRowBitmap>(std::move(words_), rows_);
  return bitmap->count() == 0 ? nullptr : bitmap;
}

}  // namespace rtindex
