// Sequences of updates and lookups: after every step the index answers like a scan of the column
// as it is then, and a refused update changes nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/values.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// Settings that bear on updates, by index.
std::vector<std::string> update_specs(const std::string& index) {
  if (index != "rx:embree@cpu" && index != "rx:optix@cuda") return specs_of(index);
  std::vector<std::string> specs;
  for (const std::string primitive : {"triangle", "sphere", "aabb"})
    for (const std::string update : {"rebuild", "refit"})
      specs.push_back(index + ",primitive=" + primitive + ",update=" + update);
  specs.push_back(index + ",update=refit,compact=on,point=offset,bits=18+23+23");
  specs.push_back(index + ",bucket=3");
  return specs;
}

// An index and what it should hold.
class Pair {
 public:
  Pair(const TestColumn& column, const std::string& spec, std::uint64_t seed)
      : shape_(column.shape()),
        keys_(column.keys()),
        index_(build(column.view(), spec)),
        random_(seed),
        values_(values_of(Type::i64, column.size(), random_)) {}

  [[nodiscard]] std::string difference() {
    const TestColumn now(shape_, keys_);
    for (const Batch& batch : own_batches(now, 12, random_)) {
      if (!supports(index_, full_ask().answers, batch.kind)) continue;
      const std::string text = check_call(index_, batch, scan(keys_, batch), full_ask(), values_);
      if (!text.empty()) return text;
    }
    return "";
  }

  void update(const std::vector<std::uint32_t>& rows, const std::vector<Key>& new_keys,
              const Shape& shape) {
    index_.update(rows, TestColumn(shape, new_keys).view());
    for (std::size_t i = 0; i < rows.size(); ++i) keys_[rows[i]] = new_keys[i];
  }

  // Some rows get other keys: those of other rows, near or far ones, or null.
  void random_update() {
    const TestColumn now(shape_, keys_);
    const std::vector<Shape> shapes = comparable_shapes(shape_);
    const Shape lookup_shape = random_.one_in(3) ? random_.pick(shapes) : shape_;
    std::vector<Key> pool;
    for (const Key& key : interesting_points(now, 8, random_))
      if (fits(key, shape_) && fits(key, lookup_shape)) pool.push_back(key);
    std::vector<std::uint32_t> rows(keys_.size());
    std::iota(rows.begin(), rows.end(), 0U);
    random_.shuffle(rows);
    rows.resize(random_.one_in(6) ? rows.size() : random_.below(rows.size() + 1) % 9);
    std::vector<Key> new_keys;
    for (std::size_t i = 0; i < rows.size(); ++i) new_keys.push_back(random_.pick(pool));
    update(rows, new_keys, lookup_shape);
  }

  [[nodiscard]] Index& index() { return index_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  Shape shape_;
  std::vector<Key> keys_;
  Index index_;
  Random random_;
  TestColumn values_;
};

TestColumn some_rows(const std::string& workload) {
  const TestColumn column = workload_named(workload).column();
  std::vector<Key> keys = column.keys();
  keys.resize(std::min<std::size_t>(keys.size(), 120));
  return {column.shape(), keys};
}

using Case = std::tuple<std::string, std::string>;

class Updates : public testing::TestWithParam<Case> {
 protected:
  static TestColumn column() { return some_rows(std::get<1>(GetParam())); }
  static std::vector<std::string> specs() { return update_specs(std::get<0>(GetParam())); }
};

TEST_P(Updates, InterleavedWithLookups) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    Pair pair(column(), spec, 99);
    for (int step = 0; step < 12; ++step) {
      ASSERT_NO_THROW(pair.random_update()) << "step " << step;
      ASSERT_EQ("", pair.difference()) << "step " << step;
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
    Pair pair(original, spec, 98);
    pair.update(rows, nulls, original.shape());
    ASSERT_EQ("", pair.difference());
    pair.update(rows, original.keys(), original.shape());
    ASSERT_EQ("", pair.difference());
  }
}

TEST_P(Updates, ThatAreWrongChangeNothing) {
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
    Pair pair(original, spec, 97);
    EXPECT_THROW(pair.update({0, 0}, two, original.shape()), Error);
    EXPECT_THROW(pair.update({0, beyond}, two, original.shape()), Error);
    EXPECT_THROW(pair.update({0, 1, 1}, two, original.shape()), Error);
    EXPECT_THROW(pair.update({0, 1}, wrong_keys, wrong_type), Error);
    ASSERT_EQ("", pair.difference());
  }
}

TEST_P(Updates, OfValuesThatDoNotFitChangeNothing) {
  const TestColumn original = column();
  if (original.size() < 2) GTEST_SKIP() << "too few rows";
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    Pair pair(original, spec, 96);
    for (const Shape& shape : comparable_shapes(original.shape()))
      for (std::size_t part = 0; part < parts_of(shape).size(); ++part)
        for (const Part& value : far_values(parts_of(original.shape())[part])) {
          if (parts_of(shape)[part].type == Type::string) continue;  // every string fits
          Key key = original.keys()[1];
          key[part] = value;
          if (is_null(key) || !fits(key, shape) || fits(key, original.shape())) continue;
          // A good key first: nothing of a refused update may arrive.
          Key good = original.keys()[1];
          if (!fits(good, shape)) good = key;
          EXPECT_THROW(pair.update({0, 1}, {good, key}, shape), Error) << text_of(key);
        }
    ASSERT_EQ("", pair.difference());
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
                                     "three_wide_ints", "nulls_in_parts", "one_string_part")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

}  // namespace
}  // namespace rtindex::test
