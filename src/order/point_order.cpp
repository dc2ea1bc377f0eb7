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
    slopes_.push_back(size == 0 || sample.back() == keys_.back()
                          ? 0
                          : static_cast<double>(~ranks_.back()) /
                                static_cast<double>(sample.back() - keys_.back()));
  }

  [[nodiscard]] std::uint32_t operator()(std::uint64_t key) const {
    const auto above = std::upper_bound(keys_.begin(), keys_.end(), key) - keys_.begin();
    if (above == 0) return 0;
    const auto piece = static_cast<std::size_t>(above - 1);
    const std::uint32_t end = piece + 1 < ranks_.size() ? ranks_[piece + 1] : max_rank;
    const double offset = slopes_[piece] * static_cast<double>(key - keys_[piece]);
    const std::uint32_t room = end - ranks_[piece];
    return ranks_[piece] + (offset < room ? static_cast<std::uint32_t>(offset) : room);
  }

 private:
  static constexpr std::uint32_t max_rank = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint64_t> keys_;  // quantiles, ascending
  std::vector<std::uint32_t> ranks_;
  std::vector<double> slopes_;
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

}  // namespace

Array<std::uint32_t> order_of_points(std::span<const PackedKeys> columns) {
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
  Array<std::uint32_t> order(size);
  parallel_for(size, order_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) order[i] = codes[i].row;
  });
  return order;
}

}  // namespace rtindex
