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

// The pairs of a join in the order of lookups and rows; "" or what is wrong with their number.
std::string sorted_pairs(const JoinedRows& joined, JoinKind how, Pairs& pairs) {
  const bool has_rows = how == JoinKind::inner || how == JoinKind::left;
  const std::size_t rows = has_rows ? joined.lookups.size() : 0;
  if (joined.rows.size() != rows)
    return fmt::format("{} rows for {} pairs", joined.rows.size(), joined.lookups.size());
  for (std::size_t i = 0; i < joined.lookups.size(); ++i)
    pairs.emplace_back(joined.lookups[i], has_rows ? joined.rows[i] : 0);
  std::sort(pairs.begin(), pairs.end());
  return "";
}

}  // namespace

std::string join_difference(const JoinedRows& joined, const Matches& matches, JoinKind how,
                            JoinOrder order) {
  Pairs given;
  if (std::string wrong = sorted_pairs(joined, how, given); !wrong.empty()) return wrong;
  if (order == JoinOrder::lookups && !std::is_sorted(joined.lookups.begin(), joined.lookups.end()))
    return "lookups out of order";
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

std::string partial_join_difference(const JoinedRows& joined, const Matches& matches,
                                    JoinKind how) {
  Pairs given;
  if (std::string wrong = sorted_pairs(joined, how, given); !wrong.empty()) return wrong;
  if (std::adjacent_find(given.begin(), given.end()) != given.end()) return "a pair twice";
  const Pairs wanted = wanted_pairs(matches, how);
  for (const auto& [lookup, row] : given)
    if (!std::binary_search(wanted.begin(), wanted.end(), std::pair(lookup, row)))
      return fmt::format("{} join: unexpected ({}, {})", name_of(how), lookup, row);
  return "";
}

}  // namespace rtindex::test
