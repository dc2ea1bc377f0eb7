#include "support/workloads.hpp"

#include <stdexcept>

namespace rtindex::test {

TestColumn Workload::column() const {
  std::uint64_t seed = 17;
  for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
  Random random(seed);
  return make(random);
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

const Workload& workload_named(const std::string& name) {
  for (const Workload& workload : all_workloads())
    if (workload.name == name) return workload;
  throw std::logic_error("no workload " + name);
}

}  // namespace rtindex::test
