#pragma once

#include <cstddef>
#include <vector>

#include "support/intervals.hpp"

// The closest intervals of keys, by a scan.
namespace rtindex::test {

// Keys whose closest intervals are searched, and how.
struct NearestBatch {
  NearestOptions how;
  std::vector<Key> keys;
  TestColumn column;

  [[nodiscard]] Query query() const {
    const ColumnView all = column.view();
    return Query::nearest(all.parts().size() == 1 ? all.parts()[0] : all, how);
  }
};

[[nodiscard]] NearestBatch random_nearest(const IntervalTable& table, const NearestOptions& how,
                                          std::size_t size, Random& random);
// All rows at the least distance of each key.
[[nodiscard]] Matches scan(const IntervalTable& table, const NearestBatch& batch);
// Every direction, with and without exact, and tolerances where the points have a distance.
[[nodiscard]] std::vector<NearestOptions> every_nearest(const IntervalTable& table);

// Expects every answer and join of the closest intervals.
void expect_nearest(const Index& index, const IntervalTable& table, const TestColumn& values,
                    Random& random);

}  // namespace rtindex::test
