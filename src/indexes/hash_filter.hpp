#pragma once

#include <algorithm>
#include <cstdint>

#include "base/array.hpp"
#include "base/prefetch.hpp"
#include "base/stored.hpp"
#include "indexes/hash_function.hpp"

namespace rtindex {

// Three bits per hash in a table, all in the one word that its leading bits name: nineteen of
// twenty misses end here, in memory twenty times smaller than the table.
template <class Hash>
class HashFilter {
 public:
  HashFilter() = default;
  // For so many hashes.
  explicit HashFilter(std::uint64_t hashes) : words_(hashes * bits_per_hash / word_bits + 1) {
    std::fill(words_.begin(), words_.end(), 0);
  }
  // As it was saved. A damaged one can hide hashes, no more.
  explicit HashFilter(const FileReader& file) : words_(file.array<std::uint64_t>("bits")) {
    if (words_.empty()) file.refuse("its filter is empty");
  }
  void save(FileWriter file) const { file.array("bits", words_.span()); }

  void add(Hash hash) { words_[word_of(hash)] |= bits_of(hash); }
  void ask_for(Hash hash) const { prefetch(words_.data() + word_of(hash)); }
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
