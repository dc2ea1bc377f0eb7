#pragma once

#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/key.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// Runs all queries that depend on order: neighbours, open and missing ends, rows in order,
// prefixes, rank and select. "" if the index answers like a sorted list of the table, else the
// first difference. A row whose key is null matches nothing. Only for indexes that keep an order.
[[nodiscard]] std::string order_difference(const Index& index, const std::vector<Key>& table,
                                           const Shape& shape, Random& random);

// Whether an index supports these queries.
[[nodiscard]] bool keeps_order(const Index& index);

}  // namespace rtindex::test
