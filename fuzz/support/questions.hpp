#pragma once

#include <span>
#include <vector>

#include <rtindex/index.hpp>

#include "fuzz/support/input.hpp"
#include "support/oracle.hpp"

namespace rtindex::fuzz {

// Asks an index that may be damaged a question that the input chooses. Its answer is an Error or
// rows that exist.
void ask_something(const Index& index, const std::vector<test::Batch>& batches, Input& input);

// One change of such an index, with keys of a column: it is made or refused.
void change(Index& index, const test::TestColumn& column, Input& input);

}  // namespace rtindex::fuzz
