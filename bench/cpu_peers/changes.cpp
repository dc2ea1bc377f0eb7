#include <absl/container/btree_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "cpu_peers/cpu_peers.hpp"
#include "cpu_peers/insert_peers.hpp"
#include "harness/timing.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

constexpr int rounds = 3;

class BtreeMapPeer : public InsertPeer {
 public:
  void load(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) map_.emplace_hint(map_.end(), keys[i], rows[i]);
  }
  void insert(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) map_.emplace(keys[i], rows[i]);
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t key) override {
    const auto found = map_.find(key);
    return found == map_.end() ? no_such_row : found->second;
  }

 private:
  absl::btree_map<std::uint64_t, std::uint32_t> map_;
};

// Keys by row: the first `old` are built, the others are inserted in this order.
struct Inserts {
  KeyVector keys;
  std::size_t old;

  [[nodiscard]] std::size_t count() const { return keys.size() - old; }
};

// Rows whose keys are looked up afterwards.
std::vector<std::uint32_t> rows_to_check(const Inserts& inserts, std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random() % inserts.keys.size());
  return rows;
}

// A peer for each core, each with an equal shard of the key space, since none of them may be
// changed by two threads at once.
class PeerPerCore {
 public:
  using Make = std::unique_ptr<InsertPeer> (*)();

  PeerPerCore(std::string name, Make make, const Inserts& inserts)
      : name_(std::move(name)), make_(make) {
    std::vector<std::uint32_t> rows(inserts.keys.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(inserts.old),
              [&](std::uint32_t a, std::uint32_t b) { return inserts.keys[a] < inserts.keys[b]; });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t key = inserts.keys[rows[i]];
      Shard& shard = shards_[shard_of(key)];
      Pairs& pairs = i < inserts.old ? shard.old : shard.added;
      pairs.keys.push_back(key);
      pairs.rows.push_back(rows[i]);
    }
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  // Milliseconds to insert all keys, one at a time on every core.
  double run() {
    on_all_cores([&](Shard& shard) {
      shard.peer = make_();
      shard.peer->load(shard.old.keys.data(), shard.old.rows.data(), shard.old.keys.size());
    });
    return milliseconds([&] {
      on_all_cores([](Shard& shard) {
        shard.peer->insert(shard.added.keys.data(), shard.added.rows.data(),
                           shard.added.keys.size());
      });
    });
  }
  void check(const Inserts& inserts, std::size_t lookups) {
    for (const std::uint32_t row : rows_to_check(inserts, lookups)) {
      const std::uint64_t key = inserts.keys[row];
      if (shards_[shard_of(key)].peer->find(key) != row) wrong_answers(name_, "inserts");
    }
  }

 private:
  struct Pairs {
    KeyVector keys;
    std::vector<std::uint32_t> rows;
  };
  struct Shard {
    Pairs old, added;
    std::unique_ptr<InsertPeer> peer;
  };

  [[nodiscard]] std::size_t shard_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key >> 32) * shards_.size() >> 32);
  }
  template <class Work>
  void on_all_cores(const Work& work) {
    std::vector<std::thread> threads;
    threads.reserve(shards_.size());
    for (Shard& shard : shards_) threads.emplace_back([&] { work(shard); });
    for (std::thread& thread : threads) thread.join();
  }

  std::string name_;
  Make make_;
  std::vector<Shard> shards_ =
      std::vector<Shard>(std::max<std::size_t>(1, std::thread::hardware_concurrency()));
};

std::vector<PeerPerCore> peers_for(const Inserts& inserts) {
  std::vector<PeerPerCore> peers;
  peers.emplace_back("absl::btree_map", btree_map_peer, inserts);
#if defined(RTINDEX_HAS_ALEX)
  peers.emplace_back("ALEX", alex_peer, inserts);
#else
  fmt::print("ALEX is not built in: configure with -DRTINDEX_ALEX_DIR=<its sources>\n");
#endif
  return peers;
}

// Builds an index, inserts all keys in batches, and returns the milliseconds of the inserts.
double insert_all(const Inserts& inserts, std::size_t batch, const Spec& spec,
                  std::optional<Index>& index) {
  const std::span<const std::uint64_t> keys(inserts.keys);
  index.reset();
  index.emplace(build(keys.first(inserts.old), spec));
  return milliseconds([&] {
    for (std::size_t first = inserts.old; first < keys.size(); first += batch)
      index->insert(keys.subspan(first, std::min(batch, keys.size() - first)));
  });
}

void check_rows(const Index& index, const Inserts& inserts, std::size_t lookups) {
  const std::vector<std::uint32_t> rows = rows_to_check(inserts, lookups);
  KeyVector keys;
  for (const std::uint32_t row : rows) keys.push_back(inserts.keys[row]);
  std::vector<std::uint32_t> found(rows.size());
  index.answer_into(Query::equal(keys), {}, {.any = found.data()});
  if (found != rows) wrong_answers(index.spec().text(), "inserts");
}

// Prints and records the time of all inserts; returns it.
double report(PeerRecords& records, const std::string& name, const Inserts& inserts,
              nlohmann::json workload, const Times& times, std::optional<double> peer_ms) {
  const double ms = times.median();
  const double rate = static_cast<double>(inserts.count()) / ms / 1e3;
  fmt::print("  {:44} {:9.2f} Mkeys/s", name, rate);
  workload["inserts"] = inserts.count();
  records.add(name, workload, "insert_ms", ms, times.runs);
  records.add(name, workload, "mkeys_per_s", rate);
  if (peer_ms) {
    fmt::print(" {:8.2f}x of the fastest peer", *peer_ms / ms);
    records.add(name, workload, "times_fastest_peer", *peer_ms / ms);
  }
  fmt::print("\n");
  std::fflush(stdout);
  return ms;
}

}  // namespace

std::unique_ptr<InsertPeer> btree_map_peer() { return std::make_unique<BtreeMapPeer>(); }

void changes(PeerRecords& records, int keys_log2, int lookups_log2) {
  const std::size_t old = std::size_t{1} << keys_log2;
  // Enough for several merges of small batches into the main structure.
  const std::size_t added = std::min(std::size_t{1} << 22, old / 2);
  const Inserts inserts{uniform_distinct<std::uint64_t>(old + added, 1), old};
  const std::size_t lookups = std::size_t{1} << lookups_log2;
  const nlohmann::json workload = {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}};

  fmt::print("inserts into 2^{} random 64-bit keys, merges included\n", keys_log2);
  std::optional<double> fastest;
  for (PeerPerCore& peer : peers_for(inserts)) {
    Times times;
    for (int round = 0; round < rounds; ++round) times.runs.push_back(peer.run());
    peer.check(inserts, lookups);
    nlohmann::json about = workload;
    about["question"] = "inserts, one at a time on every core";
    const double ms = report(records, peer.name(), inserts, about, times, {});
    fastest = fastest ? std::min(*fastest, ms) : ms;
  }
  for (const int batch_log2 : {10, 16, 20}) {
    fmt::print(" in batches of 2^{}\n", batch_log2);
    for (const char* spec : {"rx:native", "sorted", "btree"}) {
      std::optional<Index> index;
      Times times;
      for (int round = 0; round < rounds; ++round)
        times.runs.push_back(insert_all(inserts, std::size_t{1} << batch_log2, spec, index));
      check_rows(*index, inserts, lookups);
      nlohmann::json about = workload;
      about["question"] = fmt::format("inserts in batches of 2^{}", batch_log2);
      about["batch"] = std::size_t{1} << batch_log2;
      static_cast<void>(report(records, index->spec().text(), inserts, about, times, fastest));
    }
  }
  fmt::print("\n");
}

}  // namespace rtindex::bench
