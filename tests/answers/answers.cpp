#include <rtindex/answer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include <rtindex/error.hpp>

#include "answers/request.hpp"

namespace rtindex {
namespace {

TEST(AnswerSet, CombinesAnswers) {
  constexpr AnswerSet set = Answer::sum | Answer::count;
  static_assert(set.has(Answer::sum) && set.has(Answer::count) && !set.has(Answer::min));
  static_assert(set.has_any_of(Answer::min | Answer::sum));
  static_assert(!set.has_any_of(Answer::min | Answer::max));
  static_assert(AnswerSet().empty() && !set.empty());
  static_assert((set | Answer::sum) == set);
}

TEST(AnswerNames, RoundTrip) {
  EXPECT_EQ(all_answers().size(), 12U);
  for (const Answer answer : all_answers()) EXPECT_EQ(answer_named(name_of(answer)), answer);
  EXPECT_THROW(static_cast<void>(answer_named("average")), Error);
  EXPECT_THROW(static_cast<void>(answer_named("")), Error);
}

TEST(QueryKindNames, RoundTrip) {
  for (const QueryKind kind :
       {QueryKind::equal, QueryKind::range, QueryKind::prefix, QueryKind::nearest})
    EXPECT_EQ(query_kind_named(name_of(kind)), kind);
  EXPECT_EQ(name_of(QueryKind::equal), "equal");
  EXPECT_THROW(static_cast<void>(query_kind_named("point")), Error);
}

TEST(Queries, HaveTheSizeOfTheirColumns) {
  const std::vector<int> keys = {3, 1, 2};
  EXPECT_EQ(Query::equal(keys).size(), 3U);
  EXPECT_EQ(Query::range({}, keys).size(), 3U);
  EXPECT_EQ(Query::range({}, {}).size(), 1U);
  const Query some = Query::range(keys, keys, Ends::open).slice(1, 2);
  EXPECT_EQ(some.size(), 2U);
  EXPECT_EQ(some.ends, Ends::open);
  EXPECT_EQ(some.upper.text(0), "1");
}

Answers empty_answers(AnswerSet requested, bool matched) {
  const std::vector<float> values = {1};
  AnswersAccess access({.answers = requested, .values = values, .matched = matched}, 3);
  return access.finish();
}

TEST(Answers, ThrowIfNotRequestedAndSayWhatToDo) {
  using Read = std::function<void(const Answers&)>;
  const std::vector<std::pair<Answer, Read>> reads = {
      {Answer::any, [](const Answers& a) { static_cast<void>(a.any()); }},
      {Answer::first, [](const Answers& a) { static_cast<void>(a.first()); }},
      {Answer::mean, [](const Answers& a) { static_cast<void>(a.mean()); }},
      {Answer::last, [](const Answers& a) { static_cast<void>(a.last()); }},
      {Answer::count, [](const Answers& a) { static_cast<void>(a.count()); }},
      {Answer::sum, [](const Answers& a) { static_cast<void>(a.sum()); }},
      {Answer::min, [](const Answers& a) { static_cast<void>(a.min()); }},
      {Answer::max, [](const Answers& a) { static_cast<void>(a.max()); }},
      {Answer::rows, [](const Answers& a) { static_cast<void>(a.rows()); }},
      {Answer::rows, [](const Answers& a) { static_cast<void>(a.rows(0)); }},
      {Answer::rows, [](const Answers& a) { static_cast<void>(a.offsets()); }},
  };
  for (const auto& [answer, read] : reads)
    for (const Answer requested : all_answers()) {
      const Answers answers = empty_answers(requested, false);
      if (requested == answer) {
        EXPECT_NO_THROW(read(answers)) << name_of(requested);
        continue;
      }
      try {
        read(answers);
        ADD_FAILURE() << name_of(answer) << " read from a call for " << name_of(requested);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("AnswerOptions::answers"), std::string::npos);
      }
    }
}

TEST(Answers, ThrowIfMatchedWasNotRequested) {
  const Answers without = empty_answers(Answer::any, false);
  EXPECT_THROW(static_cast<void>(without.matched(0)), Error);
  EXPECT_THROW(static_cast<void>(without.matched_bitmap()), Error);
  const Answers with = empty_answers({}, true);
  EXPECT_FALSE(with.matched(2));
  EXPECT_EQ(with.matched_bitmap().size(), 1U);
}

TEST(Answers, ThrowIfReadAsAnotherClassAndNameTheClass) {
  const Answers answers = empty_answers(Answer::sum, false);
  EXPECT_NO_THROW(static_cast<void>(answers.sum_as<double>()));
  try {
    static_cast<void>(answers.sum_as<std::uint64_t>());
    ADD_FAILURE() << "double read as uint64";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("double"), std::string::npos) << error.what();
  }
}

TEST(Answers, ThrowForALookupOutOfRange) {
  const Answers answers = empty_answers(Answer::rows, true);
  EXPECT_NO_THROW(static_cast<void>(answers.rows(2)));
  EXPECT_THROW(static_cast<void>(answers.rows(3)), Error);
  EXPECT_THROW(static_cast<void>(answers.matched(3)), Error);
  EXPECT_THROW(static_cast<void>(answers.matched(64)), Error);
}

// So many rows of one chunk are copied by several threads.
TEST(Answers, KeepTheRowsOfLongChunks) {
  const std::size_t lookups = chunk_lookups + 1;
  AnswersAccess access({.answers = Answer::rows}, lookups);
  const Request& request = access.request();
  std::vector<std::uint32_t> rows(600'000);
  std::iota(rows.begin(), rows.end(), 5U);
  request.row_counts[0] = rows.size();
  request.row_counts[lookups - 1] = 1;
  (*request.chunk_rows)[0] = rows;
  (*request.chunk_rows)[1] = {3};
  const Answers answers = access.finish();
  rows.push_back(3);
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), answers.rows().begin(), answers.rows().end()));
}

TEST(Answers, ReportTheirSizeAndAnswers) {
  const Answers answers = empty_answers(Answer::rows | Answer::any, false);
  EXPECT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers.answers(), Answer::rows | Answer::any);
  EXPECT_EQ(answers.offsets().size(), 4U);
  EXPECT_EQ(Answers().size(), 0U);
}

}  // namespace
}  // namespace rtindex
