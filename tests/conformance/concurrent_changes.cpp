// Readers, writers and takers of snapshots at once. Writers change rows in groups that share a key
// and whose values add up to nothing: a reader that sees part of a change, or two versions in one
// call, finds a group that is not whole or totals that do not agree.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include <rtindex/rtindex.hpp>

#include "support/crew.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_column.hpp"
#include "support/workloads.hpp"

namespace rtindex::test::concurrent_changes {
namespace {

constexpr std::size_t writers = 2;
constexpr std::size_t readers = 3;
constexpr std::size_t snapshot_takers = 1;
constexpr int min_changes = 40;  // of every writer
constexpr int min_passes = 10;   // of every reader
constexpr std::size_t group_rows = 6;
constexpr std::size_t all_keys = 48;    // that a group may have
constexpr std::size_t max_groups = 12;  // of a writer

// Columns of keys by number.
struct Keys {
  std::string name;
  Shape shape;
  std::function<Key(std::size_t number)> key;

  [[nodiscard]] TestColumn column(const std::vector<std::size_t>& numbers) const {
    std::vector<Key> keys;
    for (const std::size_t number : numbers) keys.push_back(key(number));
    return {shape, std::move(keys)};
  }
};

const std::vector<Keys>& kinds_of_keys() {
  static const auto text = [](std::size_t number) {
    // Some outside the common prefix of most.
    return (number % 16 == 0 ? "" : "a common start of ten bytes and more ") +
           std::to_string(100 + number);
  };
  static const std::vector<Keys> kinds = {
      {"u64", Shape{Type::u64},
       [](std::size_t number) { return Key{static_cast<Whole>(number) << (number % 40)}; }},
      {"string", Shape{Type::string}, [](std::size_t number) { return Key{text(number)}; }},
      {"composite",
       Shape{Type::composite, Layout::strings, {Shape{Type::i32}, Shape{Type::string}}},
       [](std::size_t number) {
         return Key{static_cast<Whole>(number % 5) - 2, text(number)};
       }}};
  return kinds;
}

// Values of a group: they add up to 0.
std::vector<std::int64_t> group_values(Random& random) {
  std::vector<std::int64_t> values(group_rows, 0);
  for (std::size_t i = 0; i + 1 < group_rows; ++i) {
    values[i] = static_cast<std::int64_t>(random.below(1000)) - 500;
    values.back() -= values[i];
  }
  return values;
}

class SharedIndex {
 public:
  SharedIndex(const std::string& spec, const Keys& keys)
      : keys_(keys), includes_(includes_values(spec)), index_(first(spec)) {
    // Everything, then each key alone.
    std::vector<Key> lower, upper;
    for (std::size_t number = 0; number < all_keys; ++number) lower.push_back(keys.key(number));
    std::sort(lower.begin(), lower.end(),
              [](const Key& a, const Key& b) { return compare(a, b) < 0; });
    upper = lower;
    points_ = points(TestColumn(keys.shape, lower));
    lower.insert(lower.begin(), lower.front());
    upper.insert(upper.begin(), upper.back());
    ranges_ = ranges(TestColumn(keys.shape, lower), TestColumn(keys.shape, upper));
  }

  [[nodiscard]] Index& index() { return index_; }

  // "" where the answers are those of one version.
  [[nodiscard]] std::string difference() const { return difference(index_); }
  [[nodiscard]] std::string difference(const Index& index) const {
    AnswerOptions options{.answers = Answer::count | Answer::first | AnswerSet(Answer::rows)};
    if (includes_) options.answers = options.answers | Answer::sum | Answer::max;
    options.miss.i64 = 0;
    const bool has_ranges = supports(index, options.answers, QueryKind::range);
    const Answers answers = has_ranges
                                ? index.range(ranges_.lower.view(), ranges_.upper.view(), options)
                                : index.lookup(points_.lower.view(), options);
    std::size_t total = 0;
    for (std::size_t i = has_ranges ? 1 : 0; i < answers.size(); ++i) {
      total += answers.count()[i];
      if (answers.count()[i] % group_rows != 0)
        return "part of a group: " + std::to_string(answers.count()[i]) + " rows";
      if (answers.offsets()[i + 1] - answers.offsets()[i] != answers.count()[i])
        return "as many rows as counted";
      if (includes_ && answers.sum_as<std::int64_t>()[i] != 0)
        return "values of a group add up to " + std::to_string(answers.sum_as<std::int64_t>()[i]);
    }
    if (!has_ranges) return "";
    if (answers.count()[0] != total) return "all rows are not those of all keys";
    return includes_ && answers.sum_as<std::int64_t>()[0] != 0 ? "all values do not add up" : "";
  }

  // One writer's changes. It owns the keys whose number is `writer` modulo the writers.
  class Writer {
   public:
    Writer(SharedIndex& shared, std::size_t writer) : shared_(shared), random_(writer) {
      for (std::size_t number = writer; number < all_keys; number += writers)
        free_.push_back(number);
    }

    void change() {
      Index& index = shared_.index_;
      if (groups_.empty() || (groups_.size() < max_groups && random_.one_in(2))) return insert();
      const std::size_t at = random_.below(groups_.size());
      Group& group = groups_[at];
      switch (random_.below(5)) {
        case 0: index.erase(group.rows); break;
        case 1:
          if (index.erase_keys(shared_.keys_.column({group.number}).view()) != group_rows)
            throw std::logic_error("erase_keys() did not find the group");
          break;
        case 2: return index.merge();
        case 3:
          if (shared_.includes_) return index.set_included(group.rows, group_values(random_));
          [[fallthrough]];
        default: {
          std::swap(group.number, free_[random_.below(free_.size())]);
          const TestColumn keys =
              shared_.keys_.column(std::vector<std::size_t>(group_rows, group.number));
          return index.update(group.rows, keys.view());
        }
      }
      free_.push_back(group.number);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    [[nodiscard]] std::size_t groups() const { return groups_.size(); }

   private:
    struct Group {
      std::size_t number;
      std::vector<std::uint32_t> rows;
    };

    void insert() {
      Group group{free_.back(), {}};
      const TestColumn keys =
          shared_.keys_.column(std::vector<std::size_t>(group_rows, group.number));
      const std::vector<std::int64_t> values = group_values(random_);
      const std::uint32_t first =
          shared_.index_.insert(keys.view(), shared_.includes_ ? ColumnView(values) : ColumnView());
      for (std::uint32_t i = 0; i < group_rows; ++i) group.rows.push_back(first + i);
      free_.pop_back();
      groups_.push_back(std::move(group));
    }

    SharedIndex& shared_;
    Random random_;
    std::vector<std::size_t> free_;  // numbers of keys without a group
    std::vector<Group> groups_;
  };

 private:
  // Rows that nobody changes: a null group.
  [[nodiscard]] Index first(const std::string& spec) const {
    const std::vector<Key> nulls(group_rows, Key(parts_of(keys_.shape).size(), std::monostate{}));
    const TestColumn column(keys_.shape, nulls);
    const std::vector<std::int64_t> values(group_rows, 1);
    if (includes_) return build(column.view(), spec, {.include = values});
    return build(column.view(), spec);
  }

  const Keys& keys_;
  bool includes_;
  Index index_;
  Batch points_, ranges_;
};

class ConcurrentChanges : public testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

TEST_P(ConcurrentChanges, AreSeenWholeOrNotAtAll) {
  const auto& [spec, kind] = GetParam();
  SharedIndex shared(spec, kinds_of_keys()[kind]);
  Crew crew;
  std::vector<SharedIndex::Writer> all_writers;
  for (std::size_t writer = 0; writer < writers; ++writer) all_writers.emplace_back(shared, writer);
  for (SharedIndex::Writer& writer : all_writers)
    crew.add(min_changes, [&] {
      writer.change();
      std::this_thread::yield();
      return "";
    });
  for (std::size_t reader = 0; reader < readers; ++reader)
    crew.add(min_passes, [&] { return shared.difference(); });
  for (std::size_t taker = 0; taker < snapshot_takers; ++taker)
    crew.add(min_passes, [&]() -> std::string {
      const Index snapshot = shared.index().snapshot();
      const std::size_t size = snapshot.size();
      const std::size_t valid = snapshot.valid();
      for (int pass = 0; pass < 3; ++pass) {
        std::string text = shared.difference(snapshot);
        if (!text.empty()) return text;
        std::this_thread::yield();
      }
      if (valid % group_rows != 0) return "part of a group is valid";
      return snapshot.size() == size && snapshot.valid() == valid ? "" : "the snapshot changed";
    });
  // The description of an index, and its bytes.
  crew.add(min_passes, [&]() -> std::string {
    static_cast<void>(shared.index().describe());
    static_cast<void>(shared.index().memory_usage());
    const Index copy = shared.index().copy();
    return shared.difference(copy);
  });
  // Files, bytes, and indexes that are destroyed while others of their segments live on.
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  crew.add(min_passes, [&]() -> std::string {
    shared.index().save(folder.file("a.rtindex"));
    return shared.difference(load(folder.file("a.rtindex"), {.verify = Verify::full}));
  });
  std::mutex held_mutex;
  std::optional<Index> held;
  for (int taker = 0; taker < 2; ++taker)
    crew.add(min_passes, [&]() -> std::string {
      std::optional<Index> taken = shared.index().snapshot();
      {
        const std::lock_guard lock(held_mutex);
        std::swap(held, taken);
      }
      return taken ? shared.difference(*taken) : "";  // and destroyed, by another thread
    });
  crew.run();
  std::size_t groups = 0;
  for (const SharedIndex::Writer& writer : all_writers) groups += writer.groups();
  EXPECT_EQ(shared.index().valid(), groups * group_rows);
  EXPECT_EQ("", shared.difference());
}

std::vector<std::string> concurrency_specs() {
  std::vector<std::string> list;
  for (const std::string& index : usable_and_bucketed()) {
    list.push_back(index + ",delta=40");
    if (index == "rx:embree@cpu" || index == "rx:optix@cuda")
      list.push_back(index + ",update=refit");
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Conformance, ConcurrentChanges,
                         testing::Combine(testing::ValuesIn(concurrency_specs()),
                                          testing::Range(std::size_t{0}, kinds_of_keys().size())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  kinds_of_keys()[std::get<1>(item.param)].name;
                         });

}  // namespace
}  // namespace rtindex::test::concurrent_changes
