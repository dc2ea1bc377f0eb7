#include "workload/distributions.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cpu_peers/cpu_peers.hpp"
#include "cpu_peers/learned_peers.hpp"
#include "harness/timing.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

using Rows = std::vector<std::uint32_t>;

// One way to find a row of each key: an index or a peer.
struct RowFinder {
  std::string name;
  double bytes;  // in all; 0: unknown
  Times builds;  // none: unknown
  std::function<void(Rows&)> run;
};

// A column of one distribution, and everything that finds its keys.
class DistributedRace {
 public:
  DistributedRace(Distribution distribution, int keys_log2, int lookups_log2)
      : column_(distributed_keys(*host_space(), distribution, std::size_t{1} << keys_log2, 64, 1)
                    .to_host()),
        keys_(drawn_from<std::uint64_t>(column_, std::size_t{1} << lookups_log2, 6)) {
    for (const char* spec : {"rx:native", "sorted", "btree", "hash"}) add_index(spec);
    hash_ = std::make_unique<HashPeer>(column_);
    finders_.push_back({"absl::flat_hash_map, prefetch 16 ahead", 0, {}, [this](Rows& rows) {
                          hash_->rows(keys_, rows);
                        }});
#if defined(RTINDEX_HAS_PGM)
    add_learned(pgm_peer);
#endif
#if defined(RTINDEX_HAS_RADIXSPLINE)
    add_learned(radixspline_peer);
#endif
  }
  DistributedRace(const DistributedRace&) = delete;
  DistributedRace& operator=(const DistributedRace&) = delete;

  [[nodiscard]] const std::vector<RowFinder>& finders() const { return finders_; }
  [[nodiscard]] double size() const { return static_cast<double>(column_.size()); }
  [[nodiscard]] std::size_t lookups() const { return keys_.size(); }

  // Every row found must hold the key.
  void check(const std::string& distribution) const {
    for (const RowFinder& finder : finders_) {
      Rows rows(keys_.size());
      finder.run(rows);
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] >= column_.size() || column_[rows[i]] != keys_[i])
          wrong_answers(finder.name, distribution + ", any");
    }
  }

  // Adds a run of every finder.
  void add_runs(std::vector<std::function<void()>>& runs, Rows& rows) const {
    rows.resize(keys_.size());
    for (const RowFinder& finder : finders_) runs.emplace_back([&] { finder.run(rows); });
  }

 private:
  void add_index(const std::string& spec) {
    std::shared_ptr<Index> index;
    const Times builds =
        race({[&] { index = std::make_shared<Index>(build(column_, spec)); }}, build_rounds)[0];
    finders_.push_back({index->spec().text(), static_cast<double>(index->memory_usage().resident),
                        builds, [this, index](Rows& rows) {
                          index->answer_into(Query::equal(keys_), {}, {.any = rows.data()});
                        }});
  }

  template <class MakePeer>
  void add_learned(const MakePeer& make) {
    if (!sorted_) sorted_ = std::make_unique<SortedPeer>(column_);
    std::shared_ptr<LearnedPeer> peer = make(sorted_->sorted_rows());
    constexpr std::size_t row_bytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);
    finders_.push_back({peer->name(),
                        static_cast<double>(peer->bytes()) + size() * row_bytes,
                        {},
                        [this, peer](Rows& rows) {
                          parallel_for(keys_.size(), peer_grain,
                                       [&](std::size_t first, std::size_t count) {
                                         peer->find(&keys_[first], count, &rows[first]);
                                       });
                        }});
  }

  static constexpr int build_rounds = 3;

  KeyVector column_, keys_;
  std::unique_ptr<HashPeer> hash_;
  std::unique_ptr<SortedPeer> sorted_;  // for learned peers
  std::vector<RowFinder> finders_;
};

void report(PeerRecords& records, const DistributedRace& raced, const RowFinder& finder,
            const Times& times, double share, const nlohmann::json& workload) {
  fmt::print("  {:50} {:7.1f} Ml/s {:6.2f}x", finder.name,
             static_cast<double>(raced.lookups()) / times.median() / 1e3, share);
  records.add(finder.name, workload, "lookup_ms", times.median(), times.runs);
  records.add(finder.name, workload, "share_of_uniform", share);
  if (finder.bytes != 0) {
    fmt::print(" {:6.2f} bytes a key", finder.bytes / raced.size());
    records.add(finder.name, workload, "bytes_per_key", finder.bytes / raced.size());
  }
  if (!finder.builds.runs.empty()) {
    fmt::print(", built in {:.0f} ms", finder.builds.median());
    records.add(finder.name, workload, "build_ms", finder.builds.median(), finder.builds.runs);
  }
  fmt::print("\n");
}

}  // namespace

void skewed_columns(PeerRecords& records, int keys_log2, int lookups_log2) {
#if !defined(RTINDEX_HAS_PGM) || !defined(RTINDEX_HAS_RADIXSPLINE)
  fmt::print(
      "to race PGM-index and RadixSpline, configure with -DRTINDEX_PGM_DIR=<sources> and\n"
      "-DRTINDEX_RADIXSPLINE_DIR=<sources>\n");
#endif
  fmt::print(
      "distributions, 2^{} 64-bit keys, any; speed as a share of the same with uniform keys\n",
      keys_log2);
  const DistributedRace uniform(Distribution::uniform, keys_log2, lookups_log2);
  for (const Distribution distribution : distributions()) {
    // The uniform column takes part in every race, because the speed of a machine changes.
    const DistributedRace other(distribution, keys_log2, lookups_log2);
    other.check(name_of(distribution));
    Rows rows;
    std::vector<std::function<void()>> runs;
    uniform.add_runs(runs, rows);
    other.add_runs(runs, rows);
    const std::vector<Times> times = race(runs);
    const std::size_t count = other.finders().size();
    fmt::print("{}\n", name_of(distribution));
    for (std::size_t i = 0; i < count; ++i)
      report(records, other, other.finders()[i], times[count + i],
             times[i].median() / times[count + i].median(),
             {{"question", "distributions"},
              {"keys", name_of(distribution)},
              {"keys_log2", keys_log2},
              {"lookups", other.lookups()},
              {"answer", "any"}});
    std::fflush(stdout);
  }
  fmt::print("\n");
}

}  // namespace rtindex::bench
