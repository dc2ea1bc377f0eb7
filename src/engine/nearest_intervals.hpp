#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/batch_runner.hpp"
#include "engine/neighbours.hpp"

namespace rtindex {

// An end of intervals.
enum class IntervalSide : std::uint8_t { starts, ends };

// The starts or the ends of the intervals of segments, as segments of keys.
[[nodiscard]] std::vector<Segment> segments_of_points(std::span<const Segment> segments,
                                                      IntervalSide side);

// What makes the greatest end before a key, or the least start behind it, a neighbour of the key:
// the end of an open side may equal it.
[[nodiscard]] NearestOptions neighbours_on(IntervalSide side, const KeyCodec& intervals,
                                           const NearestOptions& nearest);

// Answers a request about the closest intervals by `answer_from`, which answers one of another form
// from the same matches: `any` is the first row, and rows are put in the order of starts here.
void answer_closest(std::span<const Segment> segments, const Request& request,
                    const std::function<void(const Request& request)>& answer_from);

// The closest intervals of keys, in host memory. They contain the key; of a key in no interval,
// they have the greatest end before it or the least start behind it, or both where these are as
// close. All of them match: they are found by three queries without a common match.
class NearestIntervals {
 public:
  // Searches segments whose searchers have interval_points(). `runner` finds keys in intervals.
  NearestIntervals(std::span<const Segment> segments, const ColumnView& keys,
                   const NearestOptions& nearest, const BatchRunner& runner);
  NearestIntervals(const NearestIntervals&) = delete;
  NearestIntervals& operator=(const NearestIntervals&) = delete;

  // The segments of intervals, of ends and of starts, each with the query of its matches.
  [[nodiscard]] BatchSources sources() const { return {sources_, queries_}; }

 private:
  void find_inside(std::span<const Segment> segments, const ColumnView& keys,
                   const BatchRunner& runner);
  // The keys that are in no interval.
  [[nodiscard]] std::vector<std::uint8_t> outside(const ColumnView& keys) const;
  void drop_farther(const ColumnView& keys);
  void add(std::span<const Segment> segments, const ColumnView& keys, QueryKind kind);

  NearestOptions nearest_;
  std::vector<std::uint8_t> is_inside_;  // a bit for each key
  Neighbours before_, behind_;
  ColumnView inside_, ends_, starts_;  // the keys of the queries, null where one has no match
  std::vector<Segment> sources_;
  std::vector<BatchQuery> queries_;
};

}  // namespace rtindex
