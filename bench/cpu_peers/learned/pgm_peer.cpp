// PGM-index (Ferragina and Vinciguerra, PVLDB 2020), as its authors publish it:
// github.com/gvinciguerra/PGM-index.

#include "cpu_peers/learned_peers.hpp"
#include "pgm/pgm_index.hpp"

namespace rtindex::bench {

namespace {

class PgmPeer : public LearnedPeer {
 public:
  explicit PgmPeer(const SortedRows& sorted)
      : sorted_(sorted), model_(sorted.keys, sorted.keys + sorted.size) {}

  [[nodiscard]] std::string name() const override { return "PGM-index, epsilon 32"; }
  [[nodiscard]] std::size_t bytes() const override { return model_.size_in_bytes(); }
  void find(const std::uint64_t* keys, std::size_t count, std::uint32_t* rows) const override {
    find_in_ranges(sorted_, keys, count, rows, [&](std::uint64_t key) {
      const pgm::ApproxPos range = model_.search(key);
      return std::pair<std::size_t, std::size_t>(range.lo, range.hi);
    });
  }

 private:
  SortedRows sorted_;
  pgm::PGMIndex<std::uint64_t, 32> model_;
};

}  // namespace

std::unique_ptr<LearnedPeer> pgm_peer(const SortedRows& sorted) {
  return std::make_unique<PgmPeer>(sorted);
}

}  // namespace rtindex::bench
