#include "cli/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rtindex::cli {

namespace {

// Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(above, std::move(row));
  }
  return above.back();
}

}  // namespace

std::string closest_word(std::string_view text, const std::vector<std::string>& words) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& word : words) {
    const bool begins = text.size() > 3 && word.starts_with(text);
    const std::size_t distance = begins ? 1 : edits(text, word);
    if (distance >= fewest) continue;
    fewest = distance;
    best = word;
  }
  return best;
}

}  // namespace rtindex::cli
