// Values in key order, against a loop over the rows that are not deleted.

#include "order/included.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "support/checker.hpp"
#include "support/deleted_rows.hpp"
#include "support/run.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t block = IncludedValues::block;

IncludedValues::RowAt row_at(const PositionRows& rows) {
  return [&rows](std::size_t position) { return rows[position]; };
}

PositionRows order_of(std::vector<std::uint32_t> rows, Random& random) {
  random.shuffle(rows);
  return {std::move(rows)};
}

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// Around the ends of blocks, and of blocks of blocks.
std::vector<Match> matches_around_blocks(std::size_t size, Random& random) {
  std::vector<Match> found = {{0, 0}, {size, size}, {0, size}};
  for (const std::size_t edge : {block, 3 * block, block * block, 2 * block * block})
    for (const std::size_t begin : {std::size_t{0}, edge - 1, edge, edge + 1})
      for (const std::size_t length : {std::size_t{1}, block - 1, block, block + 1, edge, 5 * edge})
        if (begin + length <= size) found.push_back({begin, begin + length});
  for (int i = 0; i < 100; ++i) {
    const std::size_t begin = random.below(size + 1);
    found.push_back({begin, begin + random.below(size - begin + 1)});
  }
  return found;
}

enum class Way { row_by_row, by_position, aggregates, changed_in_place, changed_in_copy };
constexpr Way all_ways[] = {Way::row_by_row, Way::by_position, Way::aggregates,
                            Way::changed_in_place, Way::changed_in_copy};

// Aggregates made while half of the rows were deleted, and changed for the others.
CountedRef<ValidAggregates> changed_aggregates(const IncludedValues& included,
                                               const PositionRows& rows, const DeletedRows& deleted,
                                               Way way) {
  std::vector<std::uint32_t> first, added;
  for (std::uint32_t at = 0; at < rows.rows.size(); ++at)
    if (deleted.has(rows[at])) (first.size() > added.size() ? added : first).push_back(at);
  const DeletedPositions some(DeletedPositions(rows.rows.size()), first);
  CountedRef<ValidAggregates> before = included.valid_aggregates(some.bits());
  const CountedRef<ValidAggregates> other_owner = way == Way::changed_in_copy ? before : nullptr;
  const DeletedPositions all(some, added);
  return included.valid_aggregates(all.bits(), std::move(before), added);
}

Answers answers_from(const IncludedValues& included, const std::vector<Match>& found,
                     const PositionRows& rows, const DeletedRows& deleted,
                     const AnswerOptions& options, Way way) {
  AnswersAccess access(options, found.size());
  const DeletedPositions positions(rows.rows.size(), rows, deleted.bits());
  const auto aggregates = way > Way::aggregates ? changed_aggregates(included, rows, deleted, way)
                                                : included.valid_aggregates(positions.bits());
  for (std::size_t first = 0; first < found.size(); first += chunk_lookups) {
    const std::size_t count = std::min(chunk_lookups, found.size() - first);
    std::vector<Match> chunk(found.begin() + static_cast<std::ptrdiff_t>(first),
                             found.begin() + static_cast<std::ptrdiff_t>(first + count));
    const ValidMatches valid = way == Way::row_by_row
                                   ? ValidMatches(chunk.data(), count, rows, deleted.bits())
                                   : ValidMatches(chunk.data(), count, positions);
    included.answer(access.request(), first, chunk.data(), count,
                    valid.all_valid() ? nullptr : &valid,
                    way >= Way::aggregates ? aggregates.get() : nullptr);
  }
  return access.finish();
}

std::vector<AnswerOptions> value_options() {
  return {{.answers = Answer::sum},
          {.answers = Answer::min},
          {.answers = Answer::sum | Answer::max, .miss = {.u64 = 1, .i64 = 2, .f64 = 3}}};
}

// Floats must not depend on what was made before; only the sign of a NaN may.
void expect_same_bits(const Answers& a, const Answers& b) {
  const auto bits_of_sum = [](double sum) {
    return std::bit_cast<std::uint64_t>(std::isnan(sum) ? std::abs(sum) : sum);
  };
  const auto sums = a.sum_as<double>();
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(bits_of_sum(sums[i]), bits_of_sum(b.sum_as<double>()[i]));
}

class IncludedWithDeletedRows : public testing::TestWithParam<std::string> {};

TEST_P(IncludedWithDeletedRows, AnswersInEveryType) {
  Random random(1);
  for (const std::size_t size : {std::size_t{1}, block, std::size_t{4001}}) {
    const PositionRows rows = order_of(first_rows(size), random);
    const DeletedRows deleted = deleted_rows_named(GetParam(), size);
    const std::vector<Match> found = matches_around_blocks(size, random);
    const Matches wanted = valid_rows(found, rows, deleted);
    for (const Type type : value_types()) {
      const TestColumn values = values_of(type, size, random);
      const auto included = IncludedValues::make(values.view(), size, row_at(rows), {});
      for (AnswerOptions options : value_options()) {
        options.values = values.view();
        std::optional<Answers> before;
        for (const Way way : all_ways) {
          Answers answers = answers_from(*included, found, rows, deleted, options, way);
          ASSERT_EQ("", first_difference(plain_answers(answers, options), options, batch_of(found),
                                         wanted, values))
              << name_of(type) << " " << size << " " << text_of(options) << " way "
              << static_cast<int>(way);
          if (before && type == Type::f64 && options.answers.has(Answer::sum))
            expect_same_bits(answers, *before);
          before = std::move(answers);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DeletedRows, IncludedWithDeletedRows,
                         testing::ValuesIn(deleted_row_names()),
                         [](const auto& item) { return item.param; });

TEST(IncludedWithDeletedRows, SmallFloatsSurviveALargeDeletedOne) {
  Random random(2);
  const std::size_t size = 10'000;
  const PositionRows rows{first_rows(size)};
  std::vector<double> values(size, 1);
  values[5000] = 1e300;
  values[6000] = std::numeric_limits<double>::infinity();
  const auto included = IncludedValues::make(values, size, row_at(rows), {});
  const DeletedRows deleted({5000, 6000}, size);
  const AnswerOptions options{.answers = Answer::sum, .values = values};
  for (const Way way : all_ways)
    EXPECT_EQ(answers_from(*included, {{0, size}}, rows, deleted, options, way).sum_as<double>()[0],
              static_cast<double>(size - 2));
}

// A segment: some rows of an index, some of them with null keys.
struct TestSegment {
  std::vector<std::uint32_t> rows;  // of elements, ascending
  std::vector<std::int32_t> values;
  std::vector<std::uint32_t> null_rows;
  PositionRows order;

  TestSegment(std::vector<std::uint32_t> all, Random& random) : rows(std::move(all)) {
    std::vector<std::uint32_t> keyed;
    for (const std::uint32_t row : rows) {
      values.push_back(static_cast<std::int32_t>(row % 1'000'003) * 3 + 1);
      (random.one_in(5) ? null_rows : keyed).push_back(row);
    }
    order = order_of(keyed, random);
  }

  [[nodiscard]] std::unique_ptr<IncludedValues> included(const RowNumbers& numbers) const {
    return IncludedValues::make(values, order.rows.size(), row_at(order), numbers);
  }

  void expect_in(const IncludedValues& included) const {
    const std::span<const std::uint32_t> outside = included.outside_rows();
    EXPECT_EQ(std::vector<std::uint32_t>(outside.begin(), outside.end()), null_rows);
    std::vector<std::uint32_t> entries(rows.size());
    std::iota(entries.rbegin(), entries.rend(), 0U);
    const OwnedColumn column = included.values_of(entries);
    const ColumnView view = column.view();
    ASSERT_EQ(view.size(), rows.size());
    const auto* const found = static_cast<const std::int32_t*>(view.data());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t entry = entries[i];
      const std::uint32_t row =
          entry < order.rows.size() ? order[entry] : null_rows[entry - order.rows.size()];
      ASSERT_EQ(found[i], static_cast<std::int32_t>(row % 1'000'003) * 3 + 1);
      ASSERT_TRUE(view.valid(i));
    }
  }
};

RowNumbers listed(const std::vector<std::uint32_t>& rows) {
  Array<std::uint32_t> list(rows.size());
  std::copy(rows.begin(), rows.end(), list.begin());
  return RowNumbers(std::move(list));
}

TEST(IncludedOfSegments, BelongToTheirRows) {
  Random random(3);
  std::vector<std::uint32_t> from_1000 = first_rows(2000);
  for (std::uint32_t& row : from_1000) row += 1000;
  std::vector<std::uint32_t> close, far;
  for (std::uint32_t row = 17; row < 9000; ++row)
    if (random.one_in(3)) close.push_back(row);
  for (std::uint32_t i = 0; i < 300; ++i) far.push_back(i * 7'000'000);
  const TestSegment all(first_rows(1500), random);
  all.expect_in(*all.included({}));
  const TestSegment appended(from_1000, random);
  appended.expect_in(*appended.included(RowNumbers(1000, from_1000.size())));
  for (const auto& rows : {close, far}) {
    const TestSegment segment(rows, random);
    segment.expect_in(*segment.included(listed(rows)));
  }
}

// What was saved, to be read while the values that were saved live.
Stored saved(const IncludedValues& included) {
  Stored stored;
  included.save(FileWriter(stored));
  stored.mapping = std::make_shared<int>();
  return stored;
}

TEST(IncludedOfSegments, AreSavedWithTheirRows) {
  Random random(4);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 500; ++i) rows.push_back(40 + i * 9);
  const TestSegment segment(rows, random);
  const auto included = segment.included(listed(rows));
  const Stored stored = saved(*included);
  const std::size_t size = segment.order.rows.size();
  segment.expect_in(*IncludedValues::from_file(FileReader(stored), size, 40 + 500 * 9));
  EXPECT_THROW(static_cast<void>(IncludedValues::from_file(FileReader(stored), size, size + 1)),
               Error)
      << "more rows than there can be";
}

}  // namespace
}  // namespace rtindex::test
