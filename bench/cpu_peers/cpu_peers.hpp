#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "cpu_peers/peers.hpp"
#include "harness/records.hpp"

namespace rtindex::bench {

// The questions of bench_cpu_peers, over 2^keys_log2 keys.

// Points against binary search and Abseil's containers: hits, sorted hits, misses.
void points(PeerRecords& records, int keys_log2, int lookups_log2);
// Range sums and counts against binary search with a scan, and Abseil's B-tree.
void ranges(PeerRecords& records, int keys_log2, int lookups_log2);
// Range sums over 2^16 hits from included values.
void included(PeerRecords& records, int keys_log2, int lookups_log2);
// Clustered keys, equal keys and skewed lookups, as a share of the uniform case; then skewed
// columns.
void skew(PeerRecords& records, int keys_log2, int lookups_log2);
// Keys distributed as in real columns, against Abseil's hash map and learned indexes.
void skewed_columns(PeerRecords& records, int keys_log2, int lookups_log2);
// Build against a parallel sort of the same pairs, and bytes a key.
void build_cost(PeerRecords& records, int keys_log2, int lookups_log2);
// Columns that are sorted already: bytes a key, build and points against the same keys in other
// orders.
void sorted_columns(PeerRecords& records, int keys_log2, int lookups_log2);
// Points on one core and on two.
void cores(PeerRecords& records, int keys_log2, int lookups_log2);
// Inserts in batches against Abseil's B-tree and ALEX, which insert keys one at a time.
void changes(PeerRecords& records, int keys_log2, int lookups_log2);
// Points on columns of strings against Abseil's hash table.
void strings(PeerRecords& records, int keys_log2, int lookups_log2);

using KeyVector = std::vector<std::uint64_t>;
using Sums = std::vector<std::uint64_t>;

// One way to answer a batch: an index or a peer. All write their answers as 64-bit integers.
struct Competitor {
  std::string name;
  std::function<void(Sums&)> run;
};

struct Batch {
  std::string question;     // a headline
  nlohmann::json workload;  // of the records
  std::size_t lookups;
};

// Times competitors in turn, compares every answer with the first competitor's, prints a table with
// speeds relative to the first, and writes records. Ends the program if answers differ.
class PeerRace {
 public:
  explicit PeerRace(PeerRecords& records) : records_(&records) {}

  void run(const Batch& batch, const std::vector<Competitor>& competitors) const {
    static_cast<void>(medians(batch, competitors));
  }
  // race(), and the median milliseconds of each.
  [[nodiscard]] std::vector<double> medians(const Batch& batch,
                                            const std::vector<Competitor>& competitors) const;

 private:
  PeerRecords* records_;
};

// Reports wrong answers and ends the program.
[[noreturn]] void wrong_answers(const std::string& who, const std::string& question);

// The column of most questions.
[[nodiscard]] KeyVector random_column(int keys_log2);
[[nodiscard]] Words values_for(std::size_t size);

[[nodiscard]] Competitor points_of(const Index& index, const KeyVector& keys, const Words& values);

// Lower and upper ends of ranges.
struct Ranges {
  KeyVector lower, upper;

  // `lookups` ranges of `hits` hits each, anywhere in a sorted column without duplicates.
  static Ranges with_hits(const KeyVector& sorted_keys, std::size_t hits, std::size_t lookups);
};

[[nodiscard]] Competitor ranges_of(const Index& index, const Ranges& ranges, const Words& values);

}  // namespace rtindex::bench
