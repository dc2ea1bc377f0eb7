// The first and last valid row of ranges by Embree's closest hits, and all of them in the order of
// keys, against a binary search.

#if defined(RTINDEX_HAS_EMBREE)

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rtindex/error.hpp>

#include "kinds/embree/device.hpp"
#include "kinds/embree/embree_searchers.hpp"
#include "support/deleted_rows.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

TestColumn column_of(const Keys& keys) {
  const std::vector<Whole> values(keys.begin(), keys.end());
  return integers(Type::u64, values);
}

// The largest key that the spec holds next to key 0.
std::uint64_t largest_key(const RxOptions& options) {
  std::uint64_t low = 0;
  std::uint64_t high = options.coordinates.largest_key();
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (is_exact(options, middle, embree_coordinate_limit))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// A column in a tracer, and in the order of its keys.
class TracedColumn {
 public:
  TracedColumn(const std::string& spec, TestColumn column)
      : column_(std::move(column)), codec_(KeyCodec::for_column(column_.view())) {
    EncodedColumn encoded = codec_->encode(column_.view());
    for (std::size_t i = 0; i < encoded.size(); ++i) keys_.push_back(encoded.keys[i]);
    for (std::uint32_t row = 0; row < column_.size(); ++row)
      if (!is_null(column_.keys()[row])) order_.push_back(row);
    EmbreeOptions options = EmbreeOptions::from(Spec(spec));
    options.threads = 1;
    tracer_ = embree_searchers(options).build(
        std::move(encoded), *codec_, [](std::uint32_t row) { return std::to_string(row); }, {});
    rows_ = order_;
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int compared = compare(column_.keys()[a], column_.keys()[b]);
      return compared != 0 ? compared < 0 : a < b;
    });
  }

  [[nodiscard]] std::size_t size() const { return column_.size(); }
  [[nodiscard]] bool is_lossy() const { return codec_->has_residual(); }

  // Both edges of every range.
  void expect_edges(const TestColumn& lower, const TestColumn& upper,
                    const DeletedRows& deleted) const {
    const std::vector<std::uint32_t> valid = valid_rows(deleted);
    const ColumnView low = lower.view();
    const ColumnView high = upper.view();
    const LookupBatch batch(*codec_, low, high, QueryKind::range);
    std::vector<std::uint32_t> rows(lower.size());
    std::vector<std::uint64_t> keys(lower.size());
    for (const Edge edge : {Edge::first, Edge::last}) {
      Counters work;
      tracer_->find_edges(batch, edge, deleted.bits(), rows.data(), keys.data(), &work);
      for (std::size_t i = 0; i < lower.size(); ++i) {
        const std::vector<std::uint32_t> all = rows_of(valid, lower.keys()[i], upper.keys()[i]);
        const std::uint32_t expected = all.empty()           ? miss_row
                                       : edge == Edge::first ? all.front()
                                                             : all.back();
        ASSERT_EQ(rows[i], expected)
            << (edge == Edge::first ? "first of " : "last of ") << text_of(lower.keys()[i])
            << " to " << text_of(upper.keys()[i]);
        if (expected == miss_row) continue;
        ASSERT_EQ(keys[i], encoded_key(expected)) << "row " << expected;
        ASSERT_GT(work.rays, 0U);
        ASSERT_GT(work.hits, 0U);
      }
    }
  }

  // The rows of every range in both orders, and their keys. Returns the work for them.
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests only compare the rows
  Counters expect_rows(const TestColumn& lower, const TestColumn& upper, const DeletedRows& deleted,
                       std::uint32_t limit) const {
    Counters work;
    compare_rows(lower, upper, deleted, limit, work);
    return work;
  }

 private:
  void compare_rows(const TestColumn& lower, const TestColumn& upper, const DeletedRows& deleted,
                    std::uint32_t limit, Counters& work) const {
    const std::vector<std::uint32_t> valid = valid_rows(deleted);
    const ColumnView low = lower.view();
    const ColumnView high = upper.view();
    std::vector<std::uint64_t> counts(lower.size());
    for (const RowOrder order : {RowOrder::ascending, RowOrder::descending}) {
      std::vector<std::vector<std::uint32_t>> rows(chunks_of(lower.size()));
      std::vector<std::vector<std::uint64_t>> keys(chunks_of(lower.size()));
      Request request;
      request.answers = Answer::rows;
      request.order = order;
      request.limit = limit;
      request.deleted = deleted.bits();
      request.row_counts = counts.data();
      request.chunk_rows = &rows;
      request.chunk_keys = &keys;
      request.counters = &work;
      tracer_->answer(LookupBatch(*codec_, low, high, QueryKind::range), request);
      std::vector<std::vector<std::uint32_t>> expected(rows.size());
      std::vector<std::vector<std::uint64_t>> expected_keys(rows.size());
      for (std::size_t i = 0; i < lower.size(); ++i) {
        std::vector<std::uint32_t> all = rows_of(valid, lower.keys()[i], upper.keys()[i]);
        if (order == RowOrder::descending) std::reverse(all.begin(), all.end());
        all.resize(std::min<std::size_t>(all.size(), limit));
        ASSERT_EQ(counts[i], all.size()) << "lookup " << i;
        for (const std::uint32_t row : all) {
          expected[i / chunk_lookups].push_back(row);
          expected_keys[i / chunk_lookups].push_back(encoded_key(row));
        }
      }
      ASSERT_EQ(rows, expected);
      ASSERT_EQ(keys, expected_keys);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> valid_rows(const DeletedRows& deleted) const {
    std::vector<std::uint32_t> valid;
    for (const std::uint32_t row : order_)
      if (!deleted.has(row)) valid.push_back(row);
    return valid;
  }

  // Of valid rows in the order of their keys.
  [[nodiscard]] std::vector<std::uint32_t> rows_of(const std::vector<std::uint32_t>& valid,
                                                   const Key& lower, const Key& upper) const {
    if (is_null(lower) || is_null(upper)) return {};
    const auto first = std::partition_point(valid.begin(), valid.end(), [&](std::uint32_t row) {
      return compare(column_.keys()[row], lower) < 0;
    });
    const auto end = std::partition_point(valid.begin(), valid.end(), [&](std::uint32_t row) {
      return compare(column_.keys()[row], upper) <= 0;
    });
    return first < end ? std::vector<std::uint32_t>(first, end) : std::vector<std::uint32_t>{};
  }

  [[nodiscard]] std::uint64_t encoded_key(std::uint32_t row) const {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), row);
    return keys_[static_cast<std::size_t>(at - rows_.begin())];
  }

  TestColumn column_;
  std::unique_ptr<KeyCodec> codec_;
  std::unique_ptr<Searcher> tracer_;
  std::vector<std::uint64_t> keys_;  // encoded, by primitive
  std::vector<std::uint32_t> rows_;  // by primitive
  std::vector<std::uint32_t> order_;
};

class EmbreeEdges : public testing::TestWithParam<std::string> {
 protected:
  // Key 0 is in every column, so that keys are encoded as they are.
  void expect_edges(Keys keys) {
    keys.push_back(0);
    random.shuffle(keys);
    const TracedColumn column(GetParam(), column_of(keys));
    const auto [lower, upper] = ranges_for(keys);
    for (const std::string& name : deleted_row_names()) {
      SCOPED_TRACE("deleted rows: " + name);
      column.expect_edges(lower, upper, deleted_rows_named(name, column.size()));
      if (HasFatalFailure()) return;
    }
  }

  // From the begin to an end, from an end to the last key, and between two ends.
  std::pair<TestColumn, TestColumn> ranges_for(const Keys& keys) {
    Keys ends = {0, 1, largest, largest - 1, largest / 2};
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t key = random.pick(keys);
      ends.push_back(key);
      ends.push_back(key + (key < largest ? 1 : 0));
      ends.push_back(key - (key > 0 ? 1 : 0));
      ends.push_back(any_key());
    }
    Keys lower;
    Keys upper;
    for (const std::uint64_t end : ends) {
      lower.insert(lower.end(), {0, end, end, random.pick(ends)});
      upper.insert(upper.end(), {end, largest, end, random.pick(ends)});
    }
    return {column_of(lower), column_of(upper)};
  }

  [[nodiscard]] std::uint64_t any_key() {
    return largest == ~std::uint64_t{0} ? random.bits() : random.bits() % (largest + 1);
  }

  const RxOptions options = RxOptions::from(Spec(GetParam()));
  const std::uint64_t largest = largest_key(options);
  Random random{23};
};

TEST_P(EmbreeEdges, OfOneKey) {
  expect_edges({});
  expect_edges({largest});
}

TEST_P(EmbreeEdges, OfDenseKeys) {
  Keys keys;
  for (std::uint64_t key = 0; key < 800 && key <= largest; ++key) keys.push_back(key);
  expect_edges(keys);
  keys = {};
  for (std::uint64_t i = 0; i < 800 && i <= largest; ++i) keys.push_back(largest - i);
  expect_edges(keys);
}

TEST_P(EmbreeEdges, OfSparseKeys) {
  Keys keys = {largest};
  for (int i = 0; i < 600; ++i) keys.push_back(any_key());
  expect_edges(keys);
}

TEST_P(EmbreeEdges, OfEqualKeys) {
  Keys keys;
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t key = i == 0 ? largest : any_key();
    keys.insert(keys.end(), 1 + random.below(60), key);
  }
  keys.insert(keys.end(), 50, 0);
  expect_edges(keys);
}

// Groups of neighbouring keys with wide gaps between them, at powers of two and borders of rows.
TEST_P(EmbreeEdges, OfGroupsFarApart) {
  Keys keys;
  for (int bits = 2; bits < 64; ++bits)
    for (std::uint64_t i = 0; i < 24; ++i) {
      const std::uint64_t key = (std::uint64_t{1} << bits) - 12 + i;
      if (key <= largest && !random.one_in(3)) keys.push_back(key);
    }
  for (std::uint64_t octave = 1; octave < 128; octave += 5)
    for (std::uint64_t i = 0; i < 24; ++i) {
      const std::uint64_t key = (octave << 22) - 12 + i;
      if (key <= largest && !random.one_in(3)) keys.push_back(key);
    }
  expect_edges(keys);
}

std::vector<std::string> specs() {
  std::vector<std::string> result;
  for (const std::string options : {"mode=naive",
                                    "mode=naive,primitive=sphere",
                                    "mode=naive,primitive=aabb",
                                    "mode=naive,range=zero,point=zero",
                                    "mode=naive,point=offset,scale=2^20",
                                    "mode=naive,primitive=aabb,scale=2^-20",
                                    "mode=extended",
                                    "mode=extended,point=zero",
                                    "mode=extended,primitive=aabb",
                                    "mode=extended,scale=2^-20",
                                    "bits=23+23+18",
                                    "bits=23+23+18,primitive=aabb",
                                    "primitive=sphere",
                                    "bits=23+23+18,range=zero",
                                    "bits=18+23+23",
                                    "bits=18+20+18,primitive=sphere",
                                    "bits=18+23+23,primitive=aabb",
                                    "bits=2+20+20",
                                    "bits=2+20+20,primitive=sphere,compact=on",
                                    "bits=0+23+23",
                                    "bits=0+23+23,primitive=aabb",
                                    "bits=23+0+0",
                                    "bits=1+4+5,row_rays=all",
                                    "bits=3+3+3,row_rays=all,primitive=sphere,scale=2^-20",
                                    "bits=4+4+2,row_rays=all,primitive=aabb",
                                    "bits=20+23+20,scale=2^20,update=refit"})
    result.push_back("rx:embree," + options);
  return result;
}

std::string spec_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char letter : info.param.substr(info.param.find(',') + 1))
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tracers, EmbreeEdges, testing::ValuesIn(specs()), spec_name);

TEST(EmbreeEdgesOfRows, ReturnRowsInKeyOrderUpToTheLimit) {
  Random random(8);
  std::vector<Whole> values;
  for (int i = 0; i < 900; ++i) values.push_back(random.between(0, 400));
  std::vector<Whole> lower;
  std::vector<Whole> upper;
  for (int i = 0; i < 600; ++i) {
    lower.push_back(random.between(0, 400));
    upper.push_back(lower.back() + random.between(-2, 60));
  }
  for (const std::string options : {"mode=naive", "bits=3+4+4", "mode=extended,primitive=aabb"}) {
    const TracedColumn column("rx:embree," + options, integers(Type::i32, values));
    for (const std::string& name : deleted_row_names())
      for (const std::uint32_t limit : {0U, 1U, 7U, no_limit})
        column.expect_rows(integers(Type::i32, lower), integers(Type::i32, upper),
                           deleted_rows_named(name, column.size()), limit);
  }
}

TEST(EmbreeEdgesOfRows, LimitHitsToThoseOfTheRowsReturned) {
  Keys keys;
  for (std::uint64_t key = 0; key < 5000; ++key) keys.push_back(key);
  const TracedColumn column("rx:embree,mode=naive", column_of(keys));
  const DeletedRows none(std::vector<bool>(keys.size()));
  const TestColumn lower = column_of({0, 1000});
  const TestColumn upper = column_of({4999, 3999});
  EXPECT_LT(column.expect_rows(lower, upper, none, 3).hits, 500U);
  EXPECT_GE(column.expect_rows(lower, upper, none, no_limit).hits, 2U * (5000 + 3000));
}

TEST(EmbreeEdgesOfRows, AreRejectedIfTheyMayNeedTooManyRays) {
  const TestColumn keys = column_of({0, std::uint64_t{1} << 40});
  const TestColumn far = column_of({(std::uint64_t{1} << 40) - 1});
  const DeletedRows none(std::vector<bool>(2));
  const TracedColumn all("rx:embree,bits=4+20+20,row_rays=all", keys);
  EXPECT_THROW(all.expect_edges(column_of({1}), far, none), Error);
  all.expect_edges(column_of({1}), column_of({1000}), none);
  const TracedColumn occupied("rx:embree,bits=4+20+20", keys);
  occupied.expect_edges(column_of({1}), far, none);
}

TEST(EmbreeEdgesOfRows, WithNullsSkipThem) {
  Random random(4);
  std::vector<Whole> values;
  for (int i = 0; i < 2000; ++i) values.push_back(random.between(-3000, 3000));
  const TestColumn all = integers(Type::i32, values);
  const TracedColumn column("rx:embree",
                            with_nulls(all, [](std::size_t row) { return row % 3 == 1; }));
  std::vector<Whole> ends;
  for (int i = 0; i < 500; ++i) ends.push_back(random.between(-3100, 3100));
  const TestColumn lower =
      with_nulls(integers(Type::i32, ends), [](std::size_t row) { return row % 50 == 7; });
  const std::vector<Whole> last(ends.size(), 3000);
  for (const std::string& name : deleted_row_names())
    column.expect_edges(lower, integers(Type::i32, last), deleted_rows_named(name, column.size()));
}

// Texts that are too long for their encoded keys, some of which differ in their last bytes.
TEST(EmbreeEdgesOfRows, ComparesFullKeys) {
  Random random(6);
  std::vector<std::string> heads = {"", "a", "measure"};
  for (int i = 0; i < 500; ++i) {
    std::string& head = heads.emplace_back();
    for (int length = 40; length > 0; --length) head += static_cast<char>('a' + random.below(26));
  }
  const auto texts = [&](std::size_t count) {
    std::vector<std::string> result(count);
    for (std::string& text : result) {
      text = random.pick(heads);
      for (std::size_t length = random.below(4); length > 0; --length)
        text += static_cast<char>('a' + random.below(3));
    }
    return result;
  };
  const TracedColumn column("rx:embree", strings(texts(1500)));
  ASSERT_TRUE(column.is_lossy());
  const TestColumn lower = strings(texts(600));
  const TestColumn upper = strings(texts(600));
  for (const std::string& name : deleted_row_names()) {
    column.expect_edges(lower, upper, deleted_rows_named(name, column.size()));
    column.expect_rows(lower, upper, deleted_rows_named(name, column.size()), 20);
  }
}

}  // namespace
}  // namespace rtindex::test

#endif
