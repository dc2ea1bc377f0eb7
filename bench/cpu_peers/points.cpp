#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "cpu_peers/cpu_peers.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

void points(PeerRecords& records, int keys_log2, int lookups_log2) {
  const KeyVector column = random_column(keys_log2);
  const Words values = values_for(column.size());
  const Index native = build(column, "rx:native");
  const Index hash = build(column, "hash");
  const Index btree = build(column, "btree");
  const Index sorted = build(column, "sorted");
  const SortedPeer lower_bound(column);
  const HashPeer absl_hash(column);
  const BtreePeer absl_btree(column);

  const auto compare = [&](const std::string& name, const KeyVector& keys) {
    const std::vector<Competitor> competitors = {
        {"std::lower_bound", [&](Sums& sums) { lower_bound.points(keys, values, sums); }},
        {"absl::flat_hash_map, one at a time",
         [&](Sums& sums) { absl_hash.points(keys, values, sums, false); }},
        {"absl::flat_hash_map, prefetch 16 ahead",
         [&](Sums& sums) { absl_hash.points(keys, values, sums, true); }},
        {"absl::btree_multimap", [&](Sums& sums) { absl_btree.points(keys, values, sums); }},
        points_of(sorted, keys, values),
        points_of(btree, keys, values),
        points_of(hash, keys, values),
        points_of(native, keys, values)};
    PeerRace(records).run(
        {fmt::format("points, {}, 2^{} random 64-bit keys, sum", name, keys_log2),
         {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}, {"lookup_kind", name}},
         keys.size()},
        competitors);
  };
  KeyVector keys = drawn_from<std::uint64_t>(column, std::size_t{1} << lookups_log2, 2);
  compare("unsorted, all hit", keys);
  std::sort(keys.begin(), keys.end());
  compare("sorted, all hit", keys);
  std::mt19937_64 random(3);
  for (std::uint64_t& key : keys) key = random();  // a hit has odds of 2^-40
  compare("unsorted, all miss", keys);
}

void cores(PeerRecords& records, int keys_log2, int lookups_log2) {
  const KeyVector column = random_column(keys_log2);
  const Words values = values_for(column.size());
  const KeyVector keys = drawn_from<std::uint64_t>(column, std::size_t{1} << lookups_log2, 2);
  const Index one = build(column, "rx:native,threads=1");
  const Index two = build(column, "rx:native,threads=2");
  PeerRace(records).run(
      {fmt::format("one core against two, points, unsorted, 2^{} random 64-bit keys, sum",
                   keys_log2),
       {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}},
       keys.size()},
      {points_of(one, keys, values), points_of(two, keys, values)});
}

}  // namespace rtindex::bench
