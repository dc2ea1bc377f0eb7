#include "keys/string_dictionary.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "keys/string_trie.hpp"

namespace rtindex {

StringDictionary::StringDictionary(std::vector<std::string_view> sample, std::size_t column_size) {
  StringTrie(sample, column_size).write(*this);
  list_bytes();
}

StringDictionary::StringDictionary(const FileReader& file)
    : nodes_(file.small_array<StringNode>("nodes")),
      positions_(file.small_array<StringPosition>("positions")),
      alphabets_(file.small_array<StringAlphabet>("alphabets")),
      is_exact_(file.flag("exact")) {
  const std::vector<char> labels = file.small_array<char>("labels");
  labels_.assign(labels.begin(), labels.end());
  check(file);
  list_bytes();
}

void StringDictionary::save(FileWriter file) const {
  file.small_array("nodes", nodes_);
  file.small_array("positions", positions_);
  file.small_array("alphabets", alphabets_);
  file.small_array("labels", std::vector<char>(labels_.begin(), labels_.end()));
  file.number("exact", is_exact_ ? 1 : 0);
}

// Rejects what would lead a walk outside the arrays, or into a loop.
void StringDictionary::check(const FileReader& file) const {
  const auto fits = [](std::uint64_t first, std::uint64_t count, std::size_t size) {
    return first <= size && count <= size - first;
  };
  bool is_right = !nodes_.empty();
  for (std::size_t i = 0; i < nodes_.size() && is_right; ++i) {
    const StringNode& node = nodes_[i];
    is_right = fits(node.label, node.label_length, labels_.size()) && node.begin < node.end &&
               node.has_end <= 1;
    if (node.is_leaf != 0) {
      is_right = is_right && fits(node.first, node.count, positions_.size());
      continue;
    }
    if (!is_right || node.alphabet >= alphabets_.size()) break;
    const std::uint16_t last = alphabets_[node.alphabet].entries[255];
    is_right = node.first > i && fits(node.first, node.count, nodes_.size()) && node.count != 0 &&
               node.count == (last >> 1) + (last & 1) + node.has_end;
  }
  for (const StringNode& node : nodes_)
    is_right = is_right && (node.is_leaf != 0 || node.alphabet < alphabets_.size());
  for (const StringPosition& position : positions_)
    is_right = is_right && position.alphabet < alphabets_.size() && position.weight != 0 &&
               position.has_end <= 1;
  for (const StringAlphabet& alphabet : alphabets_) {
    std::uint32_t count = 0;
    for (const std::uint16_t entry : alphabet.entries) {
      is_right = is_right && entry >> 1 == count;
      count += entry & 1;
    }
    is_right = is_right && count != 0;
  }
  if (!is_right) file.reject("the dictionary of its strings makes no sense");
}

void StringDictionary::list_bytes() {
  bytes_.assign(alphabets_.size(), {});
  for (std::size_t i = 0; i < alphabets_.size(); ++i)
    for (int byte = 0; byte < 256; ++byte)
      if ((alphabets_[i].entries[byte] & 1) != 0)
        bytes_[i].in_order[bytes_[i].count++] = static_cast<char>(byte);
}

void StringDictionary::decode(std::uint64_t code, std::string& text) const {
  text.clear();
  const StringNode* node = nodes_.data();
  while (true) {
    text.append(labels_, node->label, node->label_length);
    if (node->is_leaf != 0) break;
    const StringNode* const children = nodes_.data() + node->first;
    const StringNode* const behind = std::upper_bound(
        children + 1, children + node->count, code,
        [](std::uint64_t key, const StringNode& child) { return key < child.begin; });
    const auto child = static_cast<std::size_t>(behind - 1 - children);
    if (child >= node->has_end) text += bytes_[node->alphabet].in_order[child - node->has_end];
    node = children + child;
  }
  std::uint64_t rest = code < node->begin ? 0 : code - node->begin;
  for (std::size_t i = node->first; i < node->first + std::size_t{node->count}; ++i) {
    const StringPosition& position = positions_[i];
    std::uint64_t digit = rest / position.weight;
    rest %= position.weight;
    if (digit < position.has_end) break;
    digit -= position.has_end;
    const Bytes& bytes = bytes_[position.alphabet];
    text += bytes.in_order[std::min<std::uint64_t>(digit, bytes.count - 1)];
  }
}

std::size_t StringDictionary::leaves() const {
  return static_cast<std::size_t>(std::count_if(
      nodes_.begin(), nodes_.end(), [](const StringNode& node) { return node.is_leaf != 0; }));
}

std::size_t StringDictionary::bytes() const {
  return nodes_.size() * sizeof(StringNode) + positions_.size() * sizeof(StringPosition) +
         alphabets_.size() * (sizeof(StringAlphabet) + sizeof(Bytes)) + labels_.size();
}

}  // namespace rtindex
