#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <cstdio>

#include "cpu_peers/cpu_peers.hpp"
#include "harness/timing.hpp"
#include "order/pairs.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

template <class Key>
void build_keys(PeerRecords& records, int keys_log2) {
  const auto column = uniform_distinct<Key>(std::size_t{1} << keys_log2, 1);
  std::vector<Pair<Key>, PagedAllocator<Pair<Key>>> pairs(column.size());
  std::vector<std::function<void()>> runs = {[&] {
    parallel_for(column.size(), peer_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        pairs[i] = {column[i], static_cast<std::uint32_t>(i)};
    });
    tbb::parallel_sort(pairs.begin(), pairs.end(), [](const Pair<Key>& a, const Pair<Key>& b) {
      return Key{a.key} < Key{b.key};
    });
  }};
  const std::vector<std::string> specs = {"rx:native", "sorted", "btree", "hash"};
  std::vector<double> bytes(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i)
    runs.emplace_back([&, i] {
      bytes[i] = static_cast<double>(build(column, specs[i]).memory_usage().resident) /
                 static_cast<double>(column.size());
    });
  const std::vector<Times> times = race(runs);

  const nlohmann::json workload = {{"keys_log2", keys_log2},
                                   {"keys", fmt::format("uniform uint{}", sizeof(Key) * 8)}};
  fmt::print("build, 2^{} random {}-bit keys\n", keys_log2, sizeof(Key) * 8);
  fmt::print("  {:44} {:9.1f} ms\n", "tbb::parallel_sort of the pairs", times[0].median());
  records.add("tbb::parallel_sort", workload, "build_ms", times[0].median(), times[0].runs);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Times& time = times[i + 1];
    fmt::print("  {:44} {:9.1f} ms {:8.2f}x of the sort, {:.2f} bytes a key\n", specs[i],
               time.median(), time.median() / times[0].median(), bytes[i]);
    records.add(specs[i], workload, "build_ms", time.median(), time.runs);
    records.add(specs[i], workload, "bytes_per_key", bytes[i]);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

void build_cost(PeerRecords& records, int keys_log2, int) {
  build_keys<std::uint64_t>(records, keys_log2);
  build_keys<std::uint32_t>(records, keys_log2);
}

}  // namespace rtindex::bench
