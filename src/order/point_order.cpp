#include "order/point_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "order/pairs.hpp"

namespace rtindex {

namespace {

constexpr std::size_t order_grain = std::size_t{1} << 14;
constexpr std::size_t blocks_in_part = 128;  // a core's cache holds their codes

// Maps the keys of a column to about their rank among all of them, as a fraction of 2^32: linear
// between quantiles of a sample.
class RankModel {
 public:
  explicit RankModel(const PackedKeys& keys) {
    constexpr std::size_t sample_size = std::size_t{1} << 15;
    constexpr std::size_t max_knots = std::size_t{1} << 10;
    const std::size_t size = std::min(keys.size(), sample_size);
    std::vector<std::uint64_t> sample(size);
    // In steps that are not a whole number of rows, because columns may have a period.
    for (std::size_t i = 0; i < size; ++i) sample[i] = keys[i * keys.size() / size];
    std::sort(sample.begin(), sample.end());
    const std::size_t step = std::max<std::size_t>(size / max_knots, 1);
    for (std::size_t i = 0; i < size; i += step) {
      if (!keys_.empty() && keys_.back() == sample[i]) continue;
      const auto first = static_cast<std::uint64_t>(
          std::lower_bound(sample.begin(), sample.end(), sample[i]) - sample.begin());
      keys_.push_back(sample[i]);
      ranks_.push_back(static_cast<std::uint32_t>((first << 32) / size));
    }
    for (std::size_t i = 0; i + 1 < keys_.size(); ++i)
      slopes_.push_back(static_cast<double>(ranks_[i + 1] - ranks_[i]) /
                        static_cast<double>(keys_[i + 1] - keys_[i]));
    // Behind the last quantile, up to the largest key of the sample.
    fill_table();
    slopes_.push_back(size == 0 || sample.back() == keys_.back()
                          ? 0
                          : static_cast<double>(~ranks_.back()) /
                                static_cast<double>(sample.back() - keys_.back()));
  }

  [[nodiscard]] std::uint32_t operator()(std::uint64_t key) const {
    if (keys_.empty() || key < keys_.front()) return 0;
    const std::uint64_t bin = std::min((key - keys_.front()) >> shift_, max_bin);
    const auto above =
        std::upper_bound(keys_.begin() + table_[bin], keys_.begin() + table_[bin + 1], key);
    const auto piece = static_cast<std::size_t>(above - keys_.begin()) - 1;
    const std::uint32_t end = piece + 1 < ranks_.size() ? ranks_[piece + 1] : max_rank;
    const double offset = slopes_[piece] * static_cast<double>(key - keys_[piece]);
    const std::uint32_t room = end - ranks_[piece];
    return ranks_[piece] + (offset < room ? static_cast<std::uint32_t>(offset) : room);
  }

 private:
  static constexpr std::uint32_t max_rank = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t max_bin = 4095;

  // Equal bins of keys, so that the search for a quantile is short.
  void fill_table() {
    if (keys_.empty()) return;
    while ((keys_.back() - keys_.front()) >> shift_ > max_bin) ++shift_;
    std::size_t next = 0;
    for (std::uint64_t bin = 0; bin <= max_bin; ++bin) {
      while (next < keys_.size() && (keys_[next] - keys_.front()) >> shift_ < bin) ++next;
      table_[bin] = static_cast<std::uint32_t>(next);
    }
    table_[max_bin + 1] = static_cast<std::uint32_t>(keys_.size());
  }

  std::vector<std::uint64_t> keys_;  // quantiles, ascending
  std::vector<std::uint32_t> ranks_;
  std::vector<double> slopes_;
  int shift_ = 0;
  std::array<std::uint32_t, max_bin + 2> table_{};  // the first quantile of each bin
};

// Moves bit i of a rank to bit i * columns.
class BitSpreader {
 public:
  explicit BitSpreader(std::size_t columns) : columns_(columns) {
    for (std::size_t byte = 0; byte < table_.size(); ++byte)
      for (std::size_t bit = 0; bit < 8; ++bit)
        table_[byte] |= static_cast<std::uint64_t>(byte >> bit & 1) << bit * columns;
  }
  [[nodiscard]] std::uint64_t operator()(std::uint32_t rank) const {
    std::uint64_t spread = table_[rank & 0xff];
    if (rank > 0xff) spread |= table_[rank >> 8 & 0xff] << 8 * columns_;
    if (rank > 0xffff) spread |= table_[rank >> 16 & 0xff] << 16 * columns_;
    return spread;
  }

 private:
  std::size_t columns_;
  std::array<std::uint64_t, 256> table_{};
};

// Splits parts of the order of codes at medians until blocks are left, each time in the column
// whose ranks differ most: blocks of Morton order alone would reach across the sides of its cells.
class BlockSplitter {
 public:
  BlockSplitter(std::size_t columns, std::size_t block) : block_(block), masks_(columns) {
    for (std::size_t bit = 0; bit < 64; ++bit) masks_[bit % columns] |= std::uint64_t{1} << bit;
  }

  void split(Pair<std::uint64_t>* codes, std::size_t size) const {
    if (size <= block_) return;
    const std::uint64_t mask = mask_of_widest(codes, size);
    const std::size_t blocks = (size + block_ - 1) / block_;
    const std::size_t half = (blocks + 1) / 2 * block_;
    std::nth_element(codes, codes + half, codes + size,
                     [mask](const Pair<std::uint64_t>& a, const Pair<std::uint64_t>& b) {
                       return (a.key & mask) < (b.key & mask);
                     });
    split(codes, half);
    split(codes + half, size - half);
  }

 private:
  [[nodiscard]] std::uint64_t mask_of_widest(const Pair<std::uint64_t>* codes,
                                             std::size_t size) const {
    std::uint64_t widest = 0;
    std::uint64_t mask = 0;
    for (std::size_t c = 0; c < masks_.size(); ++c) {
      std::uint64_t low = ~std::uint64_t{0};
      std::uint64_t high = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t bits = codes[i].key & masks_[c];
        low = std::min(low, bits);
        high = std::max(high, bits);
      }
      const std::uint64_t width = gathered(high, c) - gathered(low, c);
      if (width < widest || (width == 0 && mask != 0)) continue;
      widest = width;
      mask = masks_[c];
    }
    return mask;
  }
  // The rank of a column in a code.
  [[nodiscard]] std::uint64_t gathered(std::uint64_t code, std::size_t column) const {
    std::uint64_t rank = 0;
    for (std::size_t bit = column, i = 0; bit < 64; bit += masks_.size(), ++i)
      rank |= (code >> bit & 1) << i;
    return rank;
  }

  std::size_t block_;
  std::vector<std::uint64_t> masks_;  // the bits of each column, the last column first
};

}  // namespace

Array<std::uint32_t> order_of_points(std::span<const PackedKeys> columns, std::size_t block) {
  const std::size_t size = columns.front().size();
  const std::size_t bits = std::min<std::size_t>(64 / columns.size(), 24);  // of each column
  Array<Pair<std::uint64_t>> codes(size);
  {
    std::vector<RankModel> models;
    for (const PackedKeys& column : columns) models.emplace_back(column);
    const BitSpreader spread(columns.size());
    parallel_for(size, order_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        std::uint64_t code = 0;
        for (std::size_t c = 0; c < columns.size(); ++c)
          code |= spread(models[c](columns[c][i]) >> (32 - bits)) << (columns.size() - 1 - c);
        codes[i] = {code, static_cast<std::uint32_t>(i)};
      }
    });
  }
  sort_pairs(codes.span());
  const BlockSplitter splitter(columns.size(), block);
  parallel_for(size, blocks_in_part * block, [&](std::size_t first, std::size_t count) {
    splitter.split(codes.data() + first, count);
  });
  Array<std::uint32_t> order(size);
  parallel_for(size, order_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) order[i] = codes[i].row;
  });
  return order;
}

}  // namespace rtindex
