#include "support/oracle.hpp"

#include <algorithm>
#include <span>

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

std::vector<std::uint32_t> places_of(const std::vector<const Key*>& keys) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < keys.size(); ++i)
    if (!is_null(*keys[i])) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return compare(*keys[a], *keys[b]) < 0; });
  std::vector<std::uint32_t> places(keys.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_same = i > 0 && compare(*keys[order[i - 1]], *keys[order[i]]) == 0;
    places[order[i]] = i == 0 ? 1 : places[order[i - 1]] + (is_same ? 0 : 1);
  }
  return places;
}

Oracle::Oracle(const std::vector<Key>& column) {
  std::vector<const Key*> keys;
  for (const Key& key : column) keys.push_back(&key);
  places_ = places_of(keys);
  for (std::size_t row = 0; row < column.size(); ++row) {
    distinct_.resize(std::max<std::size_t>(distinct_.size(), places_[row]));
    if (places_[row] != 0) distinct_[places_[row] - 1] = keys[row];
  }
}

Matches Oracle::scan(const Batch& batch) const {
  Matches matches(batch.size());
  const std::span<const std::uint32_t> places(places_);
  for (std::size_t lookup = 0; lookup < batch.size(); ++lookup) {
    const Key& lower = batch.lower.keys()[lookup];
    const Key& upper = batch.upper.keys()[lookup];
    if (is_null(lower) || is_null(upper)) continue;
    const auto begin =
        std::partition_point(distinct_.begin(), distinct_.end(),
                             [&](const Key* key) { return compare(*key, lower) < 0; });
    const auto end = std::partition_point(distinct_.begin(), distinct_.end(), [&](const Key* key) {
      return compare(*key, upper) <= 0;
    });
    const auto first = static_cast<std::uint32_t>(begin - distinct_.begin()) + 1;
    const auto last = static_cast<std::uint32_t>(end - distinct_.begin());
    for (std::size_t row = 0; row < places.size(); ++row)
      if (places[row] >= first && places[row] <= last && (!batch.filter || batch.filter->has(row)))
        matches[lookup].push_back(static_cast<std::uint32_t>(row));
  }
  return matches;
}

std::vector<Matches> Oracle::scan(const std::vector<Batch>& batches) const {
  std::vector<Matches> matches;
  for (const Batch& batch : batches) matches.push_back(scan(batch));
  return matches;
}

Matches scan(const std::vector<Key>& column, const Batch& batch) {
  return Oracle(column).scan(batch);
}

}  // namespace rtindex::test
