#pragma once

// Learned indexes: a model of sorted keys predicts a short range of positions, in which a binary
// search ends. C++17, as the published ones are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace rtindex::bench {

// Sorted keys with their rows, which must outlive the peer.
struct SortedRows {
  const std::uint64_t* keys;
  const std::uint32_t* rows;
  std::size_t size;
};

class LearnedPeer {
 public:
  LearnedPeer() = default;
  virtual ~LearnedPeer() = default;
  LearnedPeer(const LearnedPeer&) = delete;
  LearnedPeer& operator=(const LearnedPeer&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  // Of the model, beside the keys and rows.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  // Any row of each key, one lookup after the other; the column holds all of them.
  virtual void find(const std::uint64_t* keys, std::size_t count, std::uint32_t* rows) const = 0;
};

// `range_of(key)` is the pair of positions that a model predicts.
template <class RangeOf>
void find_in_ranges(const SortedRows& sorted, const std::uint64_t* keys, std::size_t count,
                    std::uint32_t* rows, const RangeOf& range_of) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::pair<std::size_t, std::size_t> range = range_of(keys[i]);
    rows[i] =
        sorted
            .rows[std::lower_bound(sorted.keys + range.first, sorted.keys + range.second, keys[i]) -
                  sorted.keys];
  }
}

// Only in builds with RTINDEX_PGM_DIR and RTINDEX_RADIXSPLINE_DIR.
[[nodiscard]] std::unique_ptr<LearnedPeer> pgm_peer(const SortedRows& sorted);
[[nodiscard]] std::unique_ptr<LearnedPeer> radixspline_peer(const SortedRows& sorted);

}  // namespace rtindex::bench
