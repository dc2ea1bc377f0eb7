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

RowBitmapPtr HostRowBitmap::union_with(const RowBitmap& other) const {
  const bool is_longer = bits().rows >= other.bits().rows;
  const RowBits longer = is_longer ? bits() : other.bits();
  const RowBits shorter = is_longer ? other.bits() : bits();
  const std::size_t common = RowBits::words_of(shorter.rows);
  Array<std::uint32_t> words(RowBits::words_of(longer.rows));
  parallel_for(words.size(), word_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      words[i] = longer.words[i] | (i < common ? shorter.words[i] : 0);
  });
  return std::make_shared<HostRowBitmap>(std::move(words), longer.rows);
}

RowBitmapPtr HostRowBitmap::minus(const RowBitmap& other) const {
  const RowBits removed = other.bits();
  const std::size_t common = RowBits::words_of(removed.rows);
  Array<std::uint32_t> words(words_.size());
  parallel_for(words.size(), word_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      words[i] = words_[i] & ~(i < common ? removed.words[i] : 0);
  });
  auto bitmap = std::make_shared<HostRowBitmap>(std::move(words), bits().rows);
  return bitmap->count() == 0 ? nullptr : bitmap;
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
