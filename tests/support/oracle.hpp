#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/query.hpp>

#include "support/key.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// A batch of lookups; a point is a range from a key to itself.
struct Batch {
  QueryKind kind = QueryKind::equal;
  TestColumn lower;
  TestColumn upper;
  std::optional<BitmapView> filter = {};

  [[nodiscard]] Query query() const;
  [[nodiscard]] std::size_t size() const { return lower.size(); }
  [[nodiscard]] std::string text(std::size_t lookup) const;
};

[[nodiscard]] Batch points(const TestColumn& keys);
[[nodiscard]] Batch ranges(const TestColumn& lower, const TestColumn& upper);

// The matching rowIDs of every lookup, in ascending order; a filter is applied.
using Matches = std::vector<std::vector<std::uint32_t>>;

// The place of each key in the order of all of them, from 1; equal keys share one, and null has 0.
[[nodiscard]] std::vector<std::uint32_t> places_of(const std::vector<const Key*>& keys);

// The oracle: one slow, obvious scan of a whole column for every lookup. Keys are compared by their
// place among those of the column, found once, so that long keys are not read for every pair. The
// keys outlive it.
class Oracle {
 public:
  explicit Oracle(const std::vector<Key>& column);

  [[nodiscard]] Matches scan(const Batch& batch) const;
  [[nodiscard]] std::vector<Matches> scan(const std::vector<Batch>& batches) const;

 private:
  std::vector<std::uint32_t> places_;  // of the key of each row
  std::vector<const Key*> distinct_;   // a key of each place, from 1
};

[[nodiscard]] Matches scan(const std::vector<Key>& column, const Batch& batch);

}  // namespace rtindex::test
