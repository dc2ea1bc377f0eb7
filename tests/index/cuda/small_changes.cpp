// Changes of few rows, which a GPU makes with a kernel for each step, beside those of the next
// larger batches, against an index on the host: keys of both widths, unique and equal ones, nulls,
// rows in any order, in host and device memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::size_t small_batches[] = {1,   2,    31,   32,   33,   255,  256,
                                         257, 1023, 1024, 1025, 4095, 4096, 4097};
// So many that deltas and deleted rows of several batches stay below an eighth of them.
constexpr std::size_t built_total = 200'003;

std::string rejection_of(const std::function<void()>& call) {
  try {
    call();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

// Keys with a validity bitmap, if some are null.
template <class Key>
struct ChangeKeys {
  std::vector<Key> keys;
  std::vector<std::uint8_t> validity;

  [[nodiscard]] ColumnView view() const {
    const ColumnView column(keys);
    return validity.empty() ? column : column.with_validity(validity.data());
  }
};

// An index on the GPU and one on the host, which change together.
template <class Key>
class TwoIndexes {
 public:
  // Keys are below `distinct`, times `scale`.
  TwoIndexes(const std::string& spec, std::uint64_t distinct, std::uint64_t scale, bool on_device)
      : distinct_(distinct),
        scale_(scale),
        on_device_(on_device),
        built_(draw(built_total, 0)),
        gpu_(build(built_.keys, spec)),
        host_(build(built_.keys, "sorted@cpu")),
        wanted_(built_.keys.begin(), built_.keys.begin() + 2000) {}

  void insert(std::size_t count, double nulls) {
    const ChangeKeys<Key> keys = draw_new(count, nulls);
    const ColumnOnGpu device_keys(keys.view());
    ASSERT_EQ(host_.insert(keys.view()),
              gpu_.insert(on_device_ ? device_keys.view() : keys.view()));
  }
  void update(std::size_t count, double nulls) {
    const Rows rows = some_rows(count);
    const ChangeKeys<Key> keys = draw_new(rows.size(), nulls);
    const ColumnOnGpu device_keys(keys.view());
    const ColumnOnGpu device_rows{ColumnView(rows)};
    host_.update(rows, keys.view());
    if (on_device_)
      gpu_.update(device_rows.view(), device_keys.view());
    else
      gpu_.update(rows, keys.view());
  }
  void erase(std::size_t count) {
    const Rows rows = some_rows(count);
    host_.erase(rows);
    erase_on_gpu(rows);
    for (const std::uint32_t row : rows) is_erased_[row] = true;
  }
  // Changes that fail for the same reason in both.
  void expect_rejected(const Rows& rows) {
    const std::string expected = rejection_of([&] { host_.erase(rows); });
    EXPECT_NE(expected, "no error");
    EXPECT_EQ(rejection_of([&] { erase_on_gpu(rows); }), expected);
    const ChangeKeys<Key> keys = draw(rows.size(), 0);
    EXPECT_EQ(rejection_of([&] { host_.update(rows, keys.view()); }), expected);
    EXPECT_EQ(rejection_of([&] { gpu_.update(rows, keys.view()); }), expected);
  }

  // Rows that are not erased, in any order.
  [[nodiscard]] Rows some_rows(std::size_t count) {
    is_erased_.resize(host_.size(), false);
    Rows rows;
    // New rows, which are in the delta, and old ones.
    for (std::uint32_t row = 0; row < host_.size(); ++row)
      if (!is_erased_[row]) rows.push_back(row);
    std::shuffle(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(count / 3), random_);
    std::rotate(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(count / 3), rows.end());
    rows.resize(count);
    std::shuffle(rows.begin(), rows.end(), random_);
    return rows;
  }
  [[nodiscard]] std::uint32_t erased_row() const {
    return static_cast<std::uint32_t>(std::find(is_erased_.begin(), is_erased_.end(), true) -
                                      is_erased_.begin());
  }
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(host_.size()); }

  void expect_same() const {
    ASSERT_EQ(gpu_.size(), host_.size());
    ASSERT_EQ(gpu_.valid(), host_.valid());
    ASSERT_EQ(gpu_.null_rows(), host_.null_rows());
    const AnswerSet answers = Answer::first | Answer::last | Answer::count;
    // Ranges of some hundred rows.
    std::vector<Key> upper;
    for (const Key key : wanted_)
      upper.push_back(
          static_cast<Key>(static_cast<std::uint64_t>(key) + distinct_ / 2000 * scale_));
    const auto compare = [&](const Answers& found, const Answers& expected, const char* query) {
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        ASSERT_EQ(found.count()[i], expected.count()[i]) << query << " " << wanted_[i];
        ASSERT_EQ(found.first()[i], expected.first()[i]) << query << " " << wanted_[i];
        ASSERT_EQ(found.last()[i], expected.last()[i]) << query << " " << wanted_[i];
      }
    };
    compare(gpu_.lookup(wanted_, answers), host_.lookup(wanted_, answers), "point");
    compare(gpu_.range(wanted_, upper, answers), host_.range(wanted_, upper, answers), "range");
  }

 private:
  // Keys that are also looked up.
  [[nodiscard]] ChangeKeys<Key> draw_new(std::size_t count, double nulls) {
    ChangeKeys<Key> drawn = draw(count, nulls);
    wanted_.insert(wanted_.end(), drawn.keys.begin(), drawn.keys.end());
    return drawn;
  }
  [[nodiscard]] ChangeKeys<Key> draw(std::size_t count, double nulls) {
    ChangeKeys<Key> drawn;
    std::uniform_int_distribution<std::uint64_t> number(0, distinct_ - 1);
    std::bernoulli_distribution is_null(nulls);
    if (nulls != 0) drawn.validity.assign((count + 7) / 8, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = number(random_) * scale_;
      drawn.keys.push_back(static_cast<Key>(std::is_signed_v<Key> && i % 2 == 0 ? ~bits : bits));
      if (nulls != 0 && !is_null(random_))
        drawn.validity[i / 8] = static_cast<std::uint8_t>(drawn.validity[i / 8] | 1U << (i % 8));
    }
    return drawn;
  }
  void erase_on_gpu(const Rows& rows) {
    const ColumnOnGpu device_rows{ColumnView(rows)};
    if (on_device_)
      gpu_.erase(device_rows.view());
    else
      gpu_.erase(rows);
  }

  std::mt19937 random_{71};
  std::uint64_t distinct_;
  std::uint64_t scale_;
  bool on_device_;
  ChangeKeys<Key> built_;
  Index gpu_;
  Index host_;
  std::vector<Key> wanted_;
  std::vector<bool> is_erased_;
};

class SmallChanges : public GpuIndexTest {
 protected:
  template <class Key>
  static void run(std::uint64_t distinct, std::uint64_t scale) {
    for (const bool on_device : {false, true})
      for (const std::size_t count : small_batches) {
        SCOPED_TRACE(std::to_string(count) + (on_device ? " on the device" : " on the host"));
        TwoIndexes<Key> both(GetParam(), distinct, scale, on_device);
        both.insert(count, 0);  // a delta
        both.expect_same();
        both.insert(count, 0.2);  // merged with it
        both.expect_same();
        both.update(count, 0);  // of rows in both
        both.expect_same();
        both.erase(count);
        both.expect_same();
        both.update(count, 0.2);
        both.expect_same();
        both.insert(1, 0);
        both.update(1, 1);  // to null
        both.erase(2);
        both.expect_same();
        if (HasFatalFailure()) return;
      }
  }
};

TEST_P(SmallChanges, OfUniqueKeys) {
  run<std::uint32_t>(std::numeric_limits<std::uint32_t>::max(), 1);
  run<std::int64_t>(std::uint64_t{1} << 62, 1);
}

TEST_P(SmallChanges, OfEqualKeys) {
  run<std::int32_t>(5000, 1000);
  run<std::uint64_t>(5000, std::uint64_t{1} << 45);
}

TEST_P(SmallChanges, WithWrongRowsChangeNothing) {
  for (const bool on_device : {false, true}) {
    TwoIndexes<std::uint64_t> both(GetParam(), 5000, 1, on_device);
    both.insert(40, 0.3);
    both.erase(3);
    for (const std::size_t count : {1U, 2U, 31U, 33U, 1024U, 4096U, 4097U})
      for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
        SCOPED_TRACE(std::to_string(count) + " " + std::to_string(at));
        const Rows rows = both.some_rows(count);
        const auto with = [&](std::uint32_t row) {
          Rows wrong = rows;
          wrong[at] = row;
          return wrong;
        };
        both.expect_rejected(with(both.erased_row()));
        both.expect_rejected(with(both.rows()));
        both.expect_rejected(with(std::numeric_limits<std::uint32_t>::max()));
        if (count > 1) both.expect_rejected(with(rows[at == 0 ? 1 : 0]));
      }
    both.expect_same();
  }
}

// A key that the column cannot hold, anywhere in the batch.
TEST_P(SmallChanges, OfKeysThatDoNotFitChangeNothing) {
  const std::vector<std::uint32_t> keys = {10, 20, 30};
  Index index = build(keys, GetParam());
  for (const std::size_t count : {1U, 33U, 1024U, 4096U})
    for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
      std::vector<std::int64_t> wrong(count, 40);
      wrong[at] = -1;
      if (at + 1 < count) wrong.back() = -2;  // the first is named
      const std::string sentence = rejection_of([&] { index.insert(wrong); });
      EXPECT_NE(sentence.find("key -1 does not fit"), std::string::npos) << sentence;
    }
  EXPECT_EQ(index.size(), 3U);
  EXPECT_EQ(index.insert(std::vector<std::int64_t>{40, 50}), 3U);
  EXPECT_EQ(index.lookup(std::vector<std::uint32_t>{50, 10}, Answer::first).first()[0], 4U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, SmallChanges,
                         testing::Values("rx:native@cuda", "rx:native@cuda,delta=3000",
                                         "sorted@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
