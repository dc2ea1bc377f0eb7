#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/test_column.hpp"

namespace rtindex::test {

// What a call returned, as numbers, where everything is left out that may differ from one time to
// the next: which row `any` is, and the order of rows.
using Told = std::vector<std::uint64_t>;

// A call that leaves the index as it is. It allocates nothing beyond what the library does, so that
// a test can make allocations fail.
struct Call {
  std::string name;
  std::function<void(const Index&)> make;
  std::function<Told()> told;  // by the call before; forgets it
};

// Lookups of every kind with every answer, joins, and what tells about an index or copies it, as
// far as the index can. Keys, and those between them, are taken from `column`; its views are made
// here, because composite ones allocate. Values are the included ones, where there are any.
[[nodiscard]] std::vector<Call> every_call(const Index& index, const TestColumn& column);

}  // namespace rtindex::test
