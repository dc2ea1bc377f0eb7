// The filter before the search of a small segment: it must reject most misses and no hit.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "answers/request.hpp"
#include "engine/ordered_kind.hpp"
#include "keys/codec.hpp"
#include "kinds/grid/grid.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

struct Segments {
  std::vector<std::uint64_t> keys;
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Searcher> plain, filtered;

  explicit Segments(std::vector<std::uint64_t> column)
      : keys(std::move(column)), codec(KeyCodec::for_column(keys)) {
    const HostSearchers searchers = ordered_searchers<Grid>(Order::automatic);
    plain = searchers.build(codec->encode(keys), *codec, {}, {});
    // With a small share of the rows of an index, a searcher has a filter.
    filtered = searchers.build(codec->encode(keys, 16 * keys.size() + 16), *codec, {}, {});
  }

  struct Result {
    Answers answers;
    Counters work;
  };
  [[nodiscard]] Result look_up(const Searcher& searcher, const std::vector<std::uint64_t>& lookups,
                               QueryKind kind) const {
    Counters work;
    AnswersAccess access({.answers = Answer::first | Answer::count}, lookups.size());
    access.request().counters = &work;
    const ColumnView view(lookups);
    searcher.answer(LookupBatch(*codec, view, view, kind), access.request());
    return {access.finish(), work};
  }
};

// Random keys, some of them often, and beyond 32 bits where they are wide.
std::vector<std::uint64_t> random_keys(Random& random, std::uint64_t largest) {
  std::vector<std::uint64_t> keys = {0, largest};
  while (keys.size() < 5000) {
    const std::uint64_t key = random.bits() % largest;
    keys.insert(keys.end(), random.one_in(50) ? 40 : 1, key);
  }
  return keys;
}

TEST(FilteredSearcher, AnswersLikeTheSearchAlone) {
  Random random(31);
  for (const std::uint64_t largest : {std::uint64_t{1} << 31, ~std::uint64_t{0} - 1}) {
    const Segments segments(random_keys(random, largest));
    std::vector<std::uint64_t> lookups = segments.keys;
    for (std::size_t i = 0; i < 20'000; ++i) lookups.push_back(random.bits());
    for (const std::uint64_t key : segments.keys) lookups.push_back(key + 1);
    random.shuffle(lookups);
    std::map<std::uint64_t, std::uint32_t> counts;
    for (const std::uint64_t key : segments.keys) ++counts[key];
    for (const QueryKind kind : {QueryKind::equal, QueryKind::range}) {
      const Answers plain = segments.look_up(*segments.plain, lookups, kind).answers;
      const Answers filtered = segments.look_up(*segments.filtered, lookups, kind).answers;
      for (std::size_t i = 0; i < lookups.size(); ++i) {
        const auto found = counts.find(lookups[i]);
        ASSERT_EQ(filtered.count()[i], found == counts.end() ? 0 : found->second) << lookups[i];
        ASSERT_EQ(filtered.first()[i], plain.first()[i]) << lookups[i];
      }
    }
  }
}

TEST(FilteredSearcher, SearchesFewMisses) {
  Random random(32);
  const std::uint64_t largest = ~std::uint64_t{0} - 1;
  const Segments segments(random_keys(random, largest));
  std::vector<std::uint64_t> misses(20'000);
  for (std::uint64_t& key : misses) key = random.bits() % largest;
  const Counters plain = segments.look_up(*segments.plain, misses, QueryKind::equal).work;
  const Counters filtered = segments.look_up(*segments.filtered, misses, QueryKind::equal).work;
  EXPECT_GT(plain.cells, misses.size() / 2);
  EXPECT_LT(filtered.cells, plain.cells / 10);
}

TEST(FilteredSearcher, TakesAByteForEachKey) {
  Random random(33);
  const Segments segments(random_keys(random, 1'000'000));
  const auto bytes = [](const Searcher& searcher) {
    for (const auto& [name, size] : searcher.memory_usage().parts)
      if (name == "filter") return size;
    return std::size_t{0};
  };
  EXPECT_EQ(bytes(*segments.plain), 0U);
  EXPECT_GE(bytes(*segments.filtered), segments.keys.size());
  EXPECT_LE(bytes(*segments.filtered), segments.keys.size() + 8);
}

}  // namespace
}  // namespace rtindex::test
