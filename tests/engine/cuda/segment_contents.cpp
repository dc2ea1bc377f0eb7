// Segments that a GPU builds and merges, exported and compared with a table: keys of both widths,
// signed ones and floats, null ones, rows in any order, included values and deleted rows, over many
// blocks of threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/engine_of.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// The expected keys and values of the rows of an index.
template <class Key, class Value>
class SegmentTable {
 public:
  SegmentTable(const std::string& spec, bool on_device, bool has_values, unsigned seed)
      : engine_(engine_of(spec)), on_device_(on_device), has_values_(has_values), random_(seed) {}

  // `scale`: how far keys are apart.
  void build(std::size_t rows, double nulls, std::uint64_t scale) {
    const Input input = draw(rows, nulls, scale);
    states_.rows = rows;
    BuildOptions options;
    if (has_values_) options.include = placed(ColumnView(input.values));
    NewSegment made = engine_.segments->build(placed(view(input)), options);
    states_.nulls = made.nulls;
    segments_.push_back(std::move(made.segment));
    for (std::uint32_t row = 0; row < rows; ++row) set_row(row, input, row);
  }

  void insert(std::size_t count, double nulls, std::uint64_t scale, bool merged_at_once) {
    const Input input = draw(count, nulls, scale);
    NewRows rows{.first = static_cast<std::uint32_t>(states_.rows),
                 .count = count,
                 .keys = placed(view(input)),
                 .merged_at_once = merged_at_once};
    if (has_values_) rows.include = {placed(ColumnView(input.values))};
    const auto first = static_cast<std::uint32_t>(states_.rows);
    states_.rows += count;
    add(rows);
    for (std::uint32_t i = 0; i < count; ++i) set_row(first + i, input, i);
  }

  // New keys, values that stay; or new values, keys that stay.
  void change(std::size_t count, double nulls, std::uint64_t scale, bool keys) {
    std::vector<std::uint32_t> list(states_.rows);
    std::iota(list.begin(), list.end(), 0U);
    std::shuffle(list.begin(), list.end(), random_);
    list.resize(std::min(count, list.size()));
    const Input input = draw(list.size(), nulls, scale);
    NewRows rows{.rows = placed(ColumnView(list)), .count = list.size(), .merged_at_once = true};
    if (keys)
      rows.keys = placed(view(input));
    else
      rows.include = {placed(ColumnView(input.values))};
    const CheckedRows checked = engine_.segments->check_rows(rows.rows, states_, {});
    const std::vector<Segment> current = segments_;
    for (Segment& segment : segments_) segment.deleted = union_of(segment.deleted, checked.named);
    add(rows, current);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (keys) keys_[list[i]] = input.valid[i] ? std::optional(input.keys[i]) : std::nullopt;
      if (!keys) values_[list[i]] = input.values[i];
    }
  }

  void merge(std::size_t first = 0) {
    Segment merged =
        engine_.segments->merge(std::span(segments_).subspan(first), states_.rows, first == 0);
    segments_.resize(first);
    segments_.push_back(std::move(merged));
  }

  void expect_same() const {
    std::map<std::uint32_t, Key> keys;
    std::map<std::uint32_t, Value> values;
    for (const Segment& segment : segments_) {
      const Array<std::uint32_t> words =
          segment.deleted == nullptr ? Array<std::uint32_t>() : segment.deleted->words();
      const RowBits deleted{words.data(),
                            segment.deleted == nullptr ? 0 : segment.deleted->bits().rows};
      const EncodedColumn column = segment.searcher->column();
      ASSERT_EQ(column.size(), segment.keys());
      const OwnedColumn decoded = segment.codec->decode(column);
      const auto* const elements = static_cast<const Key*>(decoded.view().data());
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (i != 0) {
          ASSERT_LT(column.row(i - 1), column.row(i));
        }
        if (!deleted.has(column.row(i))) {
          ASSERT_TRUE(keys.emplace(column.row(i), elements[i]).second);
        }
      }
      ASSERT_EQ(!segment.searcher->included().empty(), has_values_);
      const IncludedRows included = segment.searcher->included_rows();
      const auto* const own =
          included.rows.empty() ? nullptr
                                : static_cast<const Value*>(included.columns.front().view().data());
      for (std::size_t i = 0; i < included.rows.size(); ++i) {
        if (i != 0) {
          ASSERT_LT(included.rows[i - 1], included.rows[i]);
        }
        if (!deleted.has(included.rows[i])) {
          ASSERT_TRUE(values.emplace(included.rows[i], own[i]).second);
        }
      }
    }
    std::size_t null_rows = 0;
    for (std::uint32_t row = 0; row < states_.rows; ++row) {
      const auto found = keys.find(row);
      ASSERT_EQ(found != keys.end(), keys_[row].has_value()) << "row " << row;
      if (found != keys.end()) {
        ASSERT_EQ(found->second, *keys_[row]) << "row " << row;
      } else {
        ++null_rows;
      }
      if (has_values_) {
        ASSERT_EQ(values.count(row), 1U) << "row " << row;
        ASSERT_EQ(values.at(row), values_[row]) << "row " << row;
      }
    }
    EXPECT_EQ(count_of(states_.nulls), null_rows);
  }

  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

 private:
  struct Input {
    std::vector<Key> keys;
    std::vector<Value> values;
    std::vector<bool> valid;
    std::vector<std::uint8_t> bitmap;
  };

  Input draw(std::size_t count, double nulls, std::uint64_t scale) {
    Input input;
    std::uniform_int_distribution<std::uint64_t> number(0, 5000);
    std::bernoulli_distribution is_null(nulls);
    input.bitmap.assign((count + 7) / 8, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const auto drawn = static_cast<std::int64_t>(number(random_) * scale);
      const bool negative = std::is_signed_v<Key> && number(random_) % 2 == 0;
      input.keys.push_back(static_cast<Key>(negative ? -drawn : drawn));
      input.values.push_back(static_cast<Value>(number(random_)));
      input.valid.push_back(!is_null(random_));
      if (input.valid.back())
        input.bitmap[i / 8] = static_cast<std::uint8_t>(input.bitmap[i / 8] | 1U << (i % 8));
    }
    return input;
  }

  [[nodiscard]] static ColumnView view(const Input& input) {
    const ColumnView column(input.keys);
    const bool any_null =
        std::find(input.valid.begin(), input.valid.end(), false) != input.valid.end();
    return any_null ? column.with_validity(input.bitmap.data()) : column;
  }

  // The views of a change stay until the next one.
  [[nodiscard]] ColumnView placed(const ColumnView& column) {
    if (!on_device_) return column;
    kept_.push_back(std::make_unique<ColumnOnGpu>(column));
    return kept_.back()->view();
  }

  void add(const NewRows& rows) { add(rows, segments_); }
  void add(const NewRows& rows, const std::vector<Segment>& current) {
    NewSegment made = engine_.segments->build_rows(rows, current, states_.rows);
    if (rows.rows.has_value() && rows.keys.has_value()) {
      const CheckedRows checked = engine_.segments->check_rows(rows.rows, states_, {});
      if (checked.nulls != 0) states_.nulls = difference(states_.nulls, checked.named);
    }
    if (!rows.rows.has_value() || rows.keys.has_value())
      states_.nulls = union_of(states_.nulls, made.nulls);
    segments_.push_back(std::move(made.segment));
  }

  void set_row(std::uint32_t row, const Input& input, std::size_t i) {
    if (row >= keys_.size()) {
      keys_.resize(row + 1);
      values_.resize(row + 1);
    }
    keys_[row] = input.valid[i] ? std::optional(input.keys[i]) : std::nullopt;
    values_[row] = input.values[i];
  }

  Engine engine_;
  bool on_device_;
  bool has_values_;
  std::mt19937 random_;
  std::vector<Segment> segments_;
  RowStates states_;
  std::vector<std::optional<Key>> keys_;
  std::vector<Value> values_;
  std::vector<std::unique_ptr<ColumnOnGpu>> kept_;
};

class SegmentContents : public GpuIndexTest {
 protected:
  static bool includes() { return engine_of(GetParam()).keeps_key_order; }

  // Builds, inserts, updates and merges; `far` is how far the keys of later segments are apart.
  template <class Key, class Value>
  static void run(std::uint64_t near, std::uint64_t far, double nulls, bool on_device) {
    SCOPED_TRACE(std::to_string(near) + " " + std::to_string(far) + " " + std::to_string(nulls) +
                 (on_device ? " on the device" : " on the host"));
    for (const bool has_values : {false, true}) {
      if (has_values && !includes()) continue;
      SegmentTable<Key, Value> table(GetParam(), on_device, has_values, 17);
      table.build(20'011, nulls, near);
      table.expect_same();
      table.insert(3000, nulls, far, false);
      table.expect_same();
      table.insert(1, 0, far, true);
      table.merge(1);
      table.expect_same();
      table.change(4000, nulls, far, true);
      table.expect_same();
      table.merge(1);
      table.expect_same();
      if (has_values) {
        table.change(700, 0, near, false);
        table.expect_same();
      }
      table.merge();
      table.expect_same();
      if (testing::Test::HasFatalFailure()) return;
      ASSERT_EQ(table.segments().size(), 1U);
      ASSERT_EQ(table.segments().front().deleted, nullptr);
    }
  }
};

TEST_P(SegmentContents, OfKeysOfFourBytes) {
  for (const bool on_device : {false, true}) {
    run<std::uint32_t, std::uint32_t>(7, 3, 0, on_device);
    run<std::uint32_t, std::int64_t>(1000, 800'000, 0.1, on_device);
    run<std::int32_t, float>(3, 400'000, 0.1, on_device);
    run<float, double>(3, 5, 0, on_device);
  }
}

TEST_P(SegmentContents, OfKeysOfEightBytes) {
  constexpr std::uint64_t wide = std::uint64_t{1} << 40;
  for (const bool on_device : {false, true}) {
    run<std::uint64_t, std::uint8_t>(wide, wide / 3, 0.1, on_device);
    run<std::int64_t, std::uint64_t>(wide, 3, 0, on_device);
    run<double, std::int16_t>(3, 5, 0.1, on_device);
  }
}

// Narrow keys become wide ones by a merge.
TEST_P(SegmentContents, OfKeysThatGetWider) {
  constexpr std::uint64_t wide = std::uint64_t{1} << 40;
  for (const bool on_device : {false, true}) {
    run<std::uint64_t, std::uint16_t>(3, wide, 0, on_device);
    run<std::int64_t, float>(3, wide, 0.1, on_device);
  }
}

TEST_P(SegmentContents, OfNothingButNullsAndDeletedRows) {
  for (const bool on_device : {false, true})
    for (const bool has_values : {false, true}) {
      if (has_values && !includes()) continue;
      SegmentTable<std::uint32_t, std::uint32_t> table(GetParam(), on_device, has_values, 18);
      table.build(1000, 1, 3);
      table.expect_same();
      table.insert(500, 0, 5, true);
      table.merge();
      table.expect_same();
      table.change(1500, 1, 5, true);
      table.merge();
      table.expect_same();
      ASSERT_EQ(table.segments().front().keys(), 0U);
      table.insert(10, 0, 5, true);
      table.merge();
      table.expect_same();
    }
}

INSTANTIATE_TEST_SUITE_P(Cuda, SegmentContents,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda", "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
