#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <random>

#include "cpu_peers/cpu_peers.hpp"
#include "harness/timing.hpp"
#include "workload/distributions.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

using Rows = std::vector<std::uint32_t>;

struct SortedColumn {
  std::string name;
  KeyVector keys;
};

// An index over the column with its rows in some order.
struct Arrangement {
  std::string name;
  KeyVector column;
};

SortedColumn sorted_column(Distribution distribution, int keys_log2) {
  KeyVector keys =
      distributed_keys(*host_space(), distribution, std::size_t{1} << keys_log2, 64, 1).to_host();
  std::sort(keys.begin(), keys.end());
  return {name_of(distribution), std::move(keys)};
}

SortedColumn sequence(int keys_log2) {
  KeyVector keys(std::size_t{1} << keys_log2);
  std::iota(keys.begin(), keys.end(), std::uint64_t{1} << 40);
  return {"sequence", std::move(keys)};
}

// In order; the same with the first row at the end, so that rowIDs are stored; shuffled.
std::vector<Arrangement> arrangements_of(const KeyVector& sorted) {
  KeyVector rotated = sorted;
  std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
  KeyVector shuffled = sorted;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(5));
  return {{"in order", sorted},
          {"one row elsewhere", std::move(rotated)},
          {"shuffled", std::move(shuffled)}};
}

void compare(PeerRecords& records, const SortedColumn& column, const std::string& spec,
             const std::vector<Arrangement>& arrangements, int keys_log2, int lookups_log2) {
  constexpr int build_rounds = 3;
  const KeyVector keys = drawn_from<std::uint64_t>(column.keys, std::size_t{1} << lookups_log2, 6);
  std::vector<std::optional<Index>> indexes(arrangements.size());
  std::vector<std::function<void()>> builds;
  for (std::size_t i = 0; i < arrangements.size(); ++i)
    builds.emplace_back([&, i] {
      indexes[i].reset();
      indexes[i].emplace(build(arrangements[i].column, spec));
    });
  const std::vector<Times> build_times = race(builds, build_rounds);

  const nlohmann::json workload = {{"question", "sorted columns"},
                                   {"keys", column.name},
                                   {"keys_log2", keys_log2},
                                   {"lookups", keys.size()},
                                   {"answer", "any"}};
  Rows rows(keys.size());
  std::vector<std::function<void()>> lookups;
  for (std::size_t i = 0; i < arrangements.size(); ++i) {
    const auto run = [&, i] {
      indexes[i]->answer_into(Query::equal(keys), {}, {.any = rows.data()});
    };
    run();
    for (std::size_t lookup = 0; lookup < rows.size(); ++lookup)
      if (rows[lookup] >= column.keys.size() ||
          arrangements[i].column[rows[lookup]] != keys[lookup])
        wrong_answers(spec, column.name);
    lookups.emplace_back(run);
  }
  const std::vector<Times> times = race(lookups);
  const double old_ms = times[1].median();
  const double shuffled_build_ms = build_times[2].median();
  for (std::size_t i = 0; i < arrangements.size(); ++i) {
    const double bytes = static_cast<double>(indexes[i]->memory_usage().resident) /
                         static_cast<double>(column.keys.size());
    const std::string name = fmt::format("{}, {}", spec, arrangements[i].name);
    fmt::print("  {:32} {:7.1f} Ml/s {:6.2f}x {:6.2f} bytes a key, built in {:6.0f} ms {:6.2f}x\n",
               name, static_cast<double>(keys.size()) / times[i].median() / 1e3,
               old_ms / times[i].median(), bytes, build_times[i].median(),
               shuffled_build_ms / build_times[i].median());
    records.add(name, workload, "lookup_ms", times[i].median(), times[i].runs);
    records.add(name, workload, "build_ms", build_times[i].median(), build_times[i].runs);
    records.add(name, workload, "bytes_per_key", bytes);
  }
  std::fflush(stdout);
}

}  // namespace

void sorted_columns(PeerRecords& records, int keys_log2, int lookups_log2) {
  fmt::print(
      "sorted columns, 2^{} 64-bit keys, any; lookups relative to one row elsewhere, builds to\n"
      "the shuffled column\n",
      keys_log2);
  for (const SortedColumn& column :
       {sorted_column(Distribution::uniform, keys_log2),
        sorted_column(Distribution::bursts, keys_log2),
        sorted_column(Distribution::gaps, keys_log2), sequence(keys_log2)}) {
    fmt::print("{}\n", column.name);
    const std::vector<Arrangement> arrangements = arrangements_of(column.keys);
    for (const char* const spec : {"rx:native", "sorted", "btree"})
      compare(records, column, spec, arrangements, keys_log2, lookups_log2);
  }
  fmt::print("\n");
}

}  // namespace rtindex::bench
