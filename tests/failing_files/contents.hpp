#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

namespace rtindex::test {

// What an index file holds.
enum class Content { keys, intervals, points };

[[nodiscard]] inline std::string name_of(Content content) {
  switch (content) {
    case Content::keys: return "keys";
    case Content::intervals: return "intervals";
    case Content::points: return "points";
  }
  return {};
}

// An index over keys, or over intervals or points that begin with them.
[[nodiscard]] inline Index build_over(Content content, const std::vector<std::uint64_t>& keys,
                                      const std::string& spec) {
  std::vector<std::uint64_t> next = keys;
  for (std::uint64_t& key : next) ++key;
  switch (content) {
    case Content::keys: return build(keys, spec);
    case Content::intervals:
      return build(ColumnView::intervals(keys, next, Ends::right_open), spec);
    case Content::points: break;
  }
  return build(ColumnView::points({keys, next}), spec);
}

// The query that finds these keys, or what begins with them.
[[nodiscard]] inline Query query_of(Content content, const ColumnView& keys) {
  switch (content) {
    case Content::keys: return Query::equal(keys);
    case Content::intervals: return Query::contains(keys);
    case Content::points: break;
  }
  return Query::box({Condition::equal(keys)});
}

}  // namespace rtindex::test
