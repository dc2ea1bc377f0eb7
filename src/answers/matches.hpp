#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "answers/aggregate.hpp"
#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/types.hpp"

namespace rtindex {

// The matches of one lookup: positions [begin, end) of a structure that stores rowIDs side by side.
struct Match {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

namespace matches {

// Matches of this many rows are split into pieces for all threads. The pieces do not depend on the
// number of threads, and so neither do sums of floats.
inline constexpr std::uint64_t long_match = std::uint64_t{1} << 16;
inline constexpr std::uint64_t piece_rows = std::uint64_t{1} << 14;

[[nodiscard]] inline bool is_long(const Match& match) { return match.size() >= long_match; }

// The matches with long ones replaced by empty ones, in `buffer` if there are any.
[[nodiscard]] inline const Match* without_long(const Match* found, std::size_t count,
                                               Match* buffer) {
  if (std::none_of(found, found + count, is_long)) return found;
  std::transform(found, found + count, buffer, [](const Match& match) {
    return is_long(match) ? Match{0, 0} : match;
  });
  return buffer;
}

// Values are prefetched this far ahead of where they are added up.
inline constexpr int prefetch_distance = 32;

// Prefetches the values of all matches of a block of lookups, one with each call of next().
template <class T, class Rows>
class Prefetcher {
 public:
  Prefetcher(const T* values, const Rows& rows, const Match* found, std::size_t count)
      : values_(values), rows_(&rows), found_(found), end_(found + count) {
    if (count != 0) at_ = found_->begin;
    skip_ended();
    for (int i = 0; i < prefetch_distance; ++i) next();
  }

  void next() {
    if (found_ == end_) return;
    prefetch(values_ + (*rows_)[at_++]);
    skip_ended();
  }

 private:
  void skip_ended() {
    while (found_ != end_ && at_ >= found_->end)
      if (++found_ != end_) at_ = found_->begin;
  }

  const T* values_;
  const Rows* rows_;
  const Match* found_;
  const Match* end_;
  std::uint64_t at_ = 0;
};

// Prefetches the rowIDs of short matches but for the first ones, which are in the cache already.
// The hardware prefetcher covers long runs.
template <class Rows>
void prefetch_rows(const Rows& rows, const Match* found, std::size_t count) {
  constexpr std::uint64_t in_line = 4;  // rowIDs of a cache line, at least
  constexpr std::uint64_t most = 32;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t end = std::min(found[i].end, found[i].begin + most);
    for (std::uint64_t at = found[i].begin + in_line; at < end; at += in_line)
      prefetch(rows.address(at));
  }
}

// Folds the values of each lookup's matches and calls write(lookup, aggregate). The values are
// scattered over their column: without prefetching, each would wait for a cache miss.
template <class Aggregate, class T, class Rows, class Write>
void fold(const T* values, const Rows& rows, const Match* found, std::size_t count, Write&& write) {
  prefetch_rows(rows, found, count);
  Prefetcher<T, Rows> prefetcher(values, rows, found, count);
  for (std::size_t i = 0; i < count; ++i) {
    Aggregate aggregate;
    for (std::uint64_t at = found[i].begin; at < found[i].end; ++at) {
      prefetcher.next();
      aggregate.add(to_class(values[rows[at]]));
    }
    write(i, aggregate);
  }
}

template <class T, class Rows>
void sum(const Request& request, std::size_t first, const Match* found, std::size_t count,
         const Rows& rows) {
  using Class = value_class_t<T>;
  auto* out = static_cast<Class*>(request.outputs.sum) + first;
  const auto miss = miss_as<Class>(request.miss);
  fold<SumAggregate<Class>>(static_cast<const T*>(request.values), rows, found, count,
                            [&](std::size_t i, const SumAggregate<Class>& folded) {
                              out[i] = found[i].size() == 0 ? miss : folded.sum;
                            });
}

template <class T, class Rows>
void aggregate(const Request& request, std::size_t first, const Match* found, std::size_t count,
               const Rows& rows) {
  using Aggregate = ValueAggregate<value_class_t<T>>;
  const auto miss = miss_as<value_class_t<T>>(request.miss);
  fold<Aggregate>(static_cast<const T*>(request.values), rows, found, count,
                  [&](std::size_t i, const Aggregate& folded) {
                    write_values(request.outputs, first + i,
                                 folded.or_miss(found[i].size() != 0, miss));
                  });
}

// A long match, by all threads.
template <class T, class Rows>
void aggregate_long(const Request& request, std::size_t lookup, const Match& match,
                    const Rows& rows) {
  using Aggregate = ValueAggregate<value_class_t<T>>;
  const auto whole = parallel_reduce(
      match.size(), piece_rows, Aggregate{},
      [&](std::size_t begin, std::size_t size) {
        Aggregate part;
        const Match piece{match.begin + begin, match.begin + begin + size};
        fold<Aggregate>(static_cast<const T*>(request.values), rows, &piece, 1,
                        [&](std::size_t, const Aggregate& folded) { part = folded; });
        return part;
      },
      [](Aggregate merged, const Aggregate& part) {
        merged.merge(part);
        return merged;
      });
  write_values(request.outputs, lookup, whole);
}

template <class Rows>
std::uint32_t smallest_row(const Match& match, const Rows& rows, bool ascending) {
  if (match.size() == 0) return miss_row;
  if (ascending) return rows[match.begin];
  const auto smallest = [&](std::size_t begin, std::size_t size) {
    std::uint32_t row = miss_row;
    for (std::size_t i = begin; i < begin + size; ++i) row = Min{}(row, rows[match.begin + i]);
    return row;
  };
  if (!is_long(match)) return smallest(0, match.size());
  return parallel_reduce(match.size(), piece_rows, miss_row, smallest, Min{});
}

template <class Rows>
void collect_rows(const Request& request, std::size_t first, const Match* found, std::size_t count,
                  const Rows& rows) {
  const auto wanted = [&](const Match& match) {
    return std::min<std::uint64_t>(match.size(), request.limit);
  };
  for (std::size_t i = 0; i < count; ++i) request.row_counts[first + i] = wanted(found[i]);
  if (request.chunk_rows == nullptr) return;
  std::vector<std::uint32_t>& out = (*request.chunk_rows)[first / chunk_lookups];
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += wanted(found[i]);
  std::size_t begin = out.size();
  out.resize(begin + total);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = wanted(found[i]);
    const auto copy = [&, begin](std::size_t first_row, std::size_t some) {
      for (std::size_t row = first_row; row < first_row + some; ++row)
        out[begin + row] = rows[found[i].begin + row];
    };
    if (size < long_match)
      copy(0, size);
    else
      parallel_for(size, piece_rows, copy);
    begin += size;
  }
}

}  // namespace matches

// All answers but sum, min and max of lookups [first, first + count). `ascending`: the rowIDs of
// each match ascend.
template <class Rows>
void answer_rows(const Request& request, std::size_t first, const Match* found, std::size_t count,
                 const Rows& rows, bool ascending) {
  const Outputs& out = request.outputs;
  if (out.any != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.any[first + i] = found[i].size() == 0 ? miss_row : rows[found[i].begin];
  if (out.first != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.first[first + i] = matches::smallest_row(found[i], rows, ascending);
  if (out.count != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.count[first + i] = static_cast<std::uint32_t>(found[i].size());
  if (out.matched != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      if (found[i].size() != 0) set_matched(out.matched, first + i);
  if (request.answers.has(Answer::rows)) matches::collect_rows(request, first, found, count, rows);
}

// sum, min and max of lookups [first, first + count) over the request's value column.
template <class Rows>
void answer_values(const Request& request, std::size_t first, const Match* found, std::size_t count,
                   const Rows& rows) {
  if (!request.wants_values()) return;
  Match buffer[chunk_lookups];
  const Match* const others = matches::without_long(found, count, buffer);
  visit_native(request.value_type, [&]<class T>() {
    if (request.answers.has_any_of(Answer::min | Answer::max))
      matches::aggregate<T>(request, first, others, count, rows);
    else
      matches::sum<T>(request, first, others, count, rows);
    if (others != found)
      for (std::size_t i = 0; i < count; ++i)
        if (matches::is_long(found[i]))
          matches::aggregate_long<T>(request, first + i, found[i], rows);
  });
}

}  // namespace rtindex
