#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/array.hpp"
#include "base/prefetch.hpp"
#include "base/wide.hpp"
#include "file/stored.hpp"
#include "order/mix.hpp"

namespace rtindex {

// The slot where the probe for a hash starts: slots in the order of hashes, each with an equal
// share of them. Below `capacity` for every hash, even with more than 2^32 slots.
template <class Hash>
[[nodiscard]] std::uint64_t home_slot(Hash hash, std::uint64_t capacity) {
  constexpr int unused = 64 - 8 * static_cast<int>(sizeof(Hash));
  return multiply_high(static_cast<std::uint64_t>(hash) << unused, capacity);
}

// A blocked Bloom filter: three bits per hash, all in the word that its leading bits select.
// It rejects nineteen of twenty misses, with a byte for each key.
template <class Hash>
class HashFilter {
 public:
  HashFilter() = default;
  // For this number of hashes.
  explicit HashFilter(std::uint64_t hashes) : words_(hashes * bits_per_hash / word_bits + 1) {
    std::fill(words_.begin(), words_.end(), 0);
  }
  // From a file. A damaged filter can cause misses, nothing worse.
  explicit HashFilter(const FileReader& file) : words_(file.array<std::uint64_t>("bits")) {
    if (words_.empty()) file.reject("its filter is empty");
  }
  void save(FileWriter file) const { file.array("bits", words_.span()); }

  void add(Hash hash) { words_[word_of(hash)] |= bits_of(hash); }
  void prefetch(Hash hash) const { rtindex::prefetch(words_.data() + word_of(hash)); }
  // For a small filter, which the second-level cache holds.
  void prefetch_near(Hash hash) const { rtindex::prefetch_near(words_.data() + word_of(hash)); }
  // False: the hash was not added.
  [[nodiscard]] bool may_hold(Hash hash) const {
    const std::uint64_t bits = bits_of(hash);
    return (words_.data()[word_of(hash)] & bits) == bits;
  }

  [[nodiscard]] std::size_t bytes() const { return words_.bytes(); }

 private:
  static constexpr std::uint64_t bits_per_hash = 8;
  static constexpr std::uint64_t word_bits = 64;

  [[nodiscard]] std::uint64_t word_of(Hash hash) const { return home_slot(hash, words_.size()); }
  [[nodiscard]] static std::uint64_t bits_of(Hash hash) {
    constexpr int index_bits = 6;  // of a bit in a word
    std::uint64_t bits = 0;
    for (int i = 0; i < 3; ++i)
      bits |= std::uint64_t{1} << (hash >> (i * index_bits) & (word_bits - 1));
    return bits;
  }

  Array<std::uint64_t> words_;
};

}  // namespace rtindex
