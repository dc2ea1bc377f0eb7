#include "gpu/distributions.hpp"

#include <map>
#include <optional>

#include "workload/distributions.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {

namespace {

// The measurements of one index, and those that they are compared with.
struct Costs {
  Times build, lookup;
  double bytes_per_key = 0;
};

class DistributionRun {
 public:
  DistributionRun(GpuReport& report, Column column, std::size_t lookups, nlohmann::json workload)
      : report_(report),
        column_(std::move(column)),
        lookups_(rows_in(column_, lookups, 2)),
        rows_(lookups * sizeof(std::uint32_t)),
        found_(column_.space(), lookups),
        workload_(std::move(workload)) {}

  // Measures an index, checks its answers, records and prints.
  Costs run(const std::string& spec, const std::optional<Costs>& uniform) {
    Costs costs = measured(spec);
    report_.record(spec, "build", "build_ms", costs.build, 0, workload_);
    report_.record_number(spec, "resident", "bytes_per_key", costs.bytes_per_key, workload_);
    const std::uint64_t wrong = wrong_rows();
    report_.record(spec, "any, unsorted, all hit", "lookup_ms", costs.lookup, wrong, workload_);
    const double ratio = uniform ? costs.lookup.mean() / uniform->lookup.mean() : 1;
    report_.record_number(spec, "any, unsorted, all hit", "relative_to_uniform", ratio, workload_);
    fmt::print(
        "{:<23} {:<16} {:>8.3f} ms {:>6.2f}x   build {:>8.3f} ms {:>6.2f}x   {:>6.2f} bytes{}\n",
        workload_["distribution"].get<std::string>(), spec, costs.lookup.mean(), ratio,
        costs.build.mean(), uniform ? costs.build.mean() / uniform->build.mean() : 1,
        costs.bytes_per_key, wrong == 0 ? "" : "   WRONG");
    std::fflush(stdout);
    return costs;
  }

 private:
  [[nodiscard]] Costs measured(const std::string& spec) const {
    Costs costs;
    std::optional<Index> index;
    // The previous index is destroyed before the clock starts.
    costs.build = report_.time([&] { index.reset(); },
                               [&] { index.emplace(build(column_.keys.view(), spec)); });
    costs.bytes_per_key =
        static_cast<double>(index->memory_usage().resident) / static_cast<double>(column_.size());
    Outputs outputs;
    outputs.memory_space = MemorySpace::device;
    outputs.any = rows_.as<std::uint32_t>();
    costs.lookup = report_.time(
        rows_, [&] { index->answer_into(Query::equal(lookups_.lower.view()), {}, outputs); });
    return costs;
  }

  // 1 if a row found by the last run does not hold its key.
  [[nodiscard]] std::uint64_t wrong_rows() const {
    ExecutionSpace& space = column_.space();
    space.run(KeysOfRows{column_.keys.data(), column_.size(), rows_.as<std::uint32_t>(),
                         lookups_.expected.data(), found_.data()},
              lookups_.size());
    const std::size_t right =
        space.first_mismatch(found_.data(), lookups_.expected.data(), lookups_.size());
    return right == lookups_.size() ? 0 : 1;
  }

  GpuReport& report_;
  Column column_;
  Lookups lookups_;
  DeviceBuffer rows_;
  WorkloadArray<std::uint64_t> found_;  // the keys of these rows
  nlohmann::json workload_;
};

}  // namespace

void compare_distributions(GpuReport& report, const std::vector<std::string>& indexes, int key_bits,
                           int lookup_bits) {
  const std::unique_ptr<ExecutionSpace> space = device_space();
  for (const int bits : {64, 32}) {
    fmt::print("\ndistributions, 2^{} {}-bit keys, 2^{} lookups, any; x: of uniform keys\n",
               key_bits, bits, lookup_bits);
    std::map<std::string, Costs> uniform;
    const auto compare = [&](const std::string& name, KeyArray keys) {
      Column column;
      column.keys = std::move(keys);
      DistributionRun run(report, std::move(column), std::size_t{1} << lookup_bits,
                          {{"keys", fmt::format("{} {}-bit", name, bits)},
                           {"distribution", name},
                           {"keys_log2", key_bits},
                           {"lookups_log2", lookup_bits}});
      for (const std::string& spec : indexes) {
        const auto reference = uniform.find(spec);
        const Costs costs = run.run(
            spec, reference == uniform.end() ? std::nullopt : std::optional(reference->second));
        uniform.try_emplace(spec, costs);
      }
    };
    const std::size_t size = std::size_t{1} << key_bits;
    for (const Distribution distribution : distributions())
      compare(name_of(distribution), distributed_keys(*space, distribution, size, bits, 1));
    for (const Distribution distribution : {Distribution::uniform, Distribution::bursts}) {
      KeyArray keys = distributed_keys(*space, distribution, size, bits, 1);
      space->sorter(size, bits)->sort(keys.data(), size);
      compare(name_of(distribution) + " in order", std::move(keys));
    }
    compare("sequence in order", in_key_order(dense_column(*space, size, bits, 1)).keys);
  }
}

}  // namespace rtindex::bench
