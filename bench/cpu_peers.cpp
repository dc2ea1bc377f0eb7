// How does rtindex on the CPU compare with what a C++ programmer would use?
//
// Every contestant of a question runs in one process, in turn, on all cores, with the same page
// policy; every answer of every run is compared with the first contestant's.

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "harness/peers.hpp"
#include "harness/records.hpp"
#include "harness/timing.hpp"
#include "storage/pairs.hpp"
#include "workload/columns.hpp"

namespace {

using namespace rtindex;
using namespace rtindex::bench;

using Sums = std::vector<std::uint64_t>;

struct Contestant {
  std::string name;
  std::function<void(Sums&)> run;
};

class Bench {
 public:
  explicit Bench(const std::string& records, const std::string& command)
      : records_(records, command) {}

  // Races the contestants on one workload; times relative to the first one.
  std::vector<double> race(const std::string& question, const nlohmann::json& workload,
                           std::size_t lookups, const std::vector<Contestant>& contestants) {
    std::vector<Sums> sums(contestants.size(), Sums(lookups));
    std::vector<std::function<void()>> runs;
    for (std::size_t i = 0; i < contestants.size(); ++i)
      runs.emplace_back([&, i] { contestants[i].run(sums[i]); });
    const std::vector<Times> times = bench::race(runs);
    fmt::print("{}\n", question);
    std::vector<double> medians;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (sums[i] != sums[0]) {
        fmt::print(stderr, "{}: wrong answers\n", contestants[i].name);
        std::exit(1);
      }
      const double median = times[i].median();
      medians.push_back(median);
      fmt::print("  {:44} {:9.2f} Ml/s {:8.2f}x\n", contestants[i].name,
                 static_cast<double>(lookups) / median / 1e3, medians[0] / median);
      nlohmann::json full = workload;
      full["question"] = question;
      full["lookups"] = lookups;
      note(contestants[i].name, full, "lookup_ms", median, times[i].runs);
    }
    fmt::print("\n");
    std::fflush(stdout);
    return medians;
  }

  void note(const std::string& index, const nlohmann::json& workload, const std::string& metric,
            double value, const std::vector<double>& runs = {}) {
    records_.add({.experiment = "cpu-peers",
                  .index = index,
                  .metric = metric,
                  .value = value,
                  .runs = runs,
                  .workload = workload});
  }

 private:
  Records records_;
};

Contestant points_of(const Index& index, const std::vector<std::uint64_t>& keys,
                     const Words& values) {
  return {index.spec().text(),
          [&](Sums& sums) { index.lookup_into(keys, {.values = values}, {.sum = sums.data()}); }};
}

Contestant ranges_of(const Index& index, const std::vector<std::uint64_t>& lower,
                     const std::vector<std::uint64_t>& upper, const Words& values) {
  return {index.spec().text(), [&](Sums& sums) {
            index.range_into(lower, upper, {.values = values}, {.sum = sums.data()});
          }};
}

Words make_values(std::size_t size) {
  Words values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] = static_cast<std::uint32_t>(i * 2654435761U) >> 4;
  return values;
}

void points(Bench& bench, int keys_log2, std::size_t lookups) {
  const auto column = uniform_distinct<std::uint64_t>(std::size_t{1} << keys_log2, 1);
  const Words values = make_values(column.size());
  const Index native = build(column, "rx:native");
  const Index hash = build(column, "hash");
  const Index btree = build(column, "btree");
  const Index sorted = build(column, "sorted");
  const SortedPeer lower_bound(column);
  const HashPeer absl_hash(column);
  const BtreePeer absl_btree(column);
  const nlohmann::json workload = {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}};

  const auto race = [&](const std::string& name, const std::vector<std::uint64_t>& keys) {
    bench.race(
        fmt::format("points, {}, 2^{} random 64-bit keys, sum", name, keys_log2), workload,
        keys.size(),
        {{"std::lower_bound", [&](Sums& sums) { lower_bound.points(keys, values, sums); }},
         {"absl::flat_hash_map, one at a time",
          [&](Sums& sums) { absl_hash.points(keys, values, sums, false); }},
         {"absl::flat_hash_map, prefetch 16 ahead",
          [&](Sums& sums) { absl_hash.points(keys, values, sums, true); }},
         {"absl::btree_multimap", [&](Sums& sums) { absl_btree.points(keys, values, sums); }},
         points_of(sorted, keys, values),
         points_of(btree, keys, values),
         points_of(hash, keys, values),
         points_of(native, keys, values)});
  };
  std::vector<std::uint64_t> keys = drawn_from<std::uint64_t>(column, lookups, 2);
  race("unsorted, all hit", keys);
  std::sort(keys.begin(), keys.end());
  race("sorted, all hit", keys);
  std::mt19937_64 random(3);
  for (std::uint64_t& key : keys) key = random();  // a hit has odds of 2^-40
  race("unsorted, all miss", keys);
}

// Lower and upper ends of ranges with a given number of hits.
struct Ranges {
  std::vector<std::uint64_t> lower, upper;

  Ranges(std::vector<std::uint64_t> sorted_keys, std::size_t hits, std::size_t lookups) {
    std::mt19937_64 random(4);
    for (std::size_t i = 0; i < lookups; ++i) {
      const std::size_t first = random() % (sorted_keys.size() - hits + 1);
      lower.push_back(sorted_keys[first]);
      upper.push_back(sorted_keys[first + hits - 1]);
    }
  }
};

void ranges(Bench& bench, int keys_log2) {
  const auto column = uniform_distinct<std::uint64_t>(std::size_t{1} << keys_log2, 1);
  auto sorted_keys = column;
  std::sort(sorted_keys.begin(), sorted_keys.end());
  const Words values = make_values(column.size());
  const Index native = build(column, "rx:native");
  const Index btree = build(column, "btree");
  const Index sorted = build(column, "sorted");
  const SortedPeer lower_bound(column);
  const BtreePeer absl_btree(column);
  for (const std::size_t hits : {1, 16, 256}) {
    const Ranges lookups(sorted_keys, hits, (std::size_t{1} << 22) / hits);
    bench.race(
        fmt::format("ranges of {} hits, 2^{} random 64-bit keys, sum", hits, keys_log2),
        {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}, {"hits", hits}},
        lookups.lower.size(),
        {{"std::lower_bound and scan",
          [&](Sums& sums) { lower_bound.ranges(lookups.lower, lookups.upper, values, sums); }},
         {"absl::btree_multimap",
          [&](Sums& sums) { absl_btree.ranges(lookups.lower, lookups.upper, values, sums); }},
         ranges_of(sorted, lookups.lower, lookups.upper, values),
         ranges_of(btree, lookups.lower, lookups.upper, values),
         ranges_of(native, lookups.lower, lookups.upper, values)});
  }
  for (const std::size_t hits : {1, 256, 65536}) {
    const Ranges lookups(sorted_keys, hits, std::size_t{1} << 20);
    std::vector<std::uint32_t> counts(lookups.lower.size());
    bench.race(fmt::format("ranges of {} hits, 2^{} random 64-bit keys, count", hits, keys_log2),
               {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}, {"hits", hits}},
               lookups.lower.size(),
               {{"std::lower_bound and upper_bound",
                 [&](Sums& sums) {
                   lower_bound.counts(lookups.lower, lookups.upper, counts);
                   std::copy(counts.begin(), counts.end(), sums.begin());
                 }},
                {native.spec().text(), [&](Sums& sums) {
                   native.range_into(lookups.lower, lookups.upper, {}, {.count = counts.data()});
                   std::copy(counts.begin(), counts.end(), sums.begin());
                 }}});
  }
}

void hostile(Bench& bench, int keys_log2, std::size_t lookups) {
  const std::size_t size = std::size_t{1} << keys_log2;
  const Words values = make_values(size);
  const auto uniform = uniform_distinct<std::uint64_t>(size, 1);
  const auto crowded = clustered(size, 0.9, 0.01, 5);
  const std::vector<std::uint64_t> equal(size, 42);
  const Index uniform_index = build(uniform, "rx:native");
  const Index crowded_index = build(crowded, "rx:native");
  const Index equal_index = build(equal, "rx:native");
  const nlohmann::json workload = {{"keys_log2", keys_log2}};
  const auto keys = drawn_from<std::uint64_t>(uniform, lookups, 6);
  const auto race = [&](const std::string& question, const Index& index,
                        const std::vector<std::uint64_t>& other) {
    // Answers differ by design: each contestant is checked by the tests, here only times count.
    Sums sums(lookups);
    std::vector<std::uint32_t> rows(lookups);
    const auto times =
        bench::race({[&] { uniform_index.lookup_into(keys, {}, {.any = rows.data()}); },
                     [&] { index.lookup_into(other, {}, {.any = rows.data()}); },
                     [&] { index.lookup_into(other, {}, {.count = rows.data()}); }});
    fmt::print("{:40} {:8.2f} Ml/s any {:6.2f}x of uniform, count {:6.2f}x\n", question,
               static_cast<double>(lookups) / times[1].median() / 1e3,
               times[0].median() / times[1].median(), times[0].median() / times[2].median());
    bench.note(index.spec().text(), {{"question", question}, {"keys_log2", keys_log2}},
               "share_of_uniform", times[0].median() / times[1].median());
    std::fflush(stdout);
  };
  race("uniform keys", uniform_index, keys);
  race("clustered keys (90% in 1%)", crowded_index, drawn_from<std::uint64_t>(crowded, lookups, 7));
  for (const double exponent : {0.5, 1.0, 1.5, 2.0})
    race(fmt::format("Zipf {} lookups", exponent), uniform_index,
         zipf_from<std::uint64_t>(uniform, lookups, exponent, 8));
  race("all keys equal", equal_index, drawn_from<std::uint64_t>(equal, lookups, 9));
  fmt::print("\n");
}

template <class Key>
void build_and_memory(Bench& bench, int keys_log2) {
  const auto column = uniform_distinct<Key>(std::size_t{1} << keys_log2, 1);
  std::vector<Pair<Key>, PagedAllocator<Pair<Key>>> pairs(column.size());
  std::vector<double> bytes;
  fmt::print("build, 2^{} random {}-bit keys\n", keys_log2, sizeof(Key) * 8);
  std::vector<std::function<void()>> runs = {[&] {
    for (std::size_t i = 0; i < column.size(); ++i)
      pairs[i] = {column[i], static_cast<std::uint32_t>(i)};
    tbb::parallel_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      const Key a_key = a.key;
      const Key b_key = b.key;
      return a_key < b_key;
    });
  }};
  const std::vector<std::string> specs = {"rx:native", "sorted", "btree", "hash"};
  std::vector<double> per_key(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i)
    runs.emplace_back([&, i] {
      per_key[i] = static_cast<double>(build(column, specs[i]).bytes().resident) /
                   static_cast<double>(column.size());
    });
  const auto times = bench::race(runs, 3);
  const nlohmann::json workload = {{"keys_log2", keys_log2}, {"key_bits", sizeof(Key) * 8}};
  fmt::print("  {:44} {:9.1f} ms\n", "tbb::parallel_sort of the pairs", times[0].median());
  bench.note("tbb::parallel_sort", workload, "build_ms", times[0].median(), times[0].runs);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    fmt::print("  {:44} {:9.1f} ms {:8.2f}x of the sort, {:.2f} bytes a key\n", specs[i],
               times[i + 1].median(), times[i + 1].median() / times[0].median(), per_key[i]);
    bench.note(specs[i], workload, "build_ms", times[i + 1].median(), times[i + 1].runs);
    bench.note(specs[i], workload, "bytes_per_key", per_key[i]);
  }
  fmt::print("\n");
}

void scaling(Bench& bench, int keys_log2, std::size_t lookups) {
  const auto column = uniform_distinct<std::uint64_t>(std::size_t{1} << keys_log2, 1);
  const Words values = make_values(column.size());
  const auto keys = drawn_from<std::uint64_t>(column, lookups, 2);
  const Index one = build(column, "rx:native,threads=1");
  const Index two = build(column, "rx:native,threads=2");
  bench.race("one core against two, points, unsorted, sum", {{"keys_log2", keys_log2}}, lookups,
             {points_of(one, keys, values), points_of(two, keys, values)});
}

}  // namespace

int main(int argc, char** argv) {
  std::string records;
  int from = 20;
  int to = 24;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--records") records = argv[i + 1];
    if (name == "--from") from = std::atoi(argv[i + 1]);
    if (name == "--to") to = std::atoi(argv[i + 1]);
  }
  const std::size_t lookups = std::size_t{1} << 22;
  Bench bench(records, fmt::format("bench_cpu_peers --from {} --to {}", from, to));
  for (int keys_log2 = from; keys_log2 <= to; keys_log2 += 2) points(bench, keys_log2, lookups);
  ranges(bench, to);
  hostile(bench, to, lookups);
  build_and_memory<std::uint64_t>(bench, to);
  build_and_memory<std::uint32_t>(bench, to);
  scaling(bench, to, lookups);
}
