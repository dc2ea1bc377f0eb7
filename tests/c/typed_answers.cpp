// sum, min and max in the Arrow type of their values.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint32_t requested_aggregates =
    RTINDEX_ANSWER_SUM | RTINDEX_ANSWER_MEAN | RTINDEX_ANSWER_MIN | RTINDEX_ANSWER_MAX;

// Answers about the keys 29 (rows 2 and 4), 24 (none) and 23 (row 3).
class CTypedAnswers : public CIndexTest {
 protected:
  void answer(const rtindex_column& values, int matched = 1) {
    answer_of(index(), &values, nullptr, matched);
  }
  void answer_of(const rtindex_index* index, const rtindex_column* values, const char* included,
                 int matched = 1) {
    const std::vector<std::int64_t> keys{29, 24, 23};
    const rtindex_column lookups = memory_of(RTINDEX_TYPE_INT64, keys);
    const rtindex_query query = rtindex_query_equal(&lookups);
    auto options = sized<rtindex_answer_options>();
    options.answers = requested_aggregates;
    options.matched = matched;
    options.values = values;
    options.included = included;
    answers_ = std::make_unique<Exported>();
    ASSERT_EQ("", error_in(rtindex_answer(index, &query, &options, nullptr, answers_->schema_out(),
                                          answers_->array_out())));
    EXPECT_EQ(answers_->format_of("mean"), "g");
  }
  // The formats of sum, min and max.
  [[nodiscard]] std::string formats() const {
    return answers_->format_of("sum") + " " + answers_->format_of("min") + " " +
           answers_->format_of("max");
  }
  // Elements; those of nulls are not compared.
  template <class T>
  void expect(const char* name, const std::vector<T>& expected, std::size_t words = 1) const {
    const ArrowArray& array = *answers_->child(name);
    const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    const auto* const found = static_cast<const T*>(array.buffers[1]);
    ASSERT_EQ(array.length * static_cast<std::int64_t>(words),
              static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(bits[0] & 7, 0b101) << name;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (i / words != 1) {
        EXPECT_EQ(found[i], expected[i]) << name << " " << i;
      }
  }

  std::unique_ptr<Exported> answers_;
};

TEST_F(CTypedAnswers, OfDecimalsAreDecimalsOf128Bits) {
  const std::vector<std::int64_t> units{1, 2, -300, 7, 50, 6};
  rtindex_column values = memory_of(RTINDEX_TYPE_DECIMAL64, units);
  values.scale = 2;
  answer(values);
  EXPECT_EQ(formats(), "d:38,2 d:38,2 d:38,2");
  expect<std::int64_t>("sum", {-250, -1, 0, 0, 7, 0}, 2);
  expect<std::int64_t>("min", {-300, -1, 0, 0, 7, 0}, 2);
  expect<std::int64_t>("max", {50, 0, 0, 0, 7, 0}, 2);
  expect<double>("mean", {-125, 0, 7});

  const std::vector<std::int32_t> narrow{1, 2, -300, 7, 50, 6};
  values = memory_of(RTINDEX_TYPE_DECIMAL32, narrow);
  values.scale = -3;
  answer(values);
  EXPECT_EQ(formats(), "d:38,-3 d:38,-3 d:38,-3");
  expect<std::int64_t>("sum", {-250, -1, 0, 0, 7, 0}, 2);

  const std::vector<std::int64_t> wide{1, 0, 2, 0, -300, -1, 7, 0, 50, 0, 6, 0};
  values = memory_of(RTINDEX_TYPE_DECIMAL128, wide);
  values.count = 6;
  values.scale = 4;
  answer(values);
  EXPECT_EQ(formats(), "d:38,4 d:38,4 d:38,4");
  expect<std::int64_t>("max", {50, 0, 0, 0, 7, 0}, 2);

  // Without nulls a miss is the miss value.
  answer(values, 0);
  const auto* const sums = static_cast<const std::int64_t*>(answers_->child("sum")->buffers[1]);
  EXPECT_EQ(answers_->child("sum")->buffers[0], nullptr);
  EXPECT_EQ(sums[2], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(sums[3], -1);
}

TEST_F(CTypedAnswers, OfDurationsAreDurations) {
  const std::vector<std::int64_t> ticks{1, 2, -300, 7, 50, 6};
  rtindex_column values = memory_of(RTINDEX_TYPE_DURATION64, ticks);
  values.time_unit = RTINDEX_TIME_UNIT_MICROSECOND;
  answer(values);
  EXPECT_EQ(formats(), "tDu tDu tDu");
  expect<std::int64_t>("sum", {-250, 0, 7});
  expect<std::int64_t>("min", {-300, 0, 7});
  expect<std::int64_t>("max", {50, 0, 7});
  values.time_unit = RTINDEX_TIME_UNIT_HOUR;  // which Arrow has not
  answer(values);
  EXPECT_EQ(formats(), "l l l");
  values.time_unit = RTINDEX_TIME_UNIT_UNSPECIFIED;
  answer(values);
  EXPECT_EQ(formats(), "l l l");
}

TEST_F(CTypedAnswers, OfTimesAreTimesButForTheirSum) {
  const std::vector<std::int64_t> ticks{1, 2, 300, 7, 50, 6};
  rtindex_column values = memory_of(RTINDEX_TYPE_TIMESTAMP64, ticks);
  values.time_unit = RTINDEX_TIME_UNIT_MILLISECOND;
  answer(values);
  EXPECT_EQ(formats(), "l tsm: tsm:");
  expect<std::int64_t>("sum", {350, 0, 7});
  expect<std::int64_t>("min", {50, 0, 7});
  values.type = RTINDEX_TYPE_TIME64;
  values.time_unit = RTINDEX_TIME_UNIT_NANOSECOND;
  answer(values);
  EXPECT_EQ(formats(), "l ttn ttn");
  expect<std::int64_t>("max", {300, 0, 7});
}

TEST_F(CTypedAnswers, OfDatesAndTimesOf32BitsHave32Bits) {
  const std::vector<std::int32_t> days{1, 2, -300, 7, 50, 6};
  rtindex_column values = memory_of(RTINDEX_TYPE_DATE32, days);
  answer(values);
  EXPECT_EQ(formats(), "l tdD tdD");
  expect<std::int64_t>("sum", {-250, 0, 7});
  expect<std::int32_t>("min", {-300, 0, 7});
  expect<std::int32_t>("max", {50, 0, 7});
  answer(values, 0);
  EXPECT_EQ(static_cast<const std::int32_t*>(answers_->child("min")->buffers[1])[1],
            std::numeric_limits<std::int32_t>::min());
  values.type = RTINDEX_TYPE_TIME32;
  values.time_unit = RTINDEX_TIME_UNIT_SECOND;
  answer(values);
  EXPECT_EQ(formats(), "l tts tts");
  expect<std::int32_t>("max", {50, 0, 7});
  values.time_unit = RTINDEX_TIME_UNIT_UNSPECIFIED;
  answer(values);
  EXPECT_EQ(formats(), "l l l");
  expect<std::int64_t>("min", {-300, 0, 7});
}

TEST_F(CTypedAnswers, OfNumbersAreNumbersOf64Bits) {
  const std::vector<std::uint8_t> numbers{1, 2, 200, 7, 100, 6};
  answer(memory_of(RTINDEX_TYPE_UINT8, numbers));
  EXPECT_EQ(formats(), "L L L");
  expect<std::uint64_t>("sum", {300, 0, 7});
  const std::vector<std::int16_t> whole{1, 2, -200, 7, 100, 6};
  answer(memory_of(RTINDEX_TYPE_INT16, whole));
  EXPECT_EQ(formats(), "l l l");
  const std::vector<float> real{1, 2, -200, 7, 100, 6};
  answer(memory_of(RTINDEX_TYPE_FLOAT32, real));
  EXPECT_EQ(formats(), "g g g");
  expect<double>("sum", {-100, 0, 7});
}

// Of a column of Arrow, and of included columns, whose unit and scale the index stores.
TEST_F(CTypedAnswers, OfIncludedColumns) {
  const std::vector<std::int64_t> ticks{1, 2, -300, 7, 50, 6};
  rtindex_column parts[] = {memory_of(RTINDEX_TYPE_DURATION64, ticks),
                            memory_of(RTINDEX_TYPE_DECIMAL64, ticks)};
  parts[0].name = "wait";
  parts[0].time_unit = RTINDEX_TIME_UNIT_SECOND;
  parts[1].name = "price";
  parts[1].scale = 3;
  auto include = sized<rtindex_column>();
  include.type = RTINDEX_TYPE_COMPOSITE;
  include.parts = parts;
  include.part_count = 2;
  auto options = sized<rtindex_build_options>();
  options.include = &include;
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", &options, index.out())));
  answer_of(index.get(), nullptr, "wait");
  EXPECT_EQ(formats(), "tDs tDs tDs");
  expect<std::int64_t>("sum", {-250, 0, 7});
  answer_of(index.get(), nullptr, "price");
  EXPECT_EQ(formats(), "d:38,3 d:38,3 d:38,3");
  expect<std::int64_t>("sum", {-250, -1, 0, 0, 7, 0}, 2);
}

}  // namespace
}  // namespace rtindex::test
