#include "support/join_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace rtindex::test {

namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

Pairs wanted_pairs(const Matches& matches, JoinKind how) {
  Pairs wanted;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bool is_miss = matches[i].empty();
    if (how == JoinKind::semi || how == JoinKind::anti) {
      if (is_miss == (how == JoinKind::anti)) wanted.emplace_back(i, 0);
      continue;
    }
    for (const std::uint32_t row : matches[i]) wanted.emplace_back(i, row);
    if (is_miss && how == JoinKind::left) wanted.emplace_back(i, miss_row);
  }
  return wanted;
}

}  // namespace

std::string join_difference(const JoinedRows& joined, const Matches& matches, JoinKind how) {
  const bool has_rows = how == JoinKind::inner || how == JoinKind::left;
  const std::size_t rows = has_rows ? joined.lookups.size() : 0;
  if (joined.rows.size() != rows)
    return fmt::format("{} rows for {} pairs", joined.rows.size(), joined.lookups.size());
  if (!std::is_sorted(joined.lookups.begin(), joined.lookups.end())) return "lookups out of order";
  Pairs given;
  for (std::size_t i = 0; i < joined.lookups.size(); ++i)
    given.emplace_back(joined.lookups[i], has_rows ? joined.rows[i] : 0);
  std::sort(given.begin(), given.end());
  const Pairs wanted = wanted_pairs(matches, how);
  const auto [at, other] = std::mismatch(given.begin(), given.end(), wanted.begin(), wanted.end());
  const auto text = [](const Pairs& pairs, Pairs::const_iterator pair) {
    return pair == pairs.end() ? std::string("no pair")
                               : fmt::format("({}, {})", pair->first, pair->second);
  };
  if (at == given.end() && other == wanted.end()) return "";
  return fmt::format("{} join: {} in place of {}", name_of(how), text(given, at),
                     text(wanted, other));
}

}  // namespace rtindex::test
