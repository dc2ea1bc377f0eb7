#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/request.hpp"
#include "base/function_ref.hpp"
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

// No row of a match is deleted.
struct AllValid {
  struct Deleted {
    [[nodiscard]] static constexpr bool has(std::uint64_t) { return false; }
    [[nodiscard]] static constexpr std::uint64_t count(const Match&) { return 0; }
    template <class Visit>
    static void visit_all(const Match& match, Visit&& visit) {
      for (std::uint64_t at = match.begin; at < match.end; ++at) visit(at, false);
    }
    template <class Visit>
    static void visit_deleted(const Match&, Visit&&) {}
  };
  // The deleted rows of lookup i, by position.
  [[nodiscard]] static constexpr Deleted deleted(std::size_t) { return {}; }
  // The number of rows of lookup i that are valid.
  [[nodiscard]] static std::uint64_t count(std::size_t, const Match& match) { return match.size(); }
};

namespace matches {

// Matches of this many rows are split into pieces for all threads. The pieces, and with them the
// sums of floats, do not depend on the number of threads.
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

// Prefetches address_of(row) for all rows that match a block of lookups, one with each call of
// next(), `distance` rows ahead.
template <class Rows, class AddressOf>
class Prefetcher {
 public:
  Prefetcher(AddressOf address_of, const Rows& rows, const Match* found, std::size_t count)
      : address_of_(std::move(address_of)), rows_(&rows), found_(found), end_(found + count) {
    if (count != 0) at_ = found_->begin;
    skip_ended();
    for (int i = 0; i < distance; ++i) next();
  }

  void next() {
    if (found_ == end_) return;
    prefetch(address_of_((*rows_)[at_++]));
    skip_ended();
  }

 private:
  void skip_ended() {
    while (found_ != end_ && at_ >= found_->end)
      if (++found_ != end_) at_ = found_->begin;
  }

  static constexpr int distance = 32;

  AddressOf address_of_;
  const Rows* rows_;
  const Match* found_;
  const Match* end_;
  std::uint64_t at_ = 0;
};

// Prefetches the rowIDs of short matches, except the first ones, which are in the cache already.
// The hardware prefetcher covers long runs.
template <class Rows>
void prefetch_rows(const Rows& rows, const Match* found, std::size_t count) {
  constexpr std::uint64_t in_line = 4;  // rowIDs of a cache line, at least
  constexpr std::uint64_t max_prefetched = 32;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t end = std::min(found[i].end, found[i].begin + max_prefetched);
    for (std::uint64_t at = found[i].begin + in_line; at < end; at += in_line)
      prefetch(rows.address(at));
  }
}

// Some rows of the matches of consecutive lookups, in the order of positions.
struct RowBlock {
  static constexpr std::size_t max_rows = 1024;
  static_assert(chunk_lookups <= max_rows);

  // No lookup has more than one row: rows[i] is that of lookup i, or miss_row, and `ends` are
  // unset.
  bool one_each = false;
  std::uint32_t rows[max_rows];
  std::size_t size;
  // How many lookups have no further rows, and where those of each end: counted from the first row
  // of the first block.
  std::size_t ended;
  std::uint64_t ends[chunk_lookups];
};

using TakeRows = FunctionRef<void(const RowBlock&)>;

// Passes the valid rows of the matches of lookups from `lookup` on to `take`, block by block, and
// prefetches their values, which are scattered over their column.
template <class Rows, class Valid>
void gather_rows(const Request& request, std::size_t lookup, std::span<const Match> found,
                 const Rows& rows, const Valid& valid, TakeRows take) {
  const auto* const values = static_cast<const std::byte*>(request.values);
  const std::size_t width = width_of(request.value_type);
  RowBlock block;
  std::uint64_t max_size = 0;
  for (const Match& match : found) max_size = std::max(max_size, match.size());
  if (max_size <= 1) {
    block.one_each = true;
    block.size = block.ended = found.size();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint64_t at = found[i].begin;
      const bool has_row = found[i].size() != 0 && !valid.deleted(lookup + i).has(at);
      block.rows[i] = has_row ? rows[at] : miss_row;
      if (has_row) prefetch(values + block.rows[i] * width);
    }
    take(block);
    return;
  }
  prefetch_rows(rows, found.data(), found.size());
  std::size_t size = 0;
  std::uint64_t before = 0;
  const auto pass = [&](std::size_t ended) {
    block.size = size;
    block.ended = ended;
    take(block);
    before += std::exchange(size, 0);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& deleted = valid.deleted(lookup + i);
    const auto gather = [&](const Match& some) {
      deleted.visit_all(some, [&](std::uint64_t at, bool is_deleted) {
        const std::uint32_t row = rows[at];
        prefetch(values + row * width);
        block.rows[size] = row;
        size += is_deleted ? 0 : 1;
      });
    };
    Match rest = found[i];
    while (rest.size() > RowBlock::max_rows - size) {
      if (size == RowBlock::max_rows) pass(i);
      const std::uint64_t end = rest.begin + std::min(rest.size(), RowBlock::max_rows - size);
      gather({rest.begin, end});
      rest.begin = end;
    }
    gather(rest);
    block.ends[i] = before + size;
  }
  pass(found.size());
}

// gather_rows() of some matches: of all lookups, or of a piece of one.
using GatherRows =
    FunctionRef<void(std::size_t lookup, std::span<const Match> found, TakeRows take)>;

// Answers sum, mean, min and max of lookups [first, first + count) from the values of their rows.
void fold_values(const Request& request, std::size_t first, const Match* found, std::size_t count,
                 GatherRows gather);

template <class Rows, class Deleted>
std::uint32_t smallest_row(const Match& match, const Rows& rows, const Deleted& deleted,
                           bool ascending) {
  if (match.size() == 0) return miss_row;
  if (ascending) return rows[match.begin];
  const auto smallest = [&](std::size_t begin, std::size_t size) {
    std::uint32_t row = miss_row;
    deleted.visit_all({match.begin + begin, match.begin + begin + size},
                      [&](std::uint64_t at, bool is_deleted) {
                        row = Min{}(row, is_deleted ? miss_row : rows[at]);
                      });
    return row;
  };
  if (!is_long(match)) return smallest(0, match.size());
  return parallel_reduce(match.size(), piece_rows, miss_row, smallest, Min{});
}

// The greatest rowID, searched from the end: an ascending match ends at its last valid row.
template <class Rows, class Deleted>
std::uint32_t greatest_row(const Match& match, const Rows& rows, const Deleted& deleted,
                           bool ascending) {
  if (ascending) {
    for (std::uint64_t end = match.end; end > match.begin; --end)
      if (!deleted.has(end - 1)) return rows[end - 1];
    return miss_row;
  }
  const auto greatest = [&](std::size_t begin, std::size_t size) {
    std::uint32_t row = miss_row;
    deleted.visit_all({match.begin + begin, match.begin + begin + size},
                      [&](std::uint64_t at, bool is_deleted) {
                        if (!is_deleted) row = Last{}(row, rows[at]);
                      });
    return row;
  };
  if (!is_long(match)) return greatest(0, match.size());
  return parallel_reduce(match.size(), piece_rows, miss_row, greatest, Last{});
}

// Copies rows[at] of the first `max_rows` valid positions of a match; `rows` are rowIDs or keys.
template <class T, class Rows, class Deleted>
void copy_rows(const Match& match, const Rows& rows, const Deleted& deleted, std::uint64_t max_rows,
               T* out) {
  const Match first_rows{match.begin, std::min(match.end, match.begin + max_rows)};
  if (deleted.count(first_rows) == 0) {
    for (std::uint64_t at = first_rows.begin; at < first_rows.end; ++at) *out++ = rows[at];
    return;
  }
  const T* const end = out + max_rows;
  for (std::uint64_t at = match.begin; at < match.end && out != end; ++at)
    if (!deleted.has(at)) *out++ = rows[at];
}

// Copies the last `max_rows` valid positions, in descending order.
template <class T, class Rows, class Deleted>
void copy_reversed(const Match& match, const Rows& rows, const Deleted& deleted,
                   std::uint64_t max_rows, T* out) {
  const T* const end = out + max_rows;
  for (std::uint64_t at = match.end; at > match.begin && out != end; --at)
    if (!deleted.has(at - 1)) *out++ = rows[at - 1];
}

// copy_rows() by all threads.
template <class T, class Rows, class Deleted>
void copy_long(const Match& match, const Rows& rows, const Deleted& deleted, std::uint64_t max_rows,
               T* out) {
  struct Piece {
    Match match;
    std::uint64_t valid_before;
  };
  std::vector<Piece> pieces;
  std::uint64_t valid = 0;
  for (std::uint64_t begin = match.begin; begin < match.end && valid < max_rows;
       begin += piece_rows) {
    const Match piece{begin, std::min(begin + piece_rows, match.end)};
    pieces.push_back({piece, valid});
    valid += piece.size() - deleted.count(piece);
  }
  parallel_for(pieces.size(), 1, [&](std::size_t i, std::size_t) {
    const std::uint64_t before = pieces[i].valid_before;
    copy_rows(pieces[i].match, rows, deleted, max_rows - before, out + before);
  });
}

// Appends rows[at] of sizes[i] valid positions of each match. Keys ascend with positions, so that
// rows come in the order of keys.
template <class T, class Rows, class Valid>
void append_rows(RowOrder order, const std::uint64_t* sizes, const Match* found, std::size_t count,
                 const Rows& rows, const Valid& valid, std::vector<T>& out) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += sizes[i];
  std::size_t begin = out.size();
  out.resize(begin + total);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = sizes[i];
    if (order == RowOrder::descending)
      copy_reversed(found[i], rows, valid.deleted(i), size, out.data() + begin);
    else if (size < long_match)
      copy_rows(found[i], rows, valid.deleted(i), size, out.data() + begin);
    else
      copy_long(found[i], rows, valid.deleted(i), size, out.data() + begin);
    begin += size;
  }
}

template <class Rows, class Valid>
void collect_rows(const Request& request, std::size_t first, const Match* found, std::size_t count,
                  const Rows& rows, const Valid& valid) {
  std::uint64_t* const sizes = request.row_counts + first;
  for (std::size_t i = 0; i < count; ++i)
    sizes[i] = std::min<std::uint64_t>(valid.count(i, found[i]), request.limit);
  if (request.chunk_rows == nullptr) return;
  append_rows(request.order, sizes, found, count, rows, valid,
              (*request.chunk_rows)[first / chunk_lookups]);
}

// Sets the rows of a match in a bitmap of `row_count` rows.
template <class Rows, class Deleted>
void set_rows(const Match& match, const Rows& rows, const Deleted& deleted, std::uint8_t* bitmap,
              std::size_t row_count) {
  parallel_for(match.size(), piece_rows, [&](std::size_t begin, std::size_t size) {
    deleted.visit_all({match.begin + begin, match.begin + begin + size},
                      [&](std::uint64_t at, bool is_deleted) {
                        const std::uint32_t row = rows[at];
                        if (!is_deleted && row < row_count) set_row(bitmap, row);
                      });
  });
}

}  // namespace matches

// Below, `valid` is AllValid or ValidMatches (valid_matches.hpp).

// All answers but those of values, of lookups [first, first + count). `ascending`: the rowIDs of
// each match ascend.
template <class Rows, class Valid>
void answer_rows(const Request& request, std::size_t first, const Match* found, std::size_t count,
                 const Rows& rows, bool ascending, const Valid& valid) {
  const Outputs& out = request.outputs;
  if (out.any != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.any[first + i] = found[i].size() == 0 ? miss_row : rows[found[i].begin];
  if (out.first != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.first[first + i] = matches::smallest_row(found[i], rows, valid.deleted(i), ascending);
  if (out.last != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.last[first + i] = matches::greatest_row(found[i], rows, valid.deleted(i), ascending);
  if (out.count != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      out.count[first + i] = static_cast<std::uint32_t>(valid.count(i, found[i]));
  if (out.matched != nullptr)
    for (std::size_t i = 0; i < count; ++i)
      if (found[i].size() != 0) set_matched(out.matched, first + i);
  if (request.answers.has(Answer::rows))
    matches::collect_rows(request, first, found, count, rows, valid);
  if (!request.wants_bitmaps()) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto set_in = [&](std::uint8_t* bitmap) {
      matches::set_rows(found[i], rows, valid.deleted(i), bitmap, out.bitmap_rows);
    };
    if (out.bitmap != nullptr) set_in(out.bitmap);
    if (out.bitmaps != nullptr) set_in(request.bitmap_of(first + i));
  }
}

// sum, mean, min and max of lookups [first, first + count) over the request's value column.
template <class Rows, class Valid>
void answer_values(const Request& request, std::size_t first, const Match* found, std::size_t count,
                   const Rows& rows, const Valid& valid) {
  if (!request.wants_values()) return;
  matches::fold_values(
      request, first, found, count,
      [&](std::size_t lookup, std::span<const Match> some, matches::TakeRows take) {
        matches::gather_rows(request, lookup, some, rows, valid, take);
      });
}

}  // namespace rtindex
