#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

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

[[nodiscard]] const std::vector<Workload>& all_workloads();
[[nodiscard]] std::vector<std::string> workload_names();
[[nodiscard]] const Workload& workload_named(const std::string& name);

}  // namespace rtindex::test
