#pragma once

#include "harness/peer_records.hpp"

namespace rtindex::bench {

// The questions of bench_cpu_peers, each in the file of its name, over 2^keys_log2 keys.

// Points against binary search and Abseil's containers: hits, sorted hits, misses.
void points(PeerRecords& records, int keys_log2, int lookups_log2);
// Range sums and counts against binary search with a scan, and Abseil's B-tree.
void ranges(PeerRecords& records, int keys_log2, int lookups_log2);
// Range sums over 2^16 hits from included values.
void included(PeerRecords& records, int keys_log2, int lookups_log2);
// What clustered keys, equal keys and skewed lookups cost, as a share of the uniform case.
void skew(PeerRecords& records, int keys_log2, int lookups_log2);
// Build against a parallel sort of the same pairs, and bytes a key.
void build_cost(PeerRecords& records, int keys_log2, int lookups_log2);
// One core against two.
void cores(PeerRecords& records, int keys_log2, int lookups_log2);

}  // namespace rtindex::bench
