// Large merges run on a thread of the index while it is looked up, changed, saved and destroyed.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/description.hpp"
#include "support/forked.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test::background_merges {
namespace {

using Rows = std::vector<std::uint32_t>;
using Keys = std::vector<std::uint64_t>;

// Merges of so many keys are left to the thread, as soon as 300 lie outside the first segment.
constexpr std::size_t first_rows = 20'000;
constexpr std::uint64_t key_space = 5'000;
const std::string bound = ",delta=300";

Keys random_keys(std::size_t count, Random& random) {
  Keys keys(count);
  for (std::uint64_t& key : keys) key = random.below(key_space);
  return keys;
}

// An index and what it holds.
class ChangedIndex {
 public:
  explicit ChangedIndex(const std::string& spec, bool includes = false)
      : includes_(includes), keys_(random_keys(first_rows, random_)) {
    for (std::size_t row = 0; row < first_rows; ++row)
      values_.push_back(static_cast<std::int64_t>(row));
    valid_.assign(first_rows, true);
    index_.emplace(includes ? build(keys_, spec + bound, {.include = values_})
                            : build(keys_, spec + bound));
  }

  [[nodiscard]] Index& index() { return *index_; }

  // One row, with a change of every kind in turn.
  void change() {
    const std::uint64_t key = random_.below(key_space);
    switch (turn_++ % (includes_ ? 4 : 3)) {
      case 0:
        keys_.push_back(key);
        values_.push_back(static_cast<std::int64_t>(key));
        valid_.push_back(true);
        if (includes_)
          index_->insert(Keys{key}, std::vector<std::int64_t>{values_.back()});
        else
          index_->insert(Keys{key});
        break;
      case 1: {
        const std::uint32_t row = valid_row();
        keys_[row] = key;
        index_->update(Rows{row}, Keys{key});
        break;
      }
      case 2: {
        const std::uint32_t row = valid_row();
        valid_[row] = false;
        index_->erase(Rows{row});
        break;
      }
      default: {
        const std::uint32_t row = valid_row();
        values_[row] = static_cast<std::int64_t>(random_.below(1000));
        index_->set_included(Rows{row}, std::vector<std::int64_t>{values_[row]});
      }
    }
  }

  void check(const Index& index) const {
    std::map<std::uint64_t, Rows> rows;
    for (std::uint32_t row = 0; row < keys_.size(); ++row)
      if (valid_[row]) rows[keys_[row]].push_back(row);
    Keys lookups;
    for (std::uint64_t key = 0; key < key_space; key += 7) lookups.push_back(key);
    AnswerOptions options{.answers = Answer::count | AnswerSet(Answer::rows)};
    if (includes_) options.answers = options.answers | Answer::sum;
    options.miss.i64 = 0;
    const Answers found = index.lookup(lookups, options);
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const Rows& wanted = rows[lookups[i]];
      ASSERT_EQ(found.count()[i], wanted.size()) << lookups[i];
      Rows here(found.rows().begin() + static_cast<std::ptrdiff_t>(found.offsets()[i]),
                found.rows().begin() + static_cast<std::ptrdiff_t>(found.offsets()[i + 1]));
      std::sort(here.begin(), here.end());
      ASSERT_EQ(here, wanted) << lookups[i];
      if (!includes_) continue;
      std::int64_t sum = 0;
      for (const std::uint32_t row : wanted) sum += values_[row];
      ASSERT_EQ(found.sum_as<std::int64_t>()[i], sum) << lookups[i];
    }
    if (!includes_) return;
    // All rows at once, twice: by what is made for one version, and changed for the next.
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < keys_.size(); ++row) sum += valid_[row] ? values_[row] : 0;
    for (int time = 0; time < 2; ++time) {
      const Answers all = index.range(Keys{0}, Keys{key_space}, Answer::count | Answer::sum);
      ASSERT_EQ(all.count()[0],
                static_cast<std::size_t>(std::count(valid_.begin(), valid_.end(), true)));
      ASSERT_EQ(all.sum_as<std::int64_t>()[0], sum);
    }
  }
  void check() const { check(*index_); }

 private:
  [[nodiscard]] std::uint32_t valid_row() {
    while (true) {
      const auto row = static_cast<std::uint32_t>(random_.below(keys_.size()));
      if (valid_[row]) return row;
    }
  }

  Random random_{3};
  bool includes_;
  std::size_t turn_ = 0;
  Keys keys_;
  std::vector<std::int64_t> values_;
  std::vector<bool> valid_;
  std::optional<Index> index_;
};

std::size_t segments_of(const Index& index) {
  return described_numbers(index, "segments", 1).front();
}

class BackgroundMerges : public testing::TestWithParam<std::string> {};

TEST_P(BackgroundMerges, KeepAllChangesMadeMeanwhile) {
  ChangedIndex changed(GetParam());
  for (int step = 0; step < 3000; ++step) {
    changed.change();
    if (step % 300 == 299) changed.check();
  }
  changed.index().merge();
  EXPECT_EQ(segments_of(changed.index()), 1U) << changed.index().describe();
  changed.check();
}

TEST_P(BackgroundMerges, KeepIncludedValues) {
  if (!includes_values(GetParam())) GTEST_SKIP() << "includes no values";
  ChangedIndex changed(GetParam(), true);
  for (int step = 0; step < 3000; ++step) {
    changed.change();
    if (step % 100 == 99) changed.check();
  }
  changed.index().merge();
  changed.check();
}

TEST_P(BackgroundMerges, AreDoneWithoutAnotherChange) {
  ChangedIndex changed(GetParam());
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < 450; ++step) changed.change();  // 300 of them add a key
  while (described_numbers(changed.index(), "segments", 2).back() == first_rows) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(2));
    std::this_thread::yield();
    changed.change();
  }
  changed.check();
}

// Wherever the merge is when it happens.
TEST_P(BackgroundMerges, EndWithTheIndex) {
  for (int changes = 440; changes < 460; changes += 2) {
    ChangedIndex changed(GetParam());
    for (int step = 0; step < changes; ++step) changed.change();
    Index moved = std::move(changed.index());
    changed.check(moved);
  }
}

TEST_P(BackgroundMerges, LeaveSnapshotsAndCopiesAsTheyAre) {
  ChangedIndex changed(GetParam());
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  for (int step = 0; step < 440; ++step) changed.change();
  for (int round = 0; round < 20; ++round) {
    changed.change();
    const ChangedIndex* const now = &changed;
    now->check(changed.index().snapshot());
    now->check(changed.index().copy());
    changed.index().save(folder.file("a.rtindex"));
    now->check(load(folder.file("a.rtindex")));
  }
  Index snapshot = changed.index().snapshot();
  snapshot.merge();  // the merge of the other index goes on
  changed.check(snapshot);
  for (int step = 0; step < 500; ++step) changed.change();
  changed.check();
}

TEST_P(BackgroundMerges, AreAbandonedInForkedChildren) {
  if (!memory_survives_forks) GTEST_SKIP() << "memory does not survive forks";
  ChangedIndex changed(GetParam());
  int failed = 0;
  for (int step = 0; step < 440; ++step) changed.change();
  for (int time = 0; time < 8; ++time) {
    changed.change();
    failed += exit_code_of_child([&] {
      Index& index = changed.index();
      const std::size_t valid = index.valid();
      for (std::uint64_t key = 0; key < 700; ++key) index.insert(Keys{key});
      index.merge();
      const bool is_right = index.valid() == valid + 700 &&
                            index.lookup(Keys{key_space}, Answer::count).count()[0] == 0;
      return is_right ? 0 : 1;
    });
  }
  EXPECT_EQ(failed, 0);
  changed.check();
}

// Every version has the same number of rows, and the same sum.
TEST_P(BackgroundMerges, AreNotSeenByReaders) {
  Random random(4);
  const Keys keys = random_keys(first_rows, random);
  const std::vector<std::int64_t> values(first_rows, 3);
  const bool includes = includes_values(GetParam());
  Index index = includes ? build(keys, GetParam() + bound, {.include = values})
                         : build(keys, GetParam() + bound);
  Keys all(key_space);
  for (std::uint64_t key = 0; key < key_space; ++key) all[key] = key;
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> passes = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader)
    readers.emplace_back([&] {
      while (!stop || passes < 4) {
        AnswerOptions options{.answers = Answer::count};
        if (includes) options.answers = options.answers | Answer::sum;
        options.miss.i64 = 0;
        const Answers found = index.lookup(all, options);
        std::size_t rows = 0;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          rows += found.count()[i];
          if (includes) sum += found.sum_as<std::int64_t>()[i];
        }
        const auto expected = static_cast<std::int64_t>(3 * first_rows);
        if (rows != first_rows || (includes && sum != expected)) ++wrong;
        if (includes) {
          const Answers range = index.range(Keys{0}, Keys{key_space}, options);
          if (range.count()[0] != first_rows || range.sum_as<std::int64_t>()[0] != expected)
            ++wrong;
        }
        static_cast<void>(index.describe());
        ++passes;
      }
    });
  for (int step = 0; step < 2000; ++step) {
    const auto row = static_cast<std::uint32_t>(random.below(first_rows));
    index.update(Rows{row}, Keys{random.below(key_space)});
    if (includes) index.set_included(Rows{row}, std::vector<std::int64_t>{3});
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Cpu, BackgroundMerges, testing::ValuesIn(host_specs("")),
                         [](const auto& item) { return test_name(item.param); });

TEST(BackgroundMerge, KeepsStrings) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < first_rows; ++i) keys.push_back("key " + std::to_string(i % 3000));
  Index index = build(keys, "sorted@cpu,delta=100");
  for (int step = 0; step < 400; ++step) {
    index.insert(std::vector<std::string>{"new " + std::to_string(step)});
    index.erase(Rows{static_cast<std::uint32_t>(step * 7)});
  }
  const auto count = [&](const std::string& key) {
    return index.lookup(std::vector<std::string>{key}, Answer::count).count()[0];
  };
  for (int time = 0; time < 2; ++time) {
    for (int step = 0; step < 400; step += 13) EXPECT_EQ(count("new " + std::to_string(step)), 1U);
    EXPECT_EQ(count("key 7"), 6U);
    EXPECT_EQ(count("key 1"), 7U);
    index.merge();
  }
}

}  // namespace
}  // namespace rtindex::test::background_merges
