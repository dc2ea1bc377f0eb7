#include <fmt/format.h>

#include <algorithm>

#include "cpu_peers/cpu_peers.hpp"

namespace rtindex::bench {

namespace {

void sums(PeerRecords& records, int keys_log2, int lookups_log2, const KeyVector& column,
          const KeyVector& sorted_keys) {
  const Words values = values_for(column.size());
  const Index native = build(column, "rx:native");
  const Index btree = build(column, "btree");
  const Index sorted = build(column, "sorted");
  const SortedPeer lower_bound(column);
  const BtreePeer absl_btree(column);
  for (const std::size_t hits : {1, 16, 256}) {
    // As many hits in all for every width, so that each question takes about as long.
    const Ranges lookups =
        Ranges::with_hits(sorted_keys, hits, (std::size_t{1} << lookups_log2) / hits);
    PeerRace(records).run(
        {fmt::format("ranges of {} hits, 2^{} random 64-bit keys, sum", hits, keys_log2),
         {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}, {"hits", hits}, {"answer", "sum"}},
         lookups.lower.size()},
        {{"std::lower_bound and scan",
          [&](Sums& sums) { lower_bound.ranges(lookups.lower, lookups.upper, values, sums); }},
         {"absl::btree_multimap",
          [&](Sums& sums) { absl_btree.ranges(lookups.lower, lookups.upper, values, sums); }},
         ranges_of(sorted, lookups, values),
         ranges_of(btree, lookups, values),
         ranges_of(native, lookups, values)});
  }
}

// Two searches for any number of hits: the times of 2^4 and 2^16 hits should be equal.
void counts(PeerRecords& records, int keys_log2, int lookups_log2, const KeyVector& column,
            const KeyVector& sorted_keys) {
  const Index native = build(column, "rx:native");
  const SortedPeer lower_bound(column);
  std::vector<double> native_ms;
  for (const std::size_t hits : {16, 256, 4096, 65536}) {
    if (hits > column.size()) break;
    const Ranges lookups = Ranges::with_hits(sorted_keys, hits, std::size_t{1} << lookups_log2);
    std::vector<std::uint32_t> counts(lookups.lower.size());
    const auto with_counts = [&](auto&& count) {
      return [&, count](Sums& answers) {
        count();
        std::copy(counts.begin(), counts.end(), answers.begin());
      };
    };
    const std::vector<double> medians = PeerRace(records).medians(
        {fmt::format("ranges of {} hits, 2^{} random 64-bit keys, count", hits, keys_log2),
         {{"keys_log2", keys_log2},
          {"keys", "uniform uint64"},
          {"hits", hits},
          {"answer", "count"}},
         lookups.lower.size()},
        {{"std::lower_bound and upper_bound",
          with_counts([&] { lower_bound.counts(lookups.lower, lookups.upper, counts); })},
         {native.spec().text(), with_counts([&] {
            native.answer_into(Query::range(lookups.lower, lookups.upper), {},
                               {.count = counts.data()});
          })}});
    native_ms.push_back(medians[1]);
  }
  const double ratio = native_ms.back() / native_ms.front();
  fmt::print("counting the most hits took {:.2f}x of counting the fewest\n\n", ratio);
  records.add(native.spec().text(), {{"keys_log2", keys_log2}, {"answer", "count"}},
              "most_hits_to_fewest", ratio);
}

}  // namespace

void ranges(PeerRecords& records, int keys_log2, int lookups_log2) {
  const KeyVector column = random_column(keys_log2);
  KeyVector sorted_keys = column;
  std::sort(sorted_keys.begin(), sorted_keys.end());
  sums(records, keys_log2, lookups_log2, column, sorted_keys);
  counts(records, keys_log2, lookups_log2 - 2, column, sorted_keys);
}

}  // namespace rtindex::bench
