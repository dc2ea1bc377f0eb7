#pragma once

#include <span>
#include <vector>

#include <rtindex/index.hpp>

#include "fuzz/support/input.hpp"
#include "support/oracle.hpp"

namespace rtindex::fuzz {

// Runs a query that the input chooses on an index that may be damaged. The result must be an Error
// or rows that exist.
void run_some_query(const Index& index, const std::vector<test::Batch>& batches, Input& input);

// One change of such an index, with keys of a column: it succeeds or throws an Error.
void change(Index& index, const test::TestColumn& column, Input& input);

}  // namespace rtindex::fuzz
