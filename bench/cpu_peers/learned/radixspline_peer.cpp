// RadixSpline (Kipf et al., aiDM 2020), as its authors publish it:
// github.com/learnedsystems/RadixSpline.

#include "cpu_peers/learned_peers.hpp"
#include "rs/builder.h"
#include "rs/radix_spline.h"

namespace rtindex::bench {

namespace {

rs::RadixSpline<std::uint64_t> spline_of(const SortedRows& sorted) {
  rs::Builder<std::uint64_t> builder(sorted.keys[0], sorted.keys[sorted.size - 1], 18, 32);
  for (std::size_t i = 0; i < sorted.size; ++i) builder.AddKey(sorted.keys[i]);
  return builder.Finalize();
}

class RadixSplinePeer : public LearnedPeer {
 public:
  explicit RadixSplinePeer(const SortedRows& sorted) : sorted_(sorted), model_(spline_of(sorted)) {}

  [[nodiscard]] std::string name() const override { return "RadixSpline, 18 bits, error 32"; }
  [[nodiscard]] std::size_t bytes() const override { return model_.GetSize(); }
  void find(const std::uint64_t* keys, std::size_t count, std::uint32_t* rows) const override {
    find_in_ranges(sorted_, keys, count, rows, [&](std::uint64_t key) {
      const rs::SearchBound range = model_.GetSearchBound(key);
      return std::pair<std::size_t, std::size_t>(range.begin, range.end);
    });
  }

 private:
  SortedRows sorted_;
  rs::RadixSpline<std::uint64_t> model_;
};

}  // namespace

std::unique_ptr<LearnedPeer> radixspline_peer(const SortedRows& sorted) {
  return std::make_unique<RadixSplinePeer>(sorted);
}

}  // namespace rtindex::bench
