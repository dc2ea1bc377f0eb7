// Matches with deleted rows, against a loop over the rows that are not deleted.

#include "answers/valid_matches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "answers/request.hpp"
#include "support/checker.hpp"
#include "support/deleted_rows.hpp"
#include "support/run.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// Enough for a match that all threads share.
constexpr std::size_t size = matches::long_match + 5000;

PositionRows shuffled_rows(Random& random, std::size_t count = size) {
  PositionRows rows{std::vector<std::uint32_t>(count)};
  std::iota(rows.rows.begin(), rows.rows.end(), 0U);
  random.shuffle(rows.rows);
  return rows;
}

// Empty, short and long matches everywhere, in more than one chunk.
std::vector<Match> some_matches(Random& random) {
  std::vector<Match> found = {{0, 0}, {size, size}, {0, 1}, {0, 2}, {7, size - 1}, {9, 30'000}};
  for (const std::size_t most : {1, 2, 9, 64, 65, 1000})
    for (int i = 0; i < 40; ++i) {
      const std::size_t length = random.below(most + 1);
      const std::size_t begin = random.below(size - length);
      found.push_back({begin, begin + length});
    }
  return found;
}

Answers answers_of(const std::vector<Match>& found, const PositionRows& rows,
                   const RowBits& deleted, DeletedSet* set, const AnswerOptions& options,
                   bool ascending) {
  AnswersAccess access(options, found.size());
  Request& request = access.request();
  request.deleted = deleted;
  for (std::size_t first = 0; first < found.size(); first += chunk_lookups) {
    const std::size_t count = std::min(chunk_lookups, found.size() - first);
    std::vector<Match> chunk(found.begin() + static_cast<std::ptrdiff_t>(first),
                             found.begin() + static_cast<std::ptrdiff_t>(first + count));
    answer_valid(deleted, set, size, chunk.data(), count, rows, [&](const auto& valid) {
      answer_rows(request, first, chunk.data(), count, rows, ascending, valid);
      answer_values(request, first, chunk.data(), count, rows, valid);
    });
  }
  return access.finish();
}

class ValidRows : public testing::TestWithParam<std::string> {
 protected:
  // Tested row by row, and by position.
  static void expect_exact(const PositionRows& rows, const TestColumn& values,
                           AnswerOptions options, bool ascending) {
    Random random(11);
    expect_exact(some_matches(random), rows, values, std::move(options), ascending);
  }
  static void expect_exact(const std::vector<Match>& found, const PositionRows& rows,
                           const TestColumn& values, AnswerOptions options, bool ascending) {
    const DeletedRows deleted = deleted_rows_named(GetParam(), size);
    const Matches wanted = valid_rows(found, rows, deleted);
    options.values = values.view();
    DeletedSet by_position(deleted.bits());
    if (!deleted.bits().empty()) {
      ASSERT_NE(by_position.positions(size, size, rows, deleted.bits()), nullptr);
    }
    for (DeletedSet* const set : {static_cast<DeletedSet*>(nullptr), &by_position}) {
      const Answers answers = answers_of(found, rows, deleted.bits(), set, options, ascending);
      ASSERT_EQ("", first_difference(plain_answers(answers, options), options, batch_of(found),
                                     wanted, values))
          << text_of(options) << (set == nullptr ? ", row by row" : ", by position");
    }
  }
};

// What is not long is prefetched and folded by the caller's thread, without the bits of the others.
TEST(LongMatches, AreReplacedByEmptyOnes) {
  const std::vector<Match> found = {{3, 5}, {9, 9 + matches::long_match}, {7, 7}};
  Match buffer[3];
  const Match* const others = matches::without_long(found.data(), found.size(), buffer);
  ASSERT_EQ(others, buffer);
  EXPECT_EQ(others[0].begin, 3U);
  EXPECT_EQ(others[0].end, 5U);
  EXPECT_EQ(others[1].size(), 0U);
  EXPECT_EQ(others[2].size(), 0U);
  EXPECT_EQ(matches::without_long(found.data(), 1, buffer), found.data());
}

TEST_P(ValidRows, ReturnEveryAnswer) {
  Random random(1);
  const PositionRows rows = shuffled_rows(random);
  const TestColumn values = values_of(Type::i32, size, random);
  for (const AnswerOptions& options : every_options())
    if (!options.answers.has(Answer::mean))  // which a BatchRunner divides
      expect_exact(rows, values, options, false);
}

TEST_P(ValidRows, ReturnTheFirstInAscendingOrder) {
  Random random(2);
  PositionRows rows = shuffled_rows(random);
  std::sort(rows.rows.begin(), rows.rows.end());
  const TestColumn values = values_of(Type::u64, size, random);
  expect_exact(rows, values, full_options(), true);
  expect_exact(rows, values, {.answers = Answer::first}, true);
}

// Long matches are cut into pieces; one row is left for the last of them.
TEST_P(ValidRows, MayEndWithAPieceOfOneRow) {
  static_assert(matches::long_match % matches::piece_rows == 0);
  Random random(10);
  const PositionRows rows = shuffled_rows(random);
  const TestColumn values = values_of(Type::i16, size, random);
  std::vector<Match> found;
  for (std::size_t begin = 0; begin < 50; ++begin)
    found.push_back({begin, begin + matches::long_match + 1});
  expect_exact(found, rows, values, {.answers = Answer::sum}, false);
  expect_exact(found, rows, values, {.answers = Answer::max | Answer::count}, false);
}

TEST_P(ValidRows, AreAtMostOneForDistinctKeys) {
  Random random(9);
  const PositionRows rows = shuffled_rows(random);
  const TestColumn values = values_of(Type::f32, size, random);
  std::vector<Match> found;
  for (int i = 0; i < 1000; ++i) {
    const std::size_t begin = random.below(size);
    found.push_back({begin, begin + random.below(2)});
  }
  for (const AnswerOptions& options : every_options())
    if (!options.answers.has(Answer::mean)) expect_exact(found, rows, values, options, true);
}

TEST_P(ValidRows, AreFoldedInEveryType) {
  Random random(3);
  const PositionRows rows = shuffled_rows(random);
  for (const Type type : value_types()) {
    SCOPED_TRACE(name_of(type));
    const TestColumn values = values_of(type, size, random);
    expect_exact(rows, values, full_options(), false);
    expect_exact(rows, values, {.answers = Answer::sum}, false);
  }
}

TEST_P(ValidRows, FillALimit) {
  Random random(4);
  const PositionRows rows = shuffled_rows(random);
  const TestColumn values = values_of(Type::u8, size, random);
  for (const std::uint32_t limit : {0U, 1U, 30U, 16'384U, 65'600U, 69'999U})
    expect_exact(rows, values, {.answers = Answer::rows, .limit = limit}, false);
}

INSTANTIATE_TEST_SUITE_P(DeletedRows, ValidRows, testing::ValuesIn(deleted_row_names()),
                         [](const auto& item) { return item.param; });

TEST(ValidMatches, BeginWithAValidRow) {
  Random random(5);
  const PositionRows rows = shuffled_rows(random);
  const DeletedRows deleted = deleted_rows_named("half", size);
  std::vector<Match> found = {{10, 10}, {0, 1000}, {3, 4}, {4, 5}, {size - 3, size}};
  const ValidMatches valid(found.data(), found.size(), rows, deleted.bits());
  EXPECT_FALSE(valid.all_valid());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].size() != 0) {
      EXPECT_FALSE(deleted.has(rows[found[i].begin])) << i;
    }
    for (std::uint64_t at = found[i].begin; at < found[i].end; ++at)
      ASSERT_EQ(valid.deleted(i).has(at), deleted.has(rows[at]));
  }
}

TEST(ValidMatches, AreAllValidIfNoneIsDeleted) {
  Random random(6);
  const PositionRows rows = shuffled_rows(random);
  const DeletedRows deleted({rows[5], rows[9]}, size);
  std::vector<Match> found = {{0, 5}, {5, 6}, {6, 9}, {9, 20}};
  EXPECT_TRUE(ValidMatches(found.data(), found.size(), rows, deleted.bits()).all_valid());
  EXPECT_EQ(found[1].size(), 0U);
  EXPECT_EQ(found[3].begin, 10U);
  found.push_back({4, 7});
  EXPECT_FALSE(ValidMatches(found.data(), found.size(), rows, deleted.bits()).all_valid());
}

TEST(DeletedPositions, CountAnyRange) {
  Random random(7);
  const PositionRows rows = shuffled_rows(random);
  for (const std::string& name : deleted_row_names()) {
    const DeletedRows deleted = deleted_rows_named(name, size);
    const DeletedPositions positions(size, rows, deleted.bits());
    std::vector<std::uint64_t> before(size + 1, 0);
    for (std::size_t at = 0; at < size; ++at)
      before[at + 1] = before[at] + (deleted.has(rows[at]) ? 1 : 0);
    for (const Match& match : some_matches(random)) {
      ASSERT_EQ(positions.count(match), before[match.end] - before[match.begin]) << name;
      ASSERT_EQ(positions.bits().count(match), positions.count(match)) << name;
    }
    EXPECT_EQ(positions.count({0, size}), before[size]) << name;
  }
}

TEST(DeletedSets, AreBuiltOnceWorthwhile) {
  Random random(8);
  const PositionRows rows = shuffled_rows(random);
  const DeletedRows deleted = deleted_rows_named("few", size);
  DeletedSet set(deleted.bits());
  EXPECT_EQ(set.positions(1, size, rows, deleted.bits()), nullptr);
  EXPECT_EQ(set.bytes(), 0U);
  const DeletedPositions* const made = set.positions(size, size, rows, deleted.bits());
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(set.positions(0, size, rows, deleted.bits()), made);
  EXPECT_EQ(set.bytes(), made->bytes());
}

TEST(DeletedSets, ReportTheirMemory) {
  Random random(9);
  const PositionRows rows = shuffled_rows(random);
  const DeletedRows deleted = deleted_rows_named("few", size);
  const DeletedSets sets;
  EXPECT_EQ(sets.bytes(), 0U);
  std::size_t bytes = 0;
  for (const std::uint64_t id : {1, 2}) {
    RowBits bits = deleted.bits();
    bits.id = id;
    const DeletedPositions* const made = sets.of(bits)->positions(size, size, rows, bits);
    ASSERT_NE(made, nullptr);
    bytes += made->bytes();
    EXPECT_EQ(sets.bytes(), bytes);
  }
}

TEST(DeletedSets, ReturnNothingIfBuildingFails) {
  LazyValue<SharedPositions> positions;
  const auto fails = []() -> CountedRef<SharedPositions> { throw std::bad_alloc(); };
  EXPECT_EQ(positions.get(5, 5, fails), nullptr);
  EXPECT_EQ(positions.get(5, 5, fails), nullptr);
  EXPECT_EQ(positions.bytes(), 0U);
}

TEST(DeletedSets, KeepTheLastTwo) {
  const std::vector<std::uint32_t> words(1, 1);
  const auto bits = [&](std::uint64_t id) { return RowBits{words.data(), 32, id}; };
  const DeletedSets sets;
  EXPECT_EQ(sets.of({}), nullptr);
  EXPECT_EQ(sets.of(bits(0)), nullptr) << "nothing may be derived from a set without a number";
  const auto first = sets.of(bits(1));
  const auto second = sets.of(bits(2));
  EXPECT_NE(first, second) << "the same words may hold another set by now";
  EXPECT_EQ(sets.of(bits(1)), first);
  EXPECT_EQ(sets.of(bits(2)), second);
  const auto third = sets.of(bits(3));
  EXPECT_EQ(sets.of(bits(2)), second);
  EXPECT_EQ(sets.of(bits(3)), third);
  EXPECT_NE(sets.of(bits(1)), first);
}

// Positions of several pages.
TEST(DeletedSets, AreDerivedFromThoseBefore) {
  constexpr std::size_t many = 300'000;
  Random random(11);
  const PositionRows rows = shuffled_rows(random, many);
  const Lazy<RowPositions> row_positions([&] { return RowPositions(many, many, rows); });
  const DeletedSets sets(&row_positions);
  const auto bitmap_of = [&](std::size_t count) {
    SparseBitmapBuilder builder(many);
    for (std::size_t i = 0; i < count; ++i)
      builder.add(static_cast<std::uint32_t>(random.below(many)));
    return std::move(builder).finish();
  };
  RowBitmapPtr deleted = bitmap_of(5000);
  for (int version = 0; version < 20; ++version) {
    const RowBits bits = deleted->bits();
    const CountedRef<DeletedSet> set = sets.of(bits);
    EXPECT_EQ(row_positions.if_there() != nullptr, version > 1)
        << "one pass needs no row positions";
    const DeletedPositions* const found = set->positions(many, many, rows, bits);
    ASSERT_NE(found, nullptr);
    std::uint64_t before = 0;
    for (std::uint64_t at = 0; at < many; ++at) {
      ASSERT_EQ(found->bits().has(at), bits.has(rows[at])) << version << ' ' << at;
      ASSERT_EQ(found->count({0, at}), before) << version << ' ' << at;
      before += bits.has(rows[at]) ? 1 : 0;
    }
    EXPECT_EQ(found->count({0, many}), deleted->count());
    // A few rows more, or, as in a snapshot that changes too, others.
    deleted = version % 7 == 6 ? bitmap_of(100) : union_of(deleted, bitmap_of(1 + version));
  }
}

// A reader of an old version keeps what was derived from it, while later ones are made of it.
TEST(DeletedSets, OfOldVersionsStayAsTheyAre) {
  constexpr std::size_t many = 100'000;
  Random random(13);
  const PositionRows rows = shuffled_rows(random, many);
  const Lazy<RowPositions> row_positions([&] { return RowPositions(many, many, rows); });
  const DeletedSets sets(&row_positions);
  struct Reader {
    RowBitmapPtr bitmap;  // null: it has released its version
    CountedRef<DeletedSet> set;
    const DeletedPositions* positions;
    std::vector<bool> is_deleted;
  };
  std::vector<Reader> readers;
  std::vector<bool> is_deleted(many, false);
  RowBitmapPtr deleted;
  for (int version = 0; version < 200; ++version) {
    const auto row = static_cast<std::uint32_t>(random.below(many));
    deleted = with_rows(deleted, std::vector{row}, many);
    is_deleted[row] = true;
    CountedRef<DeletedSet> set = sets.of(deleted->bits());
    const DeletedPositions* const found = set->positions(many, many, rows, deleted->bits());
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->count({0, many}), deleted->count());
    if (version % 7 == 0)
      readers.push_back({version % 2 == 0 ? deleted : nullptr, std::move(set), found, is_deleted});
    if (readers.size() > 3) readers.erase(readers.begin());
    if (version % 20 != 0) continue;
    for (const Reader& reader : readers)
      for (std::uint64_t at = 0; at < many; ++at)
        ASSERT_EQ(reader.positions->bits().has(at), reader.is_deleted[rows[at]]) << at;
  }
}

TEST(PageSums, AreChangedFromAPageOn) {
  constexpr std::size_t pages = 1000;
  Random random(14);
  std::vector<std::uint32_t> expected(pages);
  for (std::size_t page = 1; page < pages; ++page)
    expected[page] = expected[page - 1] + static_cast<std::uint32_t>(random.below(100));
  PageSums<std::uint32_t> sums(expected);
  for (int i = 0; i < 100; ++i) {
    const std::size_t first = random.below(pages + 1);
    const auto value = static_cast<std::uint32_t>(random.below(100)) - 50U;
    sums.add_from(first, value);
    for (std::size_t page = first; page < pages; ++page) expected[page] += value;
  }
  for (std::size_t page = 0; page < pages; ++page) ASSERT_EQ(sums[page], expected[page]) << page;
}

TEST(RowPositions, OfConsecutiveRowsTakeNoMemory) {
  const RowPositions positions(10, 5);
  EXPECT_EQ(positions.bytes(), 0U);
  EXPECT_EQ(positions.find(10), 0U);
  EXPECT_EQ(positions.find(14), 4U);
  for (const std::uint32_t row : {0U, 9U, 15U, miss_row}) EXPECT_FALSE(positions.find(row));
}

TEST(RowPositions, FindTheRowsThatAreThere) {
  for (const std::size_t row_count : {1000U, 100'000U}) {  // a table by row, and a hash table
    Random random(12);
    PositionRows rows;
    for (std::uint32_t row = 0; row < row_count; row += static_cast<std::uint32_t>(row_count / 500))
      rows.rows.push_back(row);
    random.shuffle(rows.rows);
    const RowPositions positions(rows.rows.size(), row_count, rows);
    std::size_t found = 0;
    for (std::uint32_t row = 0; row < row_count + 10; ++row)
      if (const auto at = positions.find(row)) {
        ASSERT_EQ(rows[*at], row);
        ++found;
      }
    EXPECT_EQ(found, rows.rows.size());
  }
}

TEST(DeletedPositions, FindTheValidEdges) {
  Random random(8);
  const PositionRows rows = shuffled_rows(random);
  for (const std::string& name : deleted_row_names()) {
    const DeletedRows deleted = deleted_rows_named(name, size);
    const DeletedPositions positions(size, rows, deleted.bits());
    for (const Match& match : some_matches(random)) {
      std::vector<std::uint64_t> valid;
      for (std::uint64_t at = match.begin; at < match.end; ++at)
        if (!deleted.has(rows[at])) valid.push_back(at);
      ASSERT_EQ(positions.bits().first_valid(match), valid.empty() ? match.end : valid.front())
          << name;
      ASSERT_EQ(positions.bits().last_valid(match), valid.empty() ? match.end : valid.back())
          << name;
      ASSERT_EQ(positions.count(match), match.size() - valid.size()) << name;
    }
  }
}

}  // namespace
}  // namespace rtindex::test
