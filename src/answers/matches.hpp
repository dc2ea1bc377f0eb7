#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/types.hpp"

namespace rtindex {

// The matches of one lookup: positions [begin, end) of a structure that lays rowIDs side by side.
struct Match {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

namespace matches {

// Matches of so many rows are shared out among all threads, in pieces. What floats add up to
// depends on the pieces, which are always the same, and not on the threads.
inline constexpr std::uint64_t long_match = std::uint64_t{1} << 16;
inline constexpr std::uint64_t piece_rows = std::uint64_t{1} << 14;

[[nodiscard]] inline bool is_long(const Match& match) { return match.size() >= long_match; }

// The matches with long ones left empty, in `room` if there are any.
[[nodiscard]] inline const Match* without_long(const Match* found, std::size_t count, Match* room) {
  if (std::none_of(found, found + count, is_long)) return found;
  std::transform(found, found + count, room, [](const Match& match) {
    return is_long(match) ? Match{0, 0} : match;
  });
  return room;
}

// This many values are on their way while earlier ones are added up.
inline constexpr int ahead = 32;

// Walks over all matches of a block of lookups, some way ahead of where they are used, and asks for
// their values.
template <class T, class Rows>
class Prefetcher {
 public:
  Prefetcher(const T* values, const Rows& rows, const Match* found, std::size_t count)
      : values_(values), rows_(&rows), found_(found), end_(found + count) {
    if (count != 0) at_ = found_->begin;
    skip_ended();
    for (int i = 0; i < ahead; ++i) next();
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

// Asks for the rowIDs of short matches. The first ones are there already, and long runs are noticed
// by the processor itself.
template <class Rows>
void prefetch_rows(const Rows& rows, const Match* found, std::size_t count) {
  constexpr std::uint64_t in_line = 4;  // at least
  constexpr std::uint64_t most = 32;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t end = std::min(found[i].end, found[i].begin + most);
    for (std::uint64_t at = found[i].begin + in_line; at < end; at += in_line)
      prefetch(rows.address(at));
  }
}

// Calls take(lookup, value) for every match. Values lie all over their column, so that each would
// be a cache miss to wait for if it were not asked for ahead of time.
template <class T, class Rows, class Take>
void gather(const T* values, const Rows& rows, const Match* found, std::size_t count, Take&& take) {
  prefetch_rows(rows, found, count);
  Prefetcher<T, Rows> prefetcher(values, rows, found, count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint64_t at = found[i].begin; at < found[i].end; ++at) {
      prefetcher.next();
      take(i, values[rows[at]]);
    }
}

template <class T, class Rows>
void sum(const Request& request, std::size_t first, const Match* found, std::size_t count,
         const Rows& rows) {
  using Class = accumulator_t<T>;
  Class sums[chunk_lookups];
  std::fill_n(sums, count, Class{});
  gather(static_cast<const T*>(request.values), rows, found, count, [&](std::size_t i, T value) {
    sums[i] = add(sums[i], static_cast<Class>(value_of(value)));
  });
  auto* out = static_cast<Class*>(request.outputs.sum) + first;
  const auto miss = request.miss_as<Class>();
  for (std::size_t i = 0; i < count; ++i) out[i] = found[i].size() == 0 ? miss : sums[i];
}

// What the values of some matches come to.
template <class Class>
struct State {
  Class sum{}, min{}, max{};
  bool any = false;

  void take(const State& other) {
    if (!other.any) return;
    if (!any) {
      *this = other;
      return;
    }
    sum = add(sum, other.sum);
    if (less(other.min, min)) min = other.min;
    if (less(max, other.max)) max = other.max;
  }
};

template <class T, class Rows>
void find_states(const Request& request, const Match* found, std::size_t count, const Rows& rows,
                 State<accumulator_t<T>>* states) {
  using Class = accumulator_t<T>;
  gather(static_cast<const T*>(request.values), rows, found, count, [&](std::size_t i, T element) {
    const auto value = static_cast<Class>(value_of(element));  // NOLINT(*-signed-char-misuse)
    states[i].take({value, value, value, true});
  });
}

template <class Class>
void write_states(const Request& request, std::size_t first, const State<Class>* states,
                  std::size_t count) {
  const auto miss = request.miss_as<Class>();
  const auto write = [&](void* out, Class State<Class>::*answer) {
    if (out == nullptr) return;
    for (std::size_t i = 0; i < count; ++i)
      static_cast<Class*>(out)[first + i] = states[i].any ? states[i].*answer : miss;
  };
  write(request.outputs.sum, &State<Class>::sum);
  write(request.outputs.min, &State<Class>::min);
  write(request.outputs.max, &State<Class>::max);
}

template <class T, class Rows>
void aggregate(const Request& request, std::size_t first, const Match* found, std::size_t count,
               const Rows& rows) {
  State<accumulator_t<T>> states[chunk_lookups];
  find_states<T>(request, found, count, rows, states);
  write_states(request, first, states, count);
}

// A long match, by all threads.
template <class T, class Rows>
void aggregate_long(const Request& request, std::size_t lookup, const Match& match,
                    const Rows& rows) {
  using Part = State<accumulator_t<T>>;
  const Part whole = parallel_reduce(
      match.size(), piece_rows, Part{},
      [&](std::size_t begin, std::size_t size) {
        Part part;
        const Match piece{match.begin + begin, match.begin + begin + size};
        find_states<T>(request, &piece, 1, rows, &part);
        return part;
      },
      [](Part sum, const Part& part) {
        sum.take(part);
        return sum;
      });
  write_states(request, lookup, &whole, 1);
}

template <class Rows>
std::uint32_t smallest_row(const Match& match, const Rows& rows, bool ascending) {
  if (match.size() == 0) return miss_row;
  if (ascending) return rows[match.begin];
  const auto smallest = [&](std::size_t begin, std::size_t size) {
    std::uint32_t row = miss_row;
    for (std::size_t i = begin; i < begin + size; ++i) row = std::min(row, rows[match.begin + i]);
    return row;
  };
  if (!is_long(match)) return smallest(0, match.size());
  return parallel_reduce(match.size(), piece_rows, miss_row, smallest,
                         [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); });
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
      if (found[i].size() != 0)
        out.matched[(first + i) / 8] =
            static_cast<std::uint8_t>(out.matched[(first + i) / 8] | 1U << ((first + i) % 8));
  if (request.answers.has(Answer::rows)) matches::collect_rows(request, first, found, count, rows);
}

// sum, min and max of lookups [first, first + count) over the request's value column.
template <class Rows>
void answer_values(const Request& request, std::size_t first, const Match* found, std::size_t count,
                   const Rows& rows) {
  if (!request.answers.has_any_of(Answer::sum | Answer::min | Answer::max)) return;
  Match room[chunk_lookups];
  const Match* const others = matches::without_long(found, count, room);
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
