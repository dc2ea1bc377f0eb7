#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "keys/string_dictionary.hpp"

namespace rtindex {

// Which bytes follow in some strings, and whether some of them end.
struct StringSymbols {
  std::bitset<256> bytes;
  bool has_end = false;

  [[nodiscard]] std::uint64_t count() const { return bytes.count() + (has_end ? 1 : 0); }
};

// Finds the trie of a StringDictionary in a sample of a column's strings. A node is divided by its
// next byte where more strings get exact codes by that, or fewer share one.
class StringTrie {
 public:
  // Reorders the sample.
  StringTrie(std::span<std::string_view> sample, std::size_t column_size);

  void write(StringDictionary& into);

 private:
  struct Draft {
    std::string_view label;
    std::size_t rows = 0;
    std::size_t longest = 0;               // string behind the label
    std::vector<StringSymbols> positions;  // of a leaf; there may be more than its codes can hold
    StringSymbols symbols;                 // the next ones, and a child for each
    std::vector<Draft> children;
    double cost = 0;
  };

  [[nodiscard]] Draft draft(std::span<std::string_view> rows, std::size_t depth, int level);
  // The symbols at each position, and what it costs not to divide the node.
  void draft_leaf(Draft& node, std::span<const std::string_view> rows, std::size_t depth);
  void draft_children(Draft& node, std::span<std::string_view> rows, std::size_t depth, int level);
  // How many pairs of different strings share their first bytes behind the depth.
  [[nodiscard]] static double pairs_alike(std::span<const std::string_view> rows, std::size_t depth,
                                          std::size_t bytes);
  [[nodiscard]] std::uint64_t max_codes(std::size_t rows) const;

  void write_node(StringDictionary& into, const Draft& node, std::size_t at);
  void write_leaf(StringDictionary& into, const Draft& node, std::size_t at);
  [[nodiscard]] std::uint32_t alphabet_of(StringDictionary& into, const std::bitset<256>& bytes,
                                          bool is_of_leaf) const;
  void number_codes(StringDictionary& into) const;

  std::span<std::string_view> sample_;
  double rows_per_sample_;  // of the column
  std::bitset<256> all_bytes_;
  std::vector<std::size_t> rows_of_node_;  // as they are written
  std::vector<std::uint64_t> codes_of_node_;
};

}  // namespace rtindex
