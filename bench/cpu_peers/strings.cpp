#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string_view>

#include "cpu_peers/cpu_peers.hpp"
#include "harness/timing.hpp"
#include "workload/string_columns.hpp"

namespace rtindex::bench {

namespace {

void report(PeerRecords& records, const nlohmann::json& workload, const std::string& name,
            const Times& build, const Times& lookup, std::size_t lookups, double bytes) {
  fmt::print("  {:44} {:9.1f} ns a lookup, build {:8.1f} ms{}\n", name,
             lookup.median() * 1e6 / static_cast<double>(lookups), build.median(),
             bytes == 0 ? "" : fmt::format(", {:6.1f} bytes a key", bytes));
  records.add(name, workload, "lookup_ms", lookup.median(), lookup.runs);
  records.add(name, workload, "build_ms", build.median(), build.runs);
  if (bytes != 0) records.add(name, workload, "bytes_per_key", bytes);
}

void strings_of(PeerRecords& records, const StringKind& kind, std::size_t size,
                std::size_t lookup_count) {
  const StringColumn column = string_column(kind, size, 1);
  const std::vector<std::uint32_t> wanted = random_rows(size, lookup_count, 2);
  StringColumn lookups;
  for (const std::uint32_t row : wanted) lookups.add(column[row]);

  const std::vector<std::string> specs = {"rx:native@cpu", "sorted@cpu", "hash@cpu"};
  std::vector<Index> indexes;
  std::vector<std::function<void()>> builds;
  std::vector<std::function<void()>> runs;
  std::vector<std::vector<std::uint32_t>> found(specs.size() + 1,
                                                std::vector<std::uint32_t>(lookup_count));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    indexes.push_back(build(column.view(), specs[i]));
    builds.emplace_back([&, i] { indexes[i] = build(column.view(), specs[i]); });
    runs.emplace_back([&, i] {
      indexes[i].answer_into(Query::equal(lookups.view()), {}, {.any = found[i].data()});
    });
  }
  absl::flat_hash_map<std::string_view, std::uint32_t> map;
  builds.emplace_back([&] {
    map.clear();
    map.reserve(size);
    for (std::size_t i = 0; i < size; ++i) map.emplace(column[i], static_cast<std::uint32_t>(i));
  });
  runs.emplace_back([&] {
    parallel_for(lookup_count, peer_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        const auto at = map.find(lookups[i]);
        found.back()[i] = at == map.end() ? miss_row : at->second;
      }
    });
  });

  const std::vector<Times> build_times = race(builds, 3);
  const std::vector<Times> lookup_times = race(runs, 9);
  const nlohmann::json workload = {
      {"question", "strings"}, {"keys", kind.name}, {"rows", size}, {"lookups", lookup_count}};
  fmt::print("2^{:.0f} {}, such as {}\n", std::log2(static_cast<double>(size)), kind.name,
             column[0]);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_peer = i == specs.size();
    const std::string name = is_peer ? "absl::flat_hash_map of string_views" : specs[i];
    if (found[i] != wanted) wrong_answers(name, kind.name);
    report(records, workload, name, build_times[i], lookup_times[i], lookup_count,
           is_peer ? 0
                   : static_cast<double>(indexes[i].memory_usage().resident) /
                         static_cast<double>(size));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

void strings(PeerRecords& records, int keys_log2, int lookups_log2) {
  for (const StringKind& kind : string_kinds())
    strings_of(records, kind, std::size_t{1} << keys_log2, std::size_t{1} << lookups_log2);
}

}  // namespace rtindex::bench
