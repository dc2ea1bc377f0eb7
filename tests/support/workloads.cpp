#include "support/workloads.hpp"

#include <stdexcept>

#include "support/effort.hpp"

namespace rtindex::test {

namespace {

// As many of the rows as can be afforded: the first ones, and a sample of the rest.
TestColumn affordable_part(TestColumn column) {
  constexpr std::size_t kept_whole = 64;
  if (effort_divisor == 1 || column.size() <= kept_whole) return column;
  std::vector<Key> keys;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (row < kept_whole || row % effort_divisor == 0) keys.push_back(column.keys()[row]);
  return {column.shape(), std::move(keys)};
}

}  // namespace

TestColumn Workload::column() const {
  std::uint64_t seed = 17;
  for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
  Random random(seed);
  return affordable_part(make(random));
}

const std::vector<Workload>& all_workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> list;
    for (const auto& part :
         {integer_workloads(), float_workloads(), string_workloads(), composite_workloads()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : all_workloads()) names.push_back(workload.name);
  return names;
}

const Workload& workload_named(const std::string& name) {
  for (const Workload& workload : all_workloads())
    if (workload.name == name) return workload;
  throw std::logic_error("no workload " + name);
}

}  // namespace rtindex::test
