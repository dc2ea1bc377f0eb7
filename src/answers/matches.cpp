#include "answers/matches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "answers/aggregate.hpp"
#include "answers/counted_aggregate.hpp"
#include "answers/values.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/types.hpp"

// Compiled once for each type of values, and not for each structure and each way to find the rows.
namespace rtindex::matches {

namespace {

// Whether null values are skipped; other aggregates are for values without nulls.
template <class Aggregate>
constexpr bool skips_nulls = false;
template <class Class>
constexpr bool skips_nulls<CountedAggregate<Class>> = true;

// Whether the value of a row is null and skipped.
template <class Aggregate>
[[nodiscard]] bool is_skipped(const Request& request, std::uint32_t row) {
  if constexpr (skips_nulls<Aggregate>) return !request.has_value(row);
  return false;
}

// Calls write(i, aggregate) for each lookup i of a block in which none has more than one row.
template <class Aggregate, class T, class Write>
void fold_one_each(const Request& request, const RowBlock& block, Write&& write) {
  const T* const values = static_cast<const T*>(request.values);
  for (std::size_t i = 0; i < block.size; ++i) {
    Aggregate aggregate;
    const std::uint32_t row = block.rows[i];
    if (row != miss_row && !is_skipped<Aggregate>(request, row))
      aggregate.add(to_class(values[row]));
    write(i, aggregate);
  }
}

// Calls write(i, aggregate) for match i of `found`.
template <class Aggregate, class T, class Write>
void fold(const Request& request, std::size_t lookup, std::span<const Match> found,
          GatherRows gather, Write&& write) {
  const T* const values = static_cast<const T*>(request.values);
  Aggregate open;  // of the lookup whose rows go on in the next block
  std::size_t ended = 0;
  std::uint64_t before = 0;
  gather(lookup, found, [&](const RowBlock& block) {
    if (block.one_each) return fold_one_each<Aggregate, T>(request, block, write);
    Aggregate aggregate = open;
    std::size_t at = 0;
    const auto fold_to = [&](std::size_t end) {
      for (; at < end; ++at) {
        const std::uint32_t row = block.rows[at];
        if (!is_skipped<Aggregate>(request, row)) aggregate.add(to_class(values[row]));
      }
    };
    for (std::size_t i = ended; i < block.ended; ++i) {
      fold_to(block.ends[i] - before);
      write(i, aggregate);
      aggregate = {};
    }
    ended = block.ended;
    fold_to(block.size);
    open = aggregate;
    before += block.size;
  });
}

// A long match, by all threads.
template <class Aggregate, class T>
Aggregate fold_long(const Request& request, std::size_t lookup, const Match& match,
                    GatherRows gather) {
  return parallel_reduce(
      match.size(), piece_rows, Aggregate{},
      [&](std::size_t begin, std::size_t size) {
        Aggregate part;
        const Match piece{match.begin + begin, match.begin + begin + size};
        fold<Aggregate, T>(request, lookup, {&piece, 1}, gather,
                           [&](std::size_t, const Aggregate& folded) { part = folded; });
        return part;
      },
      [](Aggregate merged, const Aggregate& part) {
        merged.merge(part);
        return merged;
      });
}

// Folds each match and calls write(lookup, aggregate).
template <class Aggregate, class T, class Write>
void fold_all(const Request& request, const Match* found, std::size_t count, GatherRows gather,
              const Write& write) {
  Match buffer[chunk_lookups];
  const Match* const others = without_long(found, count, buffer);
  fold<Aggregate, T>(request, 0, {others, count}, gather, write);
  if (others == found) return;
  for (std::size_t i = 0; i < count; ++i)
    if (is_long(found[i])) write(i, fold_long<Aggregate, T>(request, i, found[i], gather));
}

}  // namespace

void fold_values(const Request& request, std::size_t first, const Match* found, std::size_t count,
                 GatherRows gather) {
  visit_native(request.value_type, [&]<class T>() {
    using Class = value_class_t<T>;
    const auto miss = miss_as<Class>(request.miss);
    if (request.value_counts != nullptr) {
      using Aggregate = CountedAggregate<Class>;
      fold_all<Aggregate, T>(request, found, count, gather,
                             [&](std::size_t i, const Aggregate& folded) {
                               write_counted(request, first + i, folded);
                             });
    } else if (request.answers.has_any_of(Answer::min | Answer::max)) {
      using Aggregate = ValueAggregate<Class>;
      fold_all<Aggregate, T>(
          request, found, count, gather, [&](std::size_t i, const Aggregate& folded) {
            write_values(request.outputs, first + i, folded.or_miss(found[i].size() != 0, miss));
          });
    } else {
      auto* const out = static_cast<Class*>(request.outputs.sum) + first;
      using Aggregate = SumAggregate<Class>;
      fold_all<Aggregate, T>(request, found, count, gather,
                             [&](std::size_t i, const Aggregate& folded) {
                               out[i] = found[i].size() == 0 ? miss : folded.sum;
                             });
    }
  });
}

}  // namespace rtindex::matches
