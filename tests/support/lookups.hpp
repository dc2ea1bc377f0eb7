#pragma once

#include <utility>
#include <vector>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace rtindex::test {

// Values right beside a value (k+-1, the next float, a byte more or less), whether or not the
// shape can hold them.
[[nodiscard]] std::vector<Part> near_misses(const Part& part, const Shape& shape);
// Values at the ends of what any column of this kind can hold, and beyond this one's type.
[[nodiscard]] std::vector<Part> far_values(const Shape& shape);

// Hits, near misses and far misses of a column, about `samples` of each.
[[nodiscard]] std::vector<Key> interesting_points(const TestColumn& column, std::size_t samples,
                                                  Random& random);
// Ranges within a row and across rows, between neighbours, over all keys, inverted.
[[nodiscard]] std::vector<std::pair<Key, Key>> interesting_ranges(const TestColumn& column,
                                                                  std::size_t samples,
                                                                  Random& random);

// Shapes whose lookups can be compared with a column of this shape, itself first.
[[nodiscard]] std::vector<Shape> comparable_shapes(const Shape& shape);

// Batches of points and ranges in every comparable shape; keys that a shape cannot hold are omitted
// from its batch.
[[nodiscard]] std::vector<Batch> interesting_batches(const TestColumn& column, std::size_t samples,
                                                     Random& random);
// One batch of points and one of ranges, in the column's own shape.
[[nodiscard]] std::vector<Batch> own_batches(const TestColumn& column, std::size_t samples,
                                             Random& random);

}  // namespace rtindex::test
