#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "harness/peer_records.hpp"
#include "harness/peers.hpp"

namespace rtindex::bench {

using KeyVector = std::vector<std::uint64_t>;
using Sums = std::vector<std::uint64_t>;

// One way to answer a batch: an index or a peer. All write their answers as 64-bit integers.
struct Contestant {
  std::string name;
  std::function<void(Sums&)> run;
};

struct Batch {
  std::string question;     // a headline
  nlohmann::json workload;  // of the records
  std::size_t lookups;
};

// Races contestants in turn, compares every answer with the first contestant's, prints a table with
// speeds relative to the first, and writes records. Ends the program where answers differ.
class PeerRace {
 public:
  explicit PeerRace(PeerRecords& records) : records_(&records) {}

  void run(const Batch& batch, const std::vector<Contestant>& contestants) const {
    static_cast<void>(medians(batch, contestants));
  }
  // The same, and the median milliseconds of each.
  [[nodiscard]] std::vector<double> medians(const Batch& batch,
                                            const std::vector<Contestant>& contestants) const;

 private:
  PeerRecords* records_;
};

// Prints what went wrong and ends the program: a wrong answer makes every time worthless.
[[noreturn]] void wrong_answers(const std::string& who, const std::string& question);

// What most questions are asked about.
[[nodiscard]] KeyVector random_column(int keys_log2);
[[nodiscard]] Words values_for(std::size_t size);

[[nodiscard]] Contestant points_of(const Index& index, const KeyVector& keys, const Words& values);

// Lower and upper ends of ranges.
struct Ranges {
  KeyVector lower, upper;

  // `lookups` ranges of `hits` hits each, anywhere in a sorted column without duplicates.
  static Ranges with_hits(const KeyVector& sorted_keys, std::size_t hits, std::size_t lookups);
};

[[nodiscard]] Contestant ranges_of(const Index& index, const Ranges& ranges, const Words& values);

}  // namespace rtindex::bench
