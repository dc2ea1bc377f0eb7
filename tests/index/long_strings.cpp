// Many keys that differ only in their full text, or in the last part of a composite.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t rows = 60'000;

class ManyAlikeKeys : public testing::TestWithParam<std::string> {};

template <class Key>
using RowsOf = std::map<Key, std::vector<std::uint32_t>>;

template <class Key>
RowsOf<Key> rows_of(const std::vector<Key>& column) {
  RowsOf<Key> result;
  for (std::size_t row = 0; row < column.size(); ++row)
    result[column[row]].push_back(static_cast<std::uint32_t>(row));
  return result;
}

template <class Key>
void expect_rows(const Answers& answers, const std::vector<Key>& lookups,
                 const RowsOf<Key>& expected) {
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const auto found = expected.find(lookups[i]);
    const bool hit = found != expected.end();
    ASSERT_EQ(answers.count()[i], hit ? found->second.size() : 0) << "lookup " << i;
    ASSERT_EQ(answers.first()[i], hit ? found->second.front() : miss_row) << "lookup " << i;
  }
}

// Three first words, one of them of most rows; texts that begin alike, repeat, or are another's
// begin.
std::vector<std::string> addresses(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> result(count);
  for (std::string& text : result) {
    const std::uint32_t kind = random() % 16;
    text = kind == 0 ? "ftp://" : kind == 1 ? "http://" : "https://";
    text += "www.example.org/";
    const std::uint32_t depth = random() % 4;
    for (std::uint32_t level = 0; level < depth; ++level) {
      text += std::to_string(random() % 40);
      text += '/';
    }
  }
  return result;
}

TEST_P(ManyAlikeKeys, OfTexts) {
  const std::vector<std::string> column = addresses(rows, 1);
  std::vector<std::string> lookups = addresses(5'000, 2);
  for (const char* text : {"", "h", "https://", "https://www.example.org/39/39/39/x", "z"})
    lookups.emplace_back(text);
  const Index index = build(column, GetParam());
  expect_rows(index.lookup(lookups, Answer::count | Answer::first), lookups, rows_of(column));
}

TEST_P(ManyAlikeKeys, InRangesOfTexts) {
  const std::vector<std::string> column = addresses(rows, 3);
  std::vector<std::string> lower = addresses(300, 4);
  std::vector<std::string> upper = addresses(300, 5);
  const Index index = build(column, GetParam());
  if (!index.supports(Answer::count, QueryKind::range)) GTEST_SKIP() << "points only";
  std::vector<std::string> sorted = column;
  std::sort(sorted.begin(), sorted.end());
  const Answers answers = index.range(lower, upper, Answer::count);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto begin = std::lower_bound(sorted.begin(), sorted.end(), lower[i]);
    const auto end = std::upper_bound(sorted.begin(), sorted.end(), upper[i]);
    ASSERT_EQ(answers.count()[i], std::max<std::ptrdiff_t>(end - begin, 0)) << "lookup " << i;
  }
}

// What all of them begin with is read once for each string, not once for each comparison.
TEST_P(ManyAlikeKeys, OfTextsWithALongCommonPrefix) {
  std::mt19937 random(7);
  const auto draw = [&](std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      texts.emplace_back(10'000, 'x');
      if (random() % 4 == 0) texts.back() += std::string(random() % 3, 'x');
      for (std::size_t length = random() % 40; length > 0; --length)
        texts.back() += static_cast<char>(random() % 4 == 0 ? random() : 'y');
    }
    return texts;
  };
  const std::vector<std::string> column = draw(10'000);
  std::vector<std::string> lookups = draw(500);
  lookups.insert(lookups.end(), column.begin(), column.begin() + 500);
  const Index index = build(column, GetParam());
  expect_rows(index.lookup(lookups, Answer::count | Answer::first), lookups, rows_of(column));
}

// A sample of the column shows neither the few that begin in another way nor their bytes.
TEST_P(ManyAlikeKeys, OfTextsAndSomeOthers) {
  std::vector<std::string> column;
  for (std::size_t i = 0; i < rows; ++i) column.push_back("customer-" + std::to_string(i * 17));
  for (const std::size_t row : {1U, 77U, 30'000U, 59'999U})
    column[row] = "another " + std::to_string(row) + " that no sample shows\xff";
  column[5] = "";
  column[6] = "customer-12x";
  std::vector<std::string> lookups = column;
  for (const char* text : {"customer-", "customer-12y", "another", "a", "~", "customer-17\xff"})
    lookups.emplace_back(text);
  const Index index = build(column, GetParam());
  expect_rows(index.lookup(lookups, Answer::count | Answer::first), lookups, rows_of(column));
}

TEST_P(ManyAlikeKeys, OfWideComposites) {
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  std::mt19937_64 random(6);
  const auto draw = [&](std::size_t count) {
    std::vector<Key> keys(count);
    for (Key& key : keys) key = {random() % 3 * 0x4000'0000'0000'0000U, random() % 20'000 << 44};
    return keys;
  };
  const auto parts_of = [](const std::vector<Key>& keys) {
    std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> parts;
    for (const Key& key : keys) {
      parts.first.push_back(key.first);
      parts.second.push_back(key.second);
    }
    return parts;
  };
  const std::vector<Key> column = draw(rows);
  const std::vector<Key> lookups = draw(5'000);
  const auto keys = parts_of(column);
  const auto parts = parts_of(lookups);
  const Index index =
      build(ColumnView::composite({ColumnView(keys.first), ColumnView(keys.second)}), GetParam());
  EXPECT_EQ(index.part_types(), (std::vector{Type::u64, Type::u64}));
  expect_rows(
      index.lookup(ColumnView::composite({ColumnView(parts.first), ColumnView(parts.second)}),
                   Answer::count | Answer::first),
      lookups, rows_of(column));
}

// Indexes with the rows of one encoded key side by side. A ray hits all of these.
std::vector<std::string> searching_indexes() {
  std::vector<std::string> result = usable_indexes();
  std::erase_if(result, [](const std::string& spec) {
    return spec.find("embree") != std::string::npos || spec.find("optix") != std::string::npos;
  });
  return result;
}

INSTANTIATE_TEST_SUITE_P(Indexes, ManyAlikeKeys, testing::ValuesIn(searching_indexes()),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
