#pragma once

#include <string>

#include <rtindex/index.hpp>

#include "support/oracle.hpp"

namespace rtindex::test {

// Compares a join with the rows that each lookup matches: "" where the pairs agree, else the first
// difference. The rows of a lookup come in any order.
[[nodiscard]] std::string join_difference(const JoinedRows& joined, const Matches& matches,
                                          JoinKind how, JoinOrder order = JoinOrder::lookups);

// Whether `joined` are some of the pairs, each of them once: "", or what is wrong.
[[nodiscard]] std::string partial_join_difference(const JoinedRows& joined, const Matches& matches,
                                                  JoinKind how);

}  // namespace rtindex::test
