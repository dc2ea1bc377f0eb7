#pragma once

#include <span>
#include <vector>

#include <rtindex/index.hpp>

#include "fuzz/support/input.hpp"
#include "support/oracle.hpp"

namespace rtindex::fuzz {

// Asks an index that may be damaged everything. Its answers are an Error or rows that exist.
void ask_everything(const Index& index, const std::vector<test::Batch>& batches);

// One change of such an index, with keys of a column: it is made or refused.
void change(Index& index, const test::TestColumn& column, Input& input);

}  // namespace rtindex::fuzz
