#pragma once

#include <cstddef>

#include <rtindex/index.hpp>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace rtindex::test {

// A join into buffers for a part of the pairs that it reports, or for all of them.
[[nodiscard]] JoinedRows joined_into(const Index& index, const Query& query, JoinKind how,
                                     const JoinOptions& options, std::size_t part = 1);

// Expects the pairs of every kind of join in both orders: at once, into buffers that are large
// enough and too small, and in batches.
void expect_joins(const Index& index, const Query& query, const Matches& matches);
// Expects the pairs of every join at once, and those of a random one in the other forms, because
// all forms of many queries take too long.
void expect_some_joins(const Index& index, const Query& query, const Matches& matches,
                       Random& random);

}  // namespace rtindex::test
