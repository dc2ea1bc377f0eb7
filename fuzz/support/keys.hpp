#pragma once

#include <vector>

#include "fuzz/support/input.hpp"
#include "support/key.hpp"

namespace rtindex::fuzz {

// Shapes of columns: every type, and tuples.
[[nodiscard]] const std::vector<test::Shape>& shapes();

// Keys that the shape can hold: extremes, small numbers, equal prefixes, nulls. One to four bytes
// of the input make one part, so that a mutation of it changes few keys.
[[nodiscard]] test::Key key_from(Input& input, const test::Shape& shape);
[[nodiscard]] std::vector<test::Key> keys_from(Input& input, const test::Shape& shape,
                                               std::size_t max_keys);

}  // namespace rtindex::fuzz
