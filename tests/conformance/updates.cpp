// Sequences of updates and lookups: after every step the index answers like a scan of the column
// as it is then, and a rejected update changes nothing.

#include <gtest/gtest.h>

#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/lookups.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class Updates : public testing::TestWithParam<Case> {
 protected:
  static TestColumn column() { return some_rows(std::get<1>(GetParam())); }
  static std::vector<std::string> specs() { return update_specs(std::get<0>(GetParam())); }
};

TEST_P(Updates, InterleavedWithLookups) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(column(), spec, {.seed = 99});
    for (int step = 0; step < 12; ++step) {
      ASSERT_NO_THROW(changing.random_update()) << "step " << step;
      ASSERT_EQ("", changing.difference()) << "step " << step;
    }
  }
}

TEST_P(Updates, ToNullAndBack) {
  const TestColumn original = column();
  std::vector<std::uint32_t> rows(original.size());
  std::iota(rows.begin(), rows.end(), 0U);
  const std::vector<Key> nulls(original.size(),
                               Key(parts_of(original.shape()).size(), std::monostate{}));
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(original, spec, {.seed = 98});
    changing.update(rows, nulls, original.shape());
    ASSERT_EQ("", changing.difference());
    changing.update(rows, original.keys(), original.shape());
    ASSERT_EQ("", changing.difference());
  }
}

TEST_P(Updates, ChangeNothingIfInvalid) {
  const TestColumn original = column();
  if (original.size() < 2) GTEST_SKIP() << "too few rows";
  const auto beyond = static_cast<std::uint32_t>(original.size());
  const std::vector<Key> two = {original.keys()[1], original.keys()[0]};
  const Shape wrong_type{original.shape().type == Type::string ? Type::u8 : Type::string};
  const std::vector<Key> wrong_keys = wrong_type.type == Type::string
                                          ? std::vector<Key>{{"a"}, {"b"}}
                                          : std::vector<Key>{{Whole{1}}, {Whole{2}}};
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(original, spec, {.seed = 97});
    EXPECT_THROW(changing.update({0, 0}, two, original.shape()), Error);
    EXPECT_THROW(changing.update({0, beyond}, two, original.shape()), Error);
    EXPECT_THROW(changing.update({0, 1, 1}, two, original.shape()), Error);
    EXPECT_THROW(changing.update({0, 1}, wrong_keys, wrong_type), Error);
    ASSERT_EQ("", changing.difference());
  }
}

TEST_P(Updates, OfValuesThatDoNotFitChangeNothing) {
  const TestColumn original = column();
  if (original.size() < 2) GTEST_SKIP() << "too few rows";
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(original, spec, {.seed = 96});
    for (const Shape& shape : comparable_shapes(original.shape()))
      for (std::size_t part = 0; part < parts_of(shape).size(); ++part)
        for (const Part& value : far_values(parts_of(original.shape())[part])) {
          if (parts_of(shape)[part].type == Type::string) continue;  // every string fits
          Key key = original.keys()[1];
          key[part] = value;
          if (is_null(key) || !fits(key, shape) || fits(key, original.shape())) continue;
          // A good key first: nothing of a rejected update may arrive.
          Key good = original.keys()[1];
          if (!fits(good, shape)) good = key;
          EXPECT_THROW(changing.update({0, 1}, {good, key}, shape), Error) << text_of(key);
        }
    ASSERT_EQ("", changing.difference());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, Updates,
    testing::Combine(testing::ValuesIn(usable_indexes()),
                     testing::Values("dense_u32", "sparse_u64", "nulls_dense_u32", "extremes_i64",
                                     "every_i8", "bools", "dates", "duplicates_x256",
                                     "all_null_u32", "single_u64", "empty_u32", "uniform_f32",
                                     "special_f64", "short_strings", "same_head_strings",
                                     "nulls_long_strings", "fixed_nul_strings", "int_string",
                                     "three_wide_ints", "nulls_in_parts", "one_string_part",
                                     "any_bits_f16", "nulls_decimal64", "times_32")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

}  // namespace
}  // namespace rtindex::test
