#include "workload/boxes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "order/pairs.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t row_grain = std::size_t{1} << 16;
constexpr std::size_t block_rows = std::size_t{1} << 13;  // a core's cache holds their columns
constexpr double value_span = 0x1p32;
constexpr std::size_t sampled_boxes = 64;

std::uint32_t value_at(const BoxColumns& rule, std::size_t column, std::size_t row) {
  const auto own = static_cast<std::uint32_t>(random_at(101 + column, row));
  if (!rule.correlated || column == 0) return own;
  const auto first = static_cast<std::uint32_t>(random_at(101, row));
  return column % 2 == 1 ? first / 8 * 7 + own / 8 : first / 2 + own / 2;
}

// The rows of a block that lie between both ends in all columns. Compilers vectorise it.
std::uint32_t count_in(const std::uint32_t* const* columns, const std::uint32_t* lower,
                       const std::uint32_t* widths, std::size_t conditions, std::size_t first,
                       std::size_t count) {
  std::uint32_t found = 0;
  const auto is_in = [&](std::size_t c, std::size_t i) {
    return static_cast<std::uint32_t>(columns[c][first + i] - lower[c] <= widths[c]);
  };
  if (conditions == 2)
    for (std::size_t i = 0; i < count; ++i) found += is_in(0, i) & is_in(1, i);
  else
    for (std::size_t i = 0; i < count; ++i) found += is_in(0, i) & is_in(1, i) & is_in(2, i);
  return found;
}

}  // namespace

BoxWork::BoxWork(const BoxColumns& rule, std::size_t rows)
    : correlated_(rule.correlated), conditions_(rule.conditions) {
  for (std::size_t c = 0; c < rule.columns; ++c) {
    std::vector<std::uint32_t>& column = columns_.emplace_back(rows);
    parallel_for(rows, row_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t row = first; row < first + count; ++row)
        column[row] = value_at(rule, c, row);
    });
  }
  const std::vector<std::uint32_t>& leading = columns_[conditions_.front()];
  Array<Pair<std::uint32_t>> order(rows);
  for (std::size_t row = 0; row < rows; ++row)
    order[row] = {leading[row], static_cast<std::uint32_t>(row)};
  sort_pairs(order.span());
  for (const std::size_t c : conditions_) {
    std::vector<std::uint32_t>& column = sorted_.emplace_back(rows);
    parallel_for(rows, row_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) column[i] = columns_[c][order[i].row];
    });
  }
}

Boxes BoxWork::boxes(double share, std::size_t count) const {
  double side = std::pow(share, 1.0 / static_cast<double>(conditions_.size()));
  if (correlated_) {
    // Boxes around rows hold more of them than in uniform columns: bisect for the side.
    double least = 0;
    for (int step = 0; step < 16; ++step) {
      const double middle = (least + side) / 2;
      const Boxes some = boxes_of_side(middle, std::min(count, sampled_boxes));
      const double found = std::accumulate(some.counts.begin(), some.counts.end(), 0.0);
      const double wanted = share * static_cast<double>(rows() * some.size());
      (found > wanted ? side : least) = middle;
    }
  }
  return boxes_of_side(side, count);
}

Boxes BoxWork::boxes_of_side(double side, std::size_t count) const {
  constexpr std::uint64_t seed = 201;
  const auto width = static_cast<std::uint32_t>(std::min(side * value_span, value_span - 1));
  Boxes boxes;
  boxes.counts.resize(count);
  for (const std::size_t c : conditions_) {
    std::vector<std::uint32_t>& lower = boxes.lower.emplace_back(count);
    std::vector<std::uint32_t>& upper = boxes.upper.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i) {
      lower[i] = std::min(columns_[c][random_below(rows(), seed, i)], ~width);
      upper[i] = lower[i] + width;
    }
  }
  count_rows(boxes);
  return boxes;
}

bool BoxWork::contains(const Boxes& boxes, std::size_t box, std::uint32_t row) const {
  if (row >= rows()) return false;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const std::uint32_t value = columns_[conditions_[i]][row];
    if (value < boxes.lower[i][box] || value > boxes.upper[i][box]) return false;
  }
  return true;
}

// Compares each box with the blocks of rows that its first condition meets.
void BoxWork::count_rows(Boxes& boxes) const {
  parallel_for(rows(), block_rows, [&](std::size_t first, std::size_t count) {
    const std::uint32_t least = sorted_[0][first];
    const std::uint32_t greatest = sorted_[0][first + count - 1];
    const std::uint32_t* columns[BoxScan::max_conditions];
    for (std::size_t i = 0; i < conditions_.size(); ++i) columns[i] = sorted_[i].data();
    for (std::size_t box = 0; box < boxes.size(); ++box) {
      if (boxes.upper[0][box] < least || boxes.lower[0][box] > greatest) continue;
      std::uint32_t lower[BoxScan::max_conditions];
      std::uint32_t widths[BoxScan::max_conditions];
      for (std::size_t i = 0; i < conditions_.size(); ++i) {
        lower[i] = boxes.lower[i][box];
        widths[i] = boxes.upper[i][box] - lower[i];
      }
      const std::uint32_t found =
          count_in(columns, lower, widths, conditions_.size(), first, count);
      if (found != 0)
        std::atomic_ref(boxes.counts[box]).fetch_add(found, std::memory_order_relaxed);
    }
  });
}

void scan_box(ExecutionSpace& space, const BoxScan& scan, std::uint32_t* count) {
#if defined(RTINDEX_HAS_CUDA)
  if (space.memory() == MemorySpace::device) return scan_box_on_device(scan, count);
#else
  static_cast<void>(space);
#endif
  std::uint32_t widths[BoxScan::max_conditions];
  for (std::size_t i = 0; i < scan.conditions; ++i) widths[i] = scan.upper[i] - scan.lower[i];
  std::atomic<std::uint32_t> found = 0;
  parallel_for(scan.rows, row_grain, [&](std::size_t first, std::size_t size) {
    found += count_in(scan.columns, scan.lower, widths, scan.conditions, first, size);
  });
  *count = found;
}

}  // namespace rtindex::bench
