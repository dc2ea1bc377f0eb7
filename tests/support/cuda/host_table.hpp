#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "engine/cuda/device_lookups.hpp"
#include "support/cuda/host_arrays.hpp"

namespace rtindex::test {

inline constexpr std::uint32_t known_keys = 5000;
inline constexpr std::uint32_t known_domain =
    3 * known_keys + 60;  // of lookups; every third of it is a key

enum class TableKeys { unique, repeated };

// A column whose answers are known for every lookup.
class KnownTable {
 public:
  explicit KnownTable(TableKeys keys) {
    const std::uint32_t rows = keys == TableKeys::unique ? known_keys : 4 * known_keys;
    for (std::uint32_t row = 0; row < rows; ++row) {
      keys_.push_back(3 * (row * 7919 % known_keys));
      values_.push_back(row * 2654435761U);
    }
    points_ = answers_of([](std::uint32_t lower) { return lower; });
    ranges_ = answers_of(upper_of);
  }

  struct Wanted {
    std::uint32_t first = miss_row;
    std::uint32_t count = 0;
    std::uint64_t sum = ~std::uint64_t{0};
    std::uint64_t min = ~std::uint64_t{0};
    std::uint64_t max = ~std::uint64_t{0};
  };

  [[nodiscard]] const std::vector<std::uint32_t>& keys() const { return keys_; }
  [[nodiscard]] const std::vector<std::uint32_t>& values() const { return values_; }
  // The end of the range that begins here.
  [[nodiscard]] static std::uint32_t upper_of(std::uint32_t lower) { return lower + lower % 41; }
  [[nodiscard]] const Wanted& wanted(QueryKind kind, std::uint32_t lower) const {
    return (kind == QueryKind::equal ? points_ : ranges_)[lower];
  }

 private:
  template <class Upper>
  [[nodiscard]] std::vector<Wanted> answers_of(Upper&& upper) const {
    std::vector<std::vector<std::uint32_t>> rows_of(known_domain + 41);
    for (std::uint32_t row = 0; row < keys_.size(); ++row) rows_of[keys_[row]].push_back(row);
    std::vector<Wanted> all(known_domain);
    for (std::uint32_t lower = 0; lower < known_domain; ++lower) {
      Wanted& wanted = all[lower];
      for (std::uint32_t key = lower; key <= upper(lower); ++key)
        for (const std::uint32_t row : rows_of[key]) {
          const std::uint64_t value = values_[row];
          const bool is_first = wanted.count++ == 0;
          wanted.first = std::min(wanted.first, row);
          wanted.sum = is_first ? value : wanted.sum + value;
          wanted.min = std::min(wanted.min, value);
          wanted.max = is_first ? value : std::max(wanted.max, value);
        }
    }
    return all;
  }

  std::vector<std::uint32_t> keys_, values_;
  std::vector<Wanted> points_, ranges_;
};

inline const KnownTable& known_table(TableKeys keys) {
  static const KnownTable unique(TableKeys::unique);
  static const KnownTable repeated(TableKeys::repeated);
  return keys == TableKeys::unique ? unique : repeated;
}

// Ranges, of which points use the lower ends.
struct HostLookups {
  HostLookups(HostMemory memory, std::size_t size, std::uint64_t seed)
      : lower(memory, size), upper(memory, size) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t mixed = (i + seed) * 0x9e3779b97f4a7c15U;
      lower[i] = static_cast<std::uint32_t>((mixed >> 32) % known_domain);
      upper[i] = KnownTable::upper_of(lower[i]);
    }
  }
  [[nodiscard]] std::size_t size() const { return lower.size(); }

  HostArray<std::uint32_t> lower, upper;
};

// Buffers for every answer with one element for each lookup, in alternating kinds of memory.
struct HostAnswers {
  HostAnswers(const std::vector<HostMemory>& memories, std::size_t size)
      : any(memories[0], size),
        first(memories[1 % memories.size()], size),
        count(memories[2 % memories.size()], size),
        sum(memories[3 % memories.size()], size),
        min(memories[4 % memories.size()], size),
        max(memories[5 % memories.size()], size),
        matched(memories[6 % memories.size()], (size + 7) / 8 + 1) {}

  [[nodiscard]] Outputs outputs() const {
    return {.any = any.data(),
            .first = first.data(),
            .count = count.data(),
            .sum = sum.data(),
            .min = min.data(),
            .max = max.data(),
            .matched = matched.data()};
  }

  HostArray<std::uint32_t> any, first, count;
  HostArray<std::uint64_t> sum, min, max;
  HostArray<std::uint8_t> matched;
};

inline void call_host(const Index& index, QueryKind kind, const HostLookups& lookups,
                      const AnswerOptions& options, const Outputs& outputs) {
  const ColumnView lower = lookups.lower.view(Type::u32);
  if (kind == QueryKind::equal)
    index.answer_into(Query::equal(lower), options, outputs);
  else
    index.answer_into(Query::range(lower, lookups.upper.view(Type::u32)), options, outputs);
}

inline bool is_row_of(const KnownTable& table, QueryKind kind, std::uint32_t lower,
                      std::uint32_t row) {
  if (row >= table.keys().size()) return false;
  const std::uint32_t upper = kind == QueryKind::equal ? lower : KnownTable::upper_of(lower);
  return lower <= table.keys()[row] && table.keys()[row] <= upper;
}

// The lookup with the first wrong answer, or the number of lookups.
inline std::size_t first_wrong(const KnownTable& table, QueryKind kind, const HostLookups& lookups,
                               const HostAnswers& answers) {
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const KnownTable::Wanted& wanted = table.wanted(kind, lookups.lower[i]);
    const bool is_any = wanted.count == 0
                            ? answers.any[i] == miss_row
                            : is_row_of(table, kind, lookups.lower[i], answers.any[i]);
    const bool is_matched = (answers.matched[i / 8] >> (i % 8) & 1) != 0;
    if (!is_any || answers.first[i] != wanted.first || answers.count[i] != wanted.count ||
        answers.sum[i] != wanted.sum || answers.min[i] != wanted.min ||
        answers.max[i] != wanted.max || is_matched != (wanted.count != 0))
      return i;
  }
  return lookups.size();
}

// All answers at once.
inline void expect_right(const Index& index, TableKeys keys, QueryKind kind,
                         HostMemory lookup_memory, const std::vector<HostMemory>& answer_memories,
                         const ColumnView& values, std::size_t size) {
  const HostLookups lookups(lookup_memory, size, size);
  const HostAnswers answers(answer_memories, size);
  call_host(index, kind, lookups, {.values = values}, answers.outputs());
  ASSERT_EQ(first_wrong(known_table(keys), kind, lookups, answers), size) << name_of(kind);
  // The byte behind the bitmap.
  ASSERT_EQ(answers.matched[(size + 7) / 8], 0xa5);
}

// Pieces of a call that requests all answers of points.
inline constexpr std::size_t small_piece = cuda::piece_of(4 + 3 * 4 + 3 * 8 + 1);

}  // namespace rtindex::test
