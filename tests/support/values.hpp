#pragma once

#include <vector>

#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// A value column of one type: small and extreme values, so that sums wrap; infinities and NaNs
// among the floats.
[[nodiscard]] TestColumn values_of(Type type, std::size_t size, Random& random);

// Every type that sum, min and max take.
[[nodiscard]] const std::vector<Type>& value_types();

}  // namespace rtindex::test
