#include "keys/string_trie.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace rtindex {

namespace {

constexpr std::size_t max_positions = 64;                    // of a leaf
constexpr std::size_t longest_label = std::size_t{1} << 20;  // bytes
constexpr std::size_t fewest_to_divide = 16;                 // strings of the sample
constexpr int max_levels = 24;                               // of the trie
constexpr std::size_t max_alphabets = 256;
constexpr std::uint64_t wide_codes = std::uint64_t{1} << 62;  // all of them, where 32 bits are few
constexpr std::uint64_t narrow_codes = std::uint64_t{1} << 31;

// 0 for the end of a string, else 1 + the byte.
[[nodiscard]] std::size_t symbol_at(std::string_view text, std::size_t at) {
  return at == text.size() ? 0 : 1 + std::size_t{static_cast<unsigned char>(text[at])};
}

// How often each byte occurs at each position behind a depth.
struct ByteCounts {
  explicit ByteCounts(std::size_t size) : at(size) {}

  void add(std::string_view rest) {
    const std::size_t size = std::min(rest.size(), at.size());
    for (std::size_t i = 0; i < size; ++i) ++at[i][static_cast<unsigned char>(rest[i])];
  }

  using Counts = std::array<std::uint32_t, 256>;
  std::vector<Counts> at;
};

[[nodiscard]] std::bitset<256> bytes_in(const ByteCounts::Counts& counts) {
  std::bitset<256> bytes;
  for (std::size_t byte = 0; byte < counts.size(); ++byte) bytes[byte] = counts[byte] != 0;
  return bytes;
}

// Whether the rest of the column is unlikely to have another byte here: nearly none occurred only
// once (Good and Turing's estimate of unseen species).
[[nodiscard]] bool is_complete(const ByteCounts::Counts& counts) {
  constexpr std::uint64_t rare = 256;
  std::uint64_t all = 0;
  std::uint64_t once = 0;
  for (const std::uint32_t count : counts) {
    all += count;
    once += count == 1 ? 1 : 0;
  }
  return once * rare <= all;
}

// The product of the numbers of symbols, for as many positions as it stays below a bound.
struct Fitting {
  std::size_t positions = 0;
  std::uint64_t codes = 1;

  [[nodiscard]] bool add(std::uint64_t symbols, std::uint64_t max_codes) {
    if (codes > max_codes / symbols) return false;
    codes *= symbols;
    ++positions;
    return true;
  }
};

}  // namespace

StringTrie::StringTrie(std::span<std::string_view> sample, std::size_t column_size)
    : sample_(sample),
      rows_per_sample_(sample.empty() ? 1.0
                                      : static_cast<double>(column_size) /
                                            static_cast<double>(sample.size())) {
  for (const std::string_view text : sample)
    for (const char c : text.substr(0, longest_label))
      all_bytes_[static_cast<unsigned char>(c)] = true;
}

// Without the bit that says whether a code is exact.
std::uint64_t StringTrie::max_codes(std::size_t rows) const {
  return std::max<std::uint64_t>(1,
                                 wide_codes / 2 / std::max<std::size_t>(1, sample_.size()) * rows);
}

StringTrie::Draft StringTrie::draft(std::span<std::string_view> rows, std::size_t depth,
                                    int level) {
  Draft node;
  node.rows = rows.size();
  if (rows.empty()) return node;
  node.label = rows.front().substr(depth, longest_label);
  for (const std::string_view row : rows)
    node.label = node.label.substr(0, equal_bytes(row.substr(depth), node.label));
  depth += node.label.size();
  draft_leaf(node, rows, depth);
  if (node.cost > 0 && rows.size() >= fewest_to_divide && level < max_levels)
    draft_children(node, rows, depth, level);
  return node;
}

void StringTrie::draft_leaf(Draft& node, std::span<const std::string_view> rows,
                            std::size_t depth) {
  for (const std::string_view row : rows) node.longest = std::max(node.longest, row.size() - depth);
  ByteCounts counts(std::min(node.longest, max_positions));
  std::size_t shortest = node.longest;
  for (const std::string_view row : rows) {
    counts.add(row.substr(depth));
    shortest = std::min(shortest, row.size() - depth);
  }
  // Where the sample is small, bytes of other positions may occur here too.
  ByteCounts::Counts sum{};
  for (const ByteCounts::Counts& at : counts.at)
    for (std::size_t byte = 0; byte < sum.size(); ++byte) sum[byte] += at[byte];
  const bool is_all = rows_per_sample_ <= 1.0;
  const std::bitset<256> anywhere = is_complete(sum) ? bytes_in(sum) : all_bytes_;
  Fitting fitting;
  for (std::size_t i = 0; i < counts.at.size(); ++i) {
    const bool is_known = is_all || is_complete(counts.at[i]);
    node.positions.push_back({is_known ? bytes_in(counts.at[i]) : anywhere, i >= shortest});
    if (!fitting.add(node.positions.back().count(), max_codes(rows.size()))) break;
  }
  if (fitting.positions == node.longest) return;
  const auto is_cut = [&](std::string_view row) { return row.size() - depth > fitting.positions; };
  const auto cut = static_cast<double>(std::count_if(rows.begin(), rows.end(), is_cut));
  const auto size = static_cast<double>(rows.size());
  // As many others as share a code with a string of the column, about: a search among them.
  const double alike = 2 * pairs_alike(rows, depth, fitting.positions) / size * rows_per_sample_;
  node.cost = cut + 2 * size * std::log2(1 + alike);
}

double StringTrie::pairs_alike(std::span<const std::string_view> rows, std::size_t depth,
                               std::size_t bytes) {
  constexpr std::size_t far_enough = 256;  // strings that differ later count as one
  std::vector<std::pair<std::size_t, std::size_t>> hashes;
  const std::hash<std::string_view> hash;
  for (const std::string_view row : rows)
    if (row.size() - depth > bytes)
      hashes.emplace_back(hash(row.substr(depth, bytes)),
                          hash(row.substr(depth, bytes + far_enough)));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  double pairs = 0;
  double before = 0;  // others that share the first bytes
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    before = hashes[i].first == hashes[i - 1].first ? before + 1 : 0;
    pairs += before;
  }
  return pairs;
}

void StringTrie::draft_children(Draft& node, std::span<std::string_view> rows, std::size_t depth,
                                int level) {
  std::array<std::size_t, 258> starts{};
  for (const std::string_view row : rows) ++starts[symbol_at(row, depth) + 1];
  for (std::size_t symbol = 0; symbol < 257; ++symbol) {
    if (starts[symbol + 1] == 0) continue;
    if (symbol == 0)
      node.symbols.has_end = true;
    else
      node.symbols.bytes[symbol - 1] = true;
  }
  if (node.symbols.count() < 2) return;
  for (std::size_t symbol = 0; symbol < 257; ++symbol) starts[symbol + 1] += starts[symbol];
  std::vector<std::string_view> sorted(rows.size());
  std::array<std::size_t, 258> next = starts;
  for (const std::string_view row : rows) sorted[next[symbol_at(row, depth)]++] = row;
  std::copy(sorted.begin(), sorted.end(), rows.begin());

  double cost = 0;
  // Keeps the dictionary small where little is gained.
  const double cost_of_child = 1 + static_cast<double>(sample_.size()) / 512;
  std::vector<Draft> children;
  for (std::size_t symbol = 0; symbol < 257; ++symbol) {
    const std::size_t size = starts[symbol + 1] - starts[symbol];
    if (size == 0) continue;
    children.push_back(
        draft(rows.subspan(starts[symbol], size), depth + (symbol == 0 ? 0 : 1), level + 1));
    cost += children.back().cost + cost_of_child;
  }
  if (cost >= node.cost) return;
  node.cost = cost;
  node.children = std::move(children);
}

void StringTrie::write(StringDictionary& into) {
  into.nodes_.resize(1);
  rows_of_node_.resize(1);
  codes_of_node_.resize(1);
  write_node(into, draft(sample_, 0, 0), 0);
  number_codes(into);
}

void StringTrie::write_node(StringDictionary& into, const Draft& node, std::size_t at) {
  rows_of_node_[at] = node.rows;
  into.nodes_[at] = {};
  into.nodes_[at].label = static_cast<std::uint32_t>(into.labels_.size());
  into.nodes_[at].label_length = static_cast<std::uint32_t>(node.label.size());
  into.labels_ += node.label;
  if (node.children.empty()) return write_leaf(into, node, at);
  const std::size_t first = into.nodes_.size();
  into.nodes_[at].first = static_cast<std::uint32_t>(first);
  into.nodes_[at].count = static_cast<std::uint16_t>(node.children.size());
  into.nodes_[at].alphabet =
      static_cast<std::uint16_t>(alphabet_of(into, node.symbols.bytes, false));
  into.nodes_[at].has_end = node.symbols.has_end ? 1 : 0;
  into.nodes_.resize(first + node.children.size());
  rows_of_node_.resize(into.nodes_.size());
  codes_of_node_.resize(into.nodes_.size());
  for (std::size_t i = 0; i < node.children.size(); ++i)
    write_node(into, node.children[i], first + i);
}

void StringTrie::write_leaf(StringDictionary& into, const Draft& node, std::size_t at) {
  const std::size_t first = into.positions_.size();
  Fitting fitting;
  for (const StringSymbols& symbols : node.positions) {
    const std::uint32_t alphabet = alphabet_of(into, symbols.bytes, true);
    const std::uint16_t last = into.alphabets_[alphabet].entries[255];
    const std::uint32_t has_end = symbols.has_end ? 1 : 0;
    const std::uint64_t count = (last >> 1) + (last & 1) + has_end;
    if (!fitting.add(count, max_codes(node.rows))) break;
    into.positions_.push_back({count, alphabet, has_end});
  }
  std::uint64_t weight = 2;
  for (std::size_t i = into.positions_.size(); i-- > first;)
    weight *= std::exchange(into.positions_[i].weight, weight);
  codes_of_node_[at] = weight;
  into.nodes_[at].is_leaf = 1;
  into.nodes_[at].first = static_cast<std::uint32_t>(first);
  into.nodes_[at].count = static_cast<std::uint16_t>(fitting.positions);
  into.is_exact_ = into.is_exact_ && fitting.positions == node.longest;
}

// Where there are too many alphabets, a leaf gets the one of all bytes of the sample.
std::uint32_t StringTrie::alphabet_of(StringDictionary& into, const std::bitset<256>& bytes,
                                      bool is_of_leaf) const {
  StringAlphabet alphabet{};
  std::uint16_t count = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    alphabet.entries[byte] = static_cast<std::uint16_t>(2 * count + (bytes[byte] ? 1 : 0));
    count = static_cast<std::uint16_t>(count + (bytes[byte] ? 1 : 0));
  }
  std::size_t at = 0;
  while (at < into.alphabets_.size() &&
         !std::equal(std::begin(alphabet.entries), std::end(alphabet.entries),
                     into.alphabets_[at].entries))
    ++at;
  if (at == into.alphabets_.size()) {
    if (is_of_leaf && at >= max_alphabets && bytes != all_bytes_)
      return alphabet_of(into, all_bytes_, true);
    into.alphabets_.push_back(alphabet);
  }
  return static_cast<std::uint32_t>(at);
}

// Gives each leaf its codes, in proportion to its rows where possible: searches are fastest among
// evenly spread keys.
void StringTrie::number_codes(StringDictionary& into) const {
  double all = 0;
  double even = 0;  // codes with which each leaf has enough, and as many per row as the others
  for (std::size_t i = 0; i < into.nodes_.size(); ++i) {
    if (into.nodes_[i].is_leaf == 0) continue;
    const auto codes = static_cast<double>(codes_of_node_[i]);
    all += codes;
    even = std::max(even, codes * static_cast<double>(sample_.size()) /
                              static_cast<double>(std::max<std::size_t>(1, rows_of_node_[i])));
  }
  const bool is_narrow = into.is_exact_ && all <= static_cast<double>(narrow_codes);
  const double total = std::min(even, static_cast<double>(is_narrow ? narrow_codes : wide_codes));
  std::uint64_t next = StringMap::first_code;
  const std::function<void(std::size_t)> number = [&](std::size_t at) {
    StringNode& node = into.nodes_[at];
    node.begin = next;
    if (node.is_leaf == 0) {
      for (std::size_t i = 0; i < node.count; ++i) number(node.first + i);
    } else {
      const double share = total * static_cast<double>(rows_of_node_[at]) /
                           static_cast<double>(std::max<std::size_t>(1, sample_.size()));
      const std::uint64_t scale =
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share) / codes_of_node_[at]);
      for (std::size_t i = 0; i < node.count; ++i) into.positions_[node.first + i].weight *= scale;
      next += codes_of_node_[at] * scale;
    }
    into.nodes_[at].end = next;
  };
  number(0);
}

}  // namespace rtindex
