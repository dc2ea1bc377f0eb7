// Columns of intervals of the C interface.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"

namespace rtindex::test {
namespace {

TEST(CIntervals, AreCompositesOfStartsAndEnds) {
  const std::vector<std::int64_t> starts = {1, 5, 9};
  const std::vector<std::int64_t> ends = {5, 9, 20};
  const std::vector<rtindex_column> parts = {memory_of(RTINDEX_TYPE_INT64, starts),
                                             memory_of(RTINDEX_TYPE_INT64, ends)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  column.intervals = RTINDEX_INTERVALS_RIGHT_OPEN;
  rtindex_index* index = nullptr;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, &index)));
  const std::vector<std::int64_t> lower = {4, 5, 30};
  const std::vector<std::int64_t> upper = {9, 20, 40};
  const rtindex_column lower_column = memory_of(RTINDEX_TYPE_INT64, lower);
  const rtindex_column upper_column = memory_of(RTINDEX_TYPE_INT64, upper);
  const auto counts = [&](const rtindex_query& query) {
    std::vector<std::uint32_t> found(lower.size());
    auto outputs = sized<rtindex_outputs>();
    outputs.count = found.data();
    EXPECT_EQ("", error_in(rtindex_answer_into(index, &query, nullptr, nullptr, &outputs)));
    return found;
  };
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(counts(rtindex_query_contains(&lower_column)), (Counts{1, 1, 0}));
  const int32_t closed = RTINDEX_ENDS_CLOSED;
  EXPECT_EQ(counts(rtindex_query_overlaps(&lower_column, &upper_column, closed)),
            (Counts{3, 2, 0}));
  EXPECT_EQ(counts(rtindex_query_within(&lower_column, &upper_column, closed)), (Counts{1, 2, 0}));
  EXPECT_EQ(counts(rtindex_query_covers(&lower_column, &upper_column, closed)), (Counts{0, 0, 0}));
  rtindex_query nearest = rtindex_query_nearest(&upper_column, RTINDEX_DIRECTION_NEAREST);
  EXPECT_EQ(counts(nearest), (Counts{1, 1, 1}));
  nearest.exact = RTINDEX_EXACT_EXCLUDED;
  nearest.direction = RTINDEX_DIRECTION_FORWARD;
  EXPECT_EQ(counts(nearest), (Counts{0, 0, 0}));
  rtindex_free(index);
  column.intervals = 5;
  EXPECT_NE(error_in(rtindex_build(&column, "sorted@cpu", nullptr, &index))
                .find("invalid intervals: 5, expected 0 to 4"),
            std::string::npos);
  column.intervals = RTINDEX_INTERVALS_OPEN;
  column.part_count = 1;
  EXPECT_NE(error_in(rtindex_build(&column, "sorted@cpu", nullptr, &index))
                .find("expected a composite of starts and ends"),
            std::string::npos);
}

}  // namespace
}  // namespace rtindex::test
