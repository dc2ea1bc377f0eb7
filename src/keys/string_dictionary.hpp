#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file/stored.hpp"
#include "keys/string_map.hpp"

namespace rtindex {

// The arrays behind a StringMap.
class StringDictionary {
 public:
  // Of a column of about `column_size` strings, of which the sample has some or all.
  StringDictionary(std::vector<std::string_view> sample, std::size_t column_size);
  explicit StringDictionary(const FileReader& file);
  void save(FileWriter file) const;

  [[nodiscard]] StringMap map() const {
    return {nodes_.data(), positions_.data(), alphabets_.data(), labels_.data()};
  }
  [[nodiscard]] std::uint64_t encode(std::string_view text) const {
    return map().encode(text.data(), text.size());
  }
  // The string of an exact code; some string for any other.
  void decode(std::uint64_t code, std::string& text) const;

  // What all strings of the sample begin with.
  [[nodiscard]] std::string_view common_label() const {
    return std::string_view(labels_).substr(nodes_.front().label, nodes_.front().label_length);
  }
  // Whether the codes of all strings of the sample are exact.
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  [[nodiscard]] std::size_t leaves() const;
  [[nodiscard]] std::size_t bytes() const;

  [[nodiscard]] std::span<const StringNode> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const StringPosition> positions() const { return positions_; }
  [[nodiscard]] std::span<const StringAlphabet> alphabets() const { return alphabets_; }
  [[nodiscard]] std::string_view labels() const { return labels_; }

 private:
  friend class StringTrie;

  void check(const FileReader& file) const;
  void list_bytes();

  std::vector<StringNode> nodes_;
  std::vector<StringPosition> positions_;
  std::vector<StringAlphabet> alphabets_;
  std::string labels_;
  bool is_exact_ = true;
  struct Bytes {
    std::uint32_t count = 0;
    std::array<char, 256> in_order{};
  };
  std::vector<Bytes> bytes_;  // of each alphabet
};

}  // namespace rtindex
