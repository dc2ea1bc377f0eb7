#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/test_column.hpp"

namespace rtindex::test {

// What a call returned, as numbers, except what may differ from one run to the next: which row
// `any` is, and the order of rows.
using Digest = std::vector<std::uint64_t>;

// A call that leaves the index as it is. It allocates nothing beyond what the library does, so that
// a test can make allocations fail.
struct Call {
  std::string name;
  std::function<void(const Index&)> make;
  std::function<Digest()> digest;  // of the last call, whose result is then freed
};

// Lookups of every kind with every answer, joins, descriptions and copies, as far as the index
// supports them. Lookups are keys of `column` and keys between them; views of the column are made
// here, because composite ones allocate. Values are the included ones, if there are any.
[[nodiscard]] std::vector<Call> every_call(const Index& index, const TestColumn& column);

}  // namespace rtindex::test
