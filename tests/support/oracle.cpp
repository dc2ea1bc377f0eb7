#include "support/oracle.hpp"

#include <algorithm>

namespace rtindex::test {

std::string Batch::text(std::size_t lookup) const {
  if (kind == QueryKind::equal) return "point " + text_of(lower.keys()[lookup]);
  return "range [" + text_of(lower.keys()[lookup]) + ", " + text_of(upper.keys()[lookup]) + "]";
}

Query Batch::query() const {
  Query batch = kind == QueryKind::equal ? Query::equal(lower.view())
                                         : Query::range(lower.view(), upper.view());
  batch.filter = filter;
  return batch;
}

Batch points(const TestColumn& keys) { return {QueryKind::equal, keys, keys}; }

Batch ranges(const TestColumn& lower, const TestColumn& upper) {
  return {QueryKind::range, lower, upper};
}

namespace {

// The place of each key in the order of all of them; null and equal keys share one.
std::vector<std::uint32_t> ranks_of(const std::vector<const Key*>& keys) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < keys.size(); ++i)
    if (!is_null(*keys[i])) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return compare(*keys[a], *keys[b]) < 0; });
  std::vector<std::uint32_t> ranks(keys.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_same = i > 0 && compare(*keys[order[i - 1]], *keys[order[i]]) == 0;
    ranks[order[i]] = i == 0 ? 1 : ranks[order[i - 1]] + (is_same ? 0 : 1);
  }
  return ranks;
}

}  // namespace

Matches scan(const std::vector<Key>& column, const Batch& batch) {
  std::vector<const Key*> keys;
  for (const Key& key : column) keys.push_back(&key);
  for (const Key& key : batch.lower.keys()) keys.push_back(&key);
  for (const Key& key : batch.upper.keys()) keys.push_back(&key);
  const std::vector<std::uint32_t> ranks = ranks_of(keys);  // 0: null
  Matches matches(batch.size());
  for (std::size_t lookup = 0; lookup < batch.size(); ++lookup) {
    const std::uint32_t lower = ranks[column.size() + lookup];
    const std::uint32_t upper = ranks[column.size() + batch.size() + lookup];
    if (lower == 0 || upper == 0) continue;
    for (std::size_t row = 0; row < column.size(); ++row)
      if (ranks[row] >= lower && ranks[row] <= upper && (!batch.filter || batch.filter->has(row)))
        matches[lookup].push_back(static_cast<std::uint32_t>(row));
  }
  return matches;
}

}  // namespace rtindex::test
