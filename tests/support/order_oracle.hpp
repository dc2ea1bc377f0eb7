#pragma once

#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/key.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// Asks an index all questions of order: neighbours, open and missing ends, rows in order, prefixes,
// ranks and places. "" where it answers like a sorted list of the table, else the first difference.
// A row whose key is null matches nothing. Such an index can be asked only if it keeps an order.
[[nodiscard]] std::string order_difference(const Index& index, const std::vector<Key>& table,
                                           const Shape& shape, Random& random);

// Whether an index can be asked so.
[[nodiscard]] bool keeps_order(const Index& index);

}  // namespace rtindex::test
