#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "cpu_peers/questions.hpp"
#include "cpu_peers/race.hpp"
#include "workload/columns.hpp"

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

  const auto ask = [&](const std::string& name, const KeyVector& keys) {
    const std::vector<Contestant> contestants = {
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
        contestants);
  };
  KeyVector keys = drawn_from<std::uint64_t>(column, std::size_t{1} << lookups_log2, 2);
  ask("unsorted, all hit", keys);
  std::sort(keys.begin(), keys.end());
  ask("sorted, all hit", keys);
  std::mt19937_64 random(3);
  for (std::uint64_t& key : keys) key = random();  // a hit has odds of 2^-40
  ask("unsorted, all miss", keys);
}

}  // namespace rtindex::bench
