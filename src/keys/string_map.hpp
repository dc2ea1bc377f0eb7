#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/macros.hpp"
#include "keys/text_reader.hpp"

namespace rtindex {

// How many bytes of a text from `at` on are those of another, of `size` bytes.
[[nodiscard]] RTINDEX_HD inline std::size_t equal_bytes(const char* text, std::size_t at,
                                                        const char* other, std::size_t size) {
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, text + at + i, 8);
    std::memcpy(&y, other + i, 8);
    if (x != y) break;
  }
  while (i < size && text[at + i] == other[i]) ++i;
  return i;
}

[[nodiscard]] inline std::size_t equal_bytes(std::string_view a, std::string_view b) {
  return equal_bytes(a.data(), 0, b.data(), a.size() < b.size() ? a.size() : b.size());
}

// An order-preserving map of all strings to 64-bit codes, made for one column
// (string_dictionary.hpp).
//
// A trie of the beginnings that many strings of the column share divides the codes: a node has
// those from `begin` to `end`, and each of its children some of them. In a leaf the next few
// bytes make a number of mixed radix: each position has as many digits as the column has bytes
// there. A string without a code of its own (it goes on, or has a byte that the column does not
// have there) gets an odd code between the even codes of its neighbours:
//
//   a < b       encode(a) <= encode(b)
//   is_exact    no other string has this code
struct StringNode {
  std::uint64_t begin, end;    // codes; both even
  std::uint32_t label;         // where the bytes start that all strings of the node have next
  std::uint32_t label_length;  // how many
  // Behind the label. Leaf: its positions. Else its children, in order: first the strings that end
  // there (if `has_end`), then one node for each byte of the alphabet, which the byte leads to.
  std::uint32_t first;
  std::uint16_t count;
  std::uint16_t alphabet;  // not of a leaf
  std::uint8_t has_end;
  std::uint8_t is_leaf;
  std::uint8_t unused[6];
};

// A byte of the strings of a leaf. Some of them may have ended: less than any byte.
struct StringPosition {
  std::uint64_t weight;    // of one digit; even
  std::uint32_t alphabet;  // the bytes that are digits
  std::uint32_t has_end;   // 1: the digit 0 is the end of the string
};

// A set of bytes: for each of the 256, twice the number of smaller ones in the set, plus 1 if the
// byte is in the set.
struct StringAlphabet {
  std::uint16_t entries[256];
};

// A view of the map, for host and device.
struct StringMap {
  const StringNode* nodes;  // the first is the root
  const StringPosition* positions;
  const StringAlphabet* alphabets;
  const char* labels;

  static constexpr std::uint64_t first_code = 2;  // below: strings less than all of the column

  [[nodiscard]] RTINDEX_HD static constexpr bool is_exact(std::uint64_t code) {
    return (code & 1) == 0;
  }

  // `Text`: const char*, or a TextReader&.
  template <class Text>
  [[nodiscard]] RTINDEX_HD std::uint64_t encode(Text&& text, std::size_t length) const {
    const StringNode* node = nodes;
    std::size_t at = 0;
    while (true) {
      const std::size_t left = length - at;
      const std::size_t common = left < node->label_length ? left : node->label_length;
      const std::size_t same = equal_bytes(text, at, labels + node->label, common);
      if (same < node->label_length) {
        const bool is_less =
            same == left || byte(text[at + same]) < byte(labels[node->label + same]);
        return (is_less ? node->begin : node->end) - 1;
      }
      at += node->label_length;
      if (node->is_leaf != 0) return encode_rest(*node, text, at, length - at);
      // Where no child has the next byte, the string lies between two.
      const std::uint32_t entry =
          at == length ? node->has_end : alphabets[node->alphabet].entries[byte(text[at])];
      const std::uint32_t child = at == length ? 0 : (entry >> 1) + node->has_end;
      if ((entry & 1) == 0)
        return (child == 0 ? node->begin : nodes[node->first + child - 1].end) - 1;
      node = nodes + node->first + child;
      at += at == length ? 0 : 1;
    }
  }

 private:
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t byte(char c) {
    return static_cast<unsigned char>(c);
  }
  [[nodiscard]] RTINDEX_HD static constexpr std::uint32_t byte(unsigned char c) { return c; }

  template <class Text>
  [[nodiscard]] RTINDEX_HD std::uint64_t encode_rest(const StringNode& leaf, Text& text,
                                                     std::size_t at, std::size_t length) const {
    std::uint64_t code = leaf.begin;
    const StringPosition* const digits = positions + leaf.first;
    const std::size_t count = length < leaf.count ? length : leaf.count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t entry = alphabets[digits[i].alphabet].entries[byte(text[at + i])];
      code += ((entry >> 1) + digits[i].has_end) * digits[i].weight;
      if ((entry & 1) == 0) return code - 1;
    }
    if (length > count) return code + 1;
    return count == leaf.count || digits[count].has_end != 0 ? code : code - 1;
  }
};

static_assert(sizeof(StringNode) == 40 && sizeof(StringPosition) == 16);

}  // namespace rtindex
