// The closed forms that bench_soak checks answers against, compared with a scan of the column.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "workload/ranked_rules.hpp"

namespace rtindex::bench {
namespace {

RankedColumn column_of(std::uint64_t rows, std::uint64_t repeats) {
  return {.rows = rows,
          .repeats = repeats,
          .rank_of = Permutation(rows, 7),
          .start = 100,
          .stride = 3,
          .cluster = 5,
          .gap = 1000,
          .bend = 2};
}

struct Answered {
  std::vector<std::uint32_t> any, first, count;
  std::vector<std::uint64_t> sum, min, max;
};

// The ranks of the rows that can match.
struct Kept {
  std::uint64_t first = 0;
  std::uint64_t end = ~std::uint64_t{0};

  [[nodiscard]] bool has(const RankedDraw& draw, std::uint64_t row) const {
    const std::uint64_t rank = draw.column.rank_of(row);
    return rank >= first && rank < end;
  }
};

// By a scan of all rows; a neighbour is the largest key not above `lower`.
Answered scanned(const RankedDraw& draw, std::size_t lookups, bool neighbours,
                 const Kept& kept = {}) {
  Answered answers;
  for (std::size_t i = 0; i < lookups; ++i) {
    RankedLookup lookup = draw(i);
    if (neighbours) {
      std::uint64_t nearest = 0;
      for (std::uint64_t row = 0; row < draw.column.rows; ++row)
        if (draw.column(row) <= lookup.lower && kept.has(draw, row))
          nearest = std::max(nearest, draw.column(row));
      lookup.lower = lookup.upper = nearest;
    }
    std::uint32_t last = CheckRanked::miss, first = CheckRanked::miss, count = 0;
    std::uint64_t sum = 0, min = ~std::uint64_t{0}, max = 0;
    for (std::uint32_t row = 0; row < draw.column.rows; ++row) {
      const std::uint64_t key = draw.column(row);
      if (key < lookup.lower || key > lookup.upper || !kept.has(draw, row)) continue;
      const std::uint64_t value = draw.column.rank_of(row);
      last = row;
      first = std::min(first, row);
      ++count;
      sum += value;
      min = std::min(min, value);
      max = std::max(max, value);
    }
    answers.any.push_back(last);
    answers.first.push_back(first);
    answers.count.push_back(count);
    answers.sum.push_back(count == 0 ? ~std::uint64_t{0} : sum);
    answers.min.push_back(min);
    answers.max.push_back(count == 0 ? ~std::uint64_t{0} : max);
  }
  return answers;
}

bool passes(const RankedDraw& draw, const Answered& answers, bool neighbours,
            const Kept& kept = {}) {
  unsigned long long wrong = ~0ULL;
  const CheckRanked check{draw,
                          neighbours,
                          answers.any.data(),
                          answers.first.data(),
                          answers.count.data(),
                          answers.sum.data(),
                          answers.min.data(),
                          answers.max.data(),
                          &wrong,
                          kept.first,
                          kept.end};
  for (std::size_t i = 0; i < answers.any.size(); ++i) check(i);
  return wrong == ~0ULL;
}

TEST(Ranked, AgreesWithAScan) {
  for (const std::uint64_t rows : {1, 2, 64, 333})
    for (const std::uint64_t repeats : {1, 3})
      for (const std::uint64_t most : {0, 1, 20}) {
        const RankedDraw draw{column_of(rows, repeats), rows + most, most};
        EXPECT_TRUE(passes(draw, scanned(draw, 200, false), false)) << rows << ' ' << most;
        if (most == 0) {
          EXPECT_TRUE(passes(draw, scanned(draw, 200, true), true)) << rows;
        }
      }
}

TEST(Ranked, AgreesWithAScanOfSomeRanks) {
  for (const std::uint64_t repeats : {1, 3})
    for (const std::uint64_t most : {0, 20})
      for (const Kept kept :
           {Kept{0, 333}, Kept{0, 200}, Kept{100, 333}, Kept{50, 61}, Kept{7, 8}}) {
        const RankedDraw draw{column_of(333, repeats), most + kept.end, most};
        EXPECT_TRUE(passes(draw, scanned(draw, 200, false, kept), false, kept)) << kept.first;
        if (most == 0) {
          EXPECT_TRUE(passes(draw, scanned(draw, 200, true, kept), true, kept)) << kept.first;
        }
      }
}

TEST(Ranked, DetectsEveryWrongAnswer) {
  const RankedDraw draw{column_of(333, 2), 5, 8};
  const Answered right = scanned(draw, 100, false);
  for (std::size_t i = 0; i < 100; ++i) {
    for (auto array : {&Answered::first, &Answered::count}) {
      Answered wrong = right;
      ++(wrong.*array)[i];
      EXPECT_FALSE(passes(draw, wrong, false)) << i;
    }
    for (auto array : {&Answered::sum, &Answered::min, &Answered::max}) {
      Answered wrong = right;
      ++(wrong.*array)[i];
      EXPECT_FALSE(passes(draw, wrong, false)) << i;
    }
    Answered wrong = right;
    wrong.any[i] = right.any[i] == CheckRanked::miss ? 0 : CheckRanked::miss;
    EXPECT_FALSE(passes(draw, wrong, false)) << i;
  }
}

}  // namespace
}  // namespace rtindex::bench
