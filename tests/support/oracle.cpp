#include "support/oracle.hpp"

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

Matches scan(const std::vector<Key>& column, const Batch& batch) {
  Matches matches(batch.size());
  for (std::size_t lookup = 0; lookup < batch.size(); ++lookup) {
    const Key& lower = batch.lower.keys()[lookup];
    const Key& upper = batch.upper.keys()[lookup];
    if (is_null(lower) || is_null(upper)) continue;
    for (std::size_t row = 0; row < column.size(); ++row)
      if ((!batch.filter || batch.filter->has(row)) && !is_null(column[row]) &&
          compare(lower, column[row]) <= 0 && compare(column[row], upper) <= 0)
        matches[lookup].push_back(static_cast<std::uint32_t>(row));
  }
  return matches;
}

}  // namespace rtindex::test
