#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// How much smaller columns, batches and numbers of rounds are under a sanitizer, where tests run
// ten times as long, and where lines are counted (preset coverage). Every combination of index,
// column and answer is still tested.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(RTINDEX_QUICK_TESTS)
inline constexpr std::size_t effort_divisor = 8;
#else
inline constexpr std::size_t effort_divisor = 1;
#endif

[[nodiscard]] constexpr std::size_t affordable(std::size_t usual, std::size_t least = 1) {
  return std::max(usual / effort_divisor, std::min(usual, least));
}

// A named column that is hard on an index in its own way.
struct Workload {
  std::string name;  // of letters, digits and underscores
  std::function<TestColumn(Random&)> make;

  // The column; the name is the seed.
  [[nodiscard]] TestColumn column() const;
};

[[nodiscard]] std::vector<Workload> integer_workloads();
[[nodiscard]] std::vector<Workload> float_workloads();
[[nodiscard]] std::vector<Workload> string_workloads();
[[nodiscard]] std::vector<Workload> composite_workloads();

// Keys of 128 bits.
[[nodiscard]] std::vector<Workload> workloads_128();

// All but those of 128 bits.
[[nodiscard]] const std::vector<Workload>& all_workloads();
[[nodiscard]] std::vector<std::string> workload_names();
[[nodiscard]] const Workload& workload_named(const std::string& name);

// A value column of one type: small and extreme values, so that sums wrap; infinities and NaNs
// among the floats.
// These values, some, none or all of them null. Indexes on GPUs take no nulls.
[[nodiscard]] TestColumn with_null_values(const TestColumn& values, Random& random);
[[nodiscard]] TestColumn values_of(Type type, std::size_t size, Random& random);

// Every type of values that sum, min and max support.
[[nodiscard]] const std::vector<Type>& value_types();

}  // namespace rtindex::test
