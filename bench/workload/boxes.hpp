#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "workload/workload_array.hpp"

namespace rtindex::bench {

// The columns of a workload of boxes, and which of them have conditions.
struct BoxColumns {
  std::string name;
  std::size_t columns = 3;
  bool correlated = false;
  std::vector<std::size_t> conditions = {0, 1, 2};
};

// Boxes: the least and the greatest value of each column with a condition, both included.
struct Boxes {
  std::vector<std::vector<std::uint32_t>> lower, upper;  // by condition
  std::vector<std::uint32_t> counts;                     // expected

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] std::size_t all_rows() const {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }
};

// Points of 32 bits, and boxes around some of their rows.
class BoxWork {
 public:
  BoxWork(const BoxColumns& rule, std::size_t rows);

  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::size_t>& conditions() const { return conditions_; }
  [[nodiscard]] std::size_t rows() const { return columns_.front().size(); }
  // Boxes that hold this share of all rows on average.
  [[nodiscard]] Boxes boxes(double share, std::size_t count) const;
  [[nodiscard]] bool contains(const Boxes& boxes, std::size_t box, std::uint32_t row) const;

 private:
  // All sides are this share of the span of values.
  [[nodiscard]] Boxes boxes_of_side(double side, std::size_t count) const;
  void count_rows(Boxes& boxes) const;

  bool correlated_;
  std::vector<std::size_t> conditions_;
  std::vector<std::vector<std::uint32_t>> columns_;
  // Those with conditions, in the order of the first of them.
  std::vector<std::vector<std::uint32_t>> sorted_;
};

// One box of a scan: the columns with conditions, in the memory of an execution space.
struct BoxScan {
  static constexpr std::size_t max_conditions = 3;

  const std::uint32_t* columns[max_conditions] = {};
  std::uint32_t lower[max_conditions] = {};
  std::uint32_t upper[max_conditions] = {};
  std::size_t conditions = 0;
  std::size_t rows = 0;
};

// Counts the rows of a box by comparing all of them: `count` is in the memory of the space.
void scan_box(ExecutionSpace& space, const BoxScan& scan, std::uint32_t* count);

#if defined(RTINDEX_HAS_CUDA)
void scan_box_on_device(const BoxScan& scan, std::uint32_t* count);
#endif

}  // namespace rtindex::bench
