// Every codec on every column: keys in order, lookups to intervals, and back to the column.

#include "keys/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include <rtindex/error.hpp>

#include "file/stored.hpp"
#include "keys/codecs.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/string_hash.hpp"
#include "keys/string_sample.hpp"
#include "support/lookups.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const auto& list : {all_workloads(), workloads_128()})
    for (const Workload& workload : list) names.push_back(workload.name);
  return names;
}

class Codecs : public testing::TestWithParam<std::string> {
 protected:
  const TestColumn column = workload_named(GetParam()).column();
  const ColumnView view = column.view();
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(view);
  const EncodedColumn encoded = codec->encode(view);
};

TEST_P(Codecs, EncodeEveryValidRowOnceAndInOrder) {
  ASSERT_EQ(encoded.row_count, column.size());
  std::vector<std::uint32_t> valid;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (!is_null(column.keys()[row])) valid.push_back(static_cast<std::uint32_t>(row));
  ASSERT_EQ(encoded.size(), valid.size());
  EXPECT_EQ(codec->empty(), valid.empty());
  for (std::size_t i = 0; i < valid.size(); ++i) ASSERT_EQ(encoded.row(i), valid[i]);
}

TEST_P(Codecs, StartAtZeroAndEndAtTheSpan) {
  if (encoded.size() == 0) return;
  std::uint64_t smallest = encoded.keys[0];
  std::uint64_t largest = encoded.keys[0];
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    smallest = std::min(smallest, encoded.keys[i]);
    largest = std::max(largest, encoded.keys[i]);
  }
  EXPECT_EQ(smallest, 0U);
  EXPECT_EQ(largest, codec->span());
  EXPECT_EQ(encoded.span, codec->span());
}

TEST_P(Codecs, KeepTheOrderOfTheKeys) {
  std::vector<std::size_t> order(encoded.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  auto key = [&](std::size_t i) -> const Key& { return column.keys()[encoded.row(i)]; };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return compare(key(a), key(b)) < 0; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint64_t a = encoded.keys[order[i - 1]];
    const std::uint64_t b = encoded.keys[order[i]];
    const int order_of_keys = compare(key(order[i - 1]), key(order[i]));
    ASSERT_LE(a, b) << text_of(key(order[i - 1])) << " and " << text_of(key(order[i]));
    if (order_of_keys == 0) {
      ASSERT_EQ(a, b);
    }
    if (order_of_keys < 0 && !codec->has_residual()) {
      ASSERT_LT(a, b);
    }
  }
}

TEST_P(Codecs, DecodeToTheKeysOfTheColumn) {
  const OwnedColumn decoded = codec->decode(encoded);
  const ColumnView back = decoded.view();
  ASSERT_EQ(back.size(), encoded.size());
  ASSERT_EQ(back.type(), column.shape().type);
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    ASSERT_TRUE(back.valid(i));
    // -0 may come back as +0, and one NaN as another.
    std::string text = view.text(encoded.row(i));
    for (const std::string sign : {"-0", "-nan"})
      if (text == sign) text = text.substr(1);
    std::string got = back.text(i);
    if (got == "-nan") got = "nan";
    if (column.shape().type != Type::composite || text.find("-0,") == std::string::npos) {
      ASSERT_EQ(got, text) << "row " << encoded.row(i);
    }
  }
}

// Element i of the column is another row of the larger one.
TEST_P(Codecs, UseTheRowIDsOfALargerColumn) {
  const auto listed_rows = [&] {
    Array<std::uint32_t> list(column.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint32_t>(3 * i + 5);
    return RowNumbers(std::move(list));
  };
  const auto row_of = [&](std::size_t element, bool is_listed) {
    return static_cast<std::uint32_t>(is_listed ? 3 * element + 5 : element + 77);
  };
  const OwnedColumn decoded = codec->decode(encoded);
  for (const bool is_listed : {false, true}) {
    codec->number_rows(is_listed ? listed_rows() : RowNumbers(77, column.size()));
    const EncodedColumn numbered = codec->encode(view, 4 * column.size() + 77);
    ASSERT_EQ(numbered.size(), encoded.size());
    const OwnedColumn decoded_numbered = codec->decode(numbered);
    for (std::size_t i = 0; i < numbered.size(); ++i) {
      ASSERT_EQ(numbered.row(i), row_of(encoded.row(i), is_listed));
      ASSERT_EQ(codec->rows().element(numbered.row(i)), encoded.row(i));
      ASSERT_EQ(numbered.keys[i], encoded.keys[i]);
      ASSERT_EQ(decoded_numbered.view().text(i), decoded.view().text(i));
      // The full key of a row is that of its element.
      ASSERT_EQ(codec->compare(numbered.row(i), numbered.keys[i], view, encoded.row(i)), 0);
    }
  }
}

// The interval and the comparison in the hit select the rows of a scan.
TEST_P(Codecs, EncodeLookupsAsExactIntervals) {
  Random random(4);
  for (const Batch& batch : interesting_batches(column, 12, random)) {
    const ColumnView lower = batch.lower.view();
    const ColumnView upper = batch.upper.view();
    const ColumnView& other = batch.kind == QueryKind::equal ? lower : upper;
    const LookupBatch lookups(*codec, lower, other, batch.kind);
    std::vector<Interval> intervals(batch.size());
    std::vector<std::uint8_t> checks(batch.size(), check_none);
    lookups.encode(0, batch.size(), intervals.data(), checks.data());
    const Matches wanted = scan(column.keys(), batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::vector<std::uint32_t> got;
      if (!intervals[i].empty()) {
        ASSERT_LE(intervals[i].upper, codec->span()) << batch.text(i);
        if (batch.kind == QueryKind::equal) {
          ASSERT_EQ(intervals[i].lower, intervals[i].upper) << batch.text(i);
        }
        for (std::size_t k = 0; k < encoded.size(); ++k)
          if (intervals[i].contains(encoded.keys[k]) &&
              lookups.accepts(i, intervals[i], checks[i], encoded.row(k), encoded.keys[k]))
            got.push_back(encoded.row(k));
      }
      ASSERT_EQ(got, wanted[i]) << batch.text(i) << " in " << text_of(batch.lower.shape());
    }
  }
}

TEST_P(Codecs, EncodeUpdatesLikeTheColumn) {
  std::vector<std::uint64_t> keys(column.size() + 1, 0);
  const auto span = codec->encode_update(view, keys.data());
  if (!span) return;  // encoded anew
  EXPECT_EQ(*span, codec->span());
  for (std::size_t i = 0; i < encoded.size(); ++i)
    ASSERT_EQ(keys[encoded.row(i)], encoded.keys[i]) << "row " << encoded.row(i);
}

TEST_P(Codecs, AreReadAsTheyWereSaved) {
  for (const KeyUse use : {KeyUse::order, KeyUse::points}) {
    const std::unique_ptr<KeyCodec> saved = KeyCodec::for_column(view, use);
    Stored stored;
    stored.mapping = std::make_shared<int>();  // arrays view the memory of `saved`
    saved->save(FileWriter(stored));
    const std::unique_ptr<KeyCodec> read = KeyCodec::from_file(FileReader(stored), column.size());
    EXPECT_EQ(read->describe(), saved->describe());
    EXPECT_EQ(read->part_types(), saved->part_types());
    EXPECT_EQ(read->has_residual(), saved->has_residual());
    const EncodedColumn keys = read->encode(view);
    ASSERT_EQ(keys.size(), encoded.size());
    EXPECT_EQ(keys.span, saved->span());
    const OwnedColumn decoded = read->decode(saved->encode(view));
    const OwnedColumn wanted = saved->decode(keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
      ASSERT_EQ(decoded.view().text(i), wanted.view().text(i));
  }
}

TEST_P(Codecs, DescribeThemselves) { EXPECT_FALSE(codec->describe().empty()); }

// More keys than one thread encodes at a time.
class NewKeys : public testing::Test {
 protected:
  static constexpr std::size_t size = 300'000;
  const std::vector<std::uint32_t> column = {1000, 2'000'000};
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(ColumnView(column));
  std::vector<std::uint64_t> encoded = std::vector<std::uint64_t>(size, 0);

  template <class T>
  static std::vector<T> keys() {
    std::vector<T> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<T>(1000 + i * 10);
    return keys;
  }
  template <class T>
  void expect_all() {
    const std::vector<T> own = keys<T>();
    EXPECT_EQ(codec->encode_update(ColumnView(own), encoded.data()), (size - 1) * 10);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(encoded[i], i * 10);
  }
};

TEST_F(NewKeys, AreEncodedInBothTypes) {
  expect_all<std::uint32_t>();
  std::fill(encoded.begin(), encoded.end(), 0);
  expect_all<std::int64_t>();
}

TEST_F(NewKeys, BelowTheSmallestRequireANewCodec) {
  std::vector<std::uint32_t> low = keys<std::uint32_t>();
  low[250'000] = 999;
  EXPECT_EQ(codec->encode_update(ColumnView(low), encoded.data()), std::nullopt);
}

TEST_F(NewKeys, ThatDoNotFitAreRejectedAtAnyPosition) {
  std::vector<std::int64_t> wrong = keys<std::int64_t>();
  wrong[3] = 5;  // below the smallest, which is no error
  wrong[299'999] = -7;
  try {
    static_cast<void>(codec->encode_update(ColumnView(wrong), encoded.data()));
    ADD_FAILURE() << "key -7 was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("-7"), std::string::npos) << error.what();
  }
}

TEST_F(NewKeys, ThatAreNullDoNotWidenTheSpan) {
  std::vector<std::uint32_t> low = keys<std::uint32_t>();
  low[250'000] = 1;
  std::vector<std::uint8_t> bitmap((size + 7) / 8, 0xff);
  bitmap[250'000 / 8] = static_cast<std::uint8_t>(~(1U << (250'000 % 8)));
  const ColumnView view = ColumnView(low).with_validity(bitmap.data());
  EXPECT_EQ(codec->encode_update(view, encoded.data()), (size - 1) * 10);
}

INSTANTIATE_TEST_SUITE_P(Keys, Codecs, testing::ValuesIn(workload_names()),
                         [](const auto& item) { return item.param; });

TEST(NullableColumn, OfManyBlocksEncodesEveryValidRow) {
  std::vector<std::uint32_t> keys(50'000);
  std::vector<std::uint8_t> bitmap((keys.size() + 7) / 8, 0b10110110);
  for (std::size_t row = 0; row < keys.size(); ++row) keys[row] = static_cast<std::uint32_t>(row);
  const ColumnView view = ColumnView(keys).with_validity(bitmap.data());
  const EncodedColumn encoded = KeyCodec::for_column(view)->encode(view);
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    if (!view.valid(row)) continue;
    ASSERT_LT(next, encoded.size());
    ASSERT_EQ(encoded.row(next), row);
    ASSERT_EQ(encoded.keys[next], row - 1);  // the first row is null
    ++next;
  }
  EXPECT_EQ(next, encoded.size());
}

// The strings that are compared in full share their beginning, which nulls do not have.
TEST(StringCodec, KeepsNothingOfNulls) {
  Random random(12);
  std::vector<std::string> texts(100);
  for (std::string& text : texts) {
    text.assign(50, 'p');
    for (int i = 0; i < 100; ++i) text += static_cast<char>(random.below(256));
  }
  texts[7].clear();
  std::vector<std::uint8_t> bitmap((texts.size() + 7) / 8, 0xff);
  bitmap[0] = 0x7f;
  const ColumnView view = ColumnView(texts).with_validity(bitmap.data());
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(view);
  ASSERT_TRUE(codec->has_residual());
  EXPECT_EQ(codec->encode(view).size(), texts.size() - 1);
}

// The dictionary is made from a sample, and once more with strings that the sample lacked.
TEST(StringCodec, AddsRareStringsToItsDictionary) {
  constexpr std::size_t size = 100'000;
  std::vector<std::string> strings(size);
  for (std::size_t row = 0; row < size; ++row) strings[row] = row % 2 == 0 ? "open" : "closed";
  std::vector<bool> is_sampled(size);
  for (const std::uint64_t row : sample_rows(size, strings_to_sample(size, 384)))
    is_sampled[row] = true;
  std::size_t rare = 0;
  for (std::size_t row = 70'000; rare < 3; ++row)
    if (!is_sampled[row]) strings[row] = "rare" + std::to_string(rare++);
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(strings);
  EXPECT_FALSE(codec->has_residual());
}

TEST(StringHash, MatchesTheHashesOfIndexFiles) {
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
  const std::vector<std::pair<std::size_t, std::uint64_t>> known = {
      {0, 0x59bdbf3fb237e67c},  {5, 0xd0d1e4def27b772a},  {8, 0xa88f93a70dfe4805},
      {16, 0x8a338ef8137cc699}, {17, 0x6592809b6f923d2f}, {36, 0x468c0d5d5db03966}};
  for (const auto& [length, hash] : known)
    EXPECT_EQ(StringHash(42)(text.data(), length), hash) << length;
}

TEST(StringHashCodec, OfNullsIsEmpty) {
  const std::vector<std::string> texts(3);
  const std::uint8_t none_valid = 0b11111000;
  const ColumnView view = ColumnView(texts).with_validity(&none_valid);
  EXPECT_TRUE(make_string_hash_codec(view)->empty());
}

TEST(StringHashCodec, MatchesOnlyEqualStrings) {
  Random random(8);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 500; ++i) {
    texts.emplace_back(random.below(40), 'a');
    for (char& c : texts.back()) c = static_cast<char>(random.below(3));
  }
  const ColumnView view(texts);
  const auto codec = KeyCodec::for_column(view, KeyUse::points);
  ASSERT_TRUE(codec->has_residual());
  const EncodedColumn encoded = codec->encode(view);
  std::vector<Interval> intervals(texts.size());
  std::vector<std::uint8_t> checks(texts.size());
  codec->encode_lookups(view, view, {}, 0, texts.size(), intervals.data(), checks.data());
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const bool is_equal = texts[i] == texts[k];
      ASSERT_EQ(intervals[i].contains(encoded.keys[k]), is_equal);
      const auto row = static_cast<std::uint32_t>(k);
      ASSERT_EQ(codec->comparer()->compare_residual(row, view, i) == 0, is_equal);
      ASSERT_EQ(codec->comparer()->compare_rows(static_cast<std::uint32_t>(i), row) == 0, is_equal);
    }
  const OwnedColumn decoded = codec->decode(encoded);
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(decoded.view().string(i), texts[i]);
}

// The hash has a random seed, so no one can prepare strings that collide.
TEST(StringHashCodec, HasARandomSeed) {
  std::vector<std::string> many;
  Random random(9);
  for (std::size_t i = 0; i < 300; ++i) {
    many.emplace_back(50, 'a');
    for (char& c : many.back()) c = static_cast<char>(random.below(256));
  }
  const ColumnView view(many);
  const auto one = KeyCodec::for_column(view, KeyUse::points);
  const auto other = KeyCodec::for_column(view, KeyUse::points);
  EXPECT_NE(one->encode(view).keys[0], other->encode(view).keys[0]);
}

TEST(CompositeCodec, PacksOnlyTheBitsOfValidKeys) {
  const std::vector<std::uint64_t> first = {0, 1, 1};
  const std::vector<std::uint64_t> second = {5, 6, std::uint64_t{1} << 40};
  const std::uint8_t two_valid = 0b011;
  const ColumnView nullable = ColumnView(first).with_validity(&two_valid);
  const auto span = [](const ColumnView& column) { return KeyCodec::for_column(column)->span(); };
  EXPECT_EQ(span(ColumnView::composite({nullable, second})), 3U);
  EXPECT_GT(span(ColumnView::composite({first, second})), std::uint64_t{1} << 40);
}

TEST(CompositeCodec, ComparesEachFieldWithItsOwnType) {
  const std::vector<int> numbers = {1, 2};
  const std::vector<std::string> names = {"a", "b"};
  const auto codec = KeyCodec::for_column(ColumnView::composite({numbers, numbers}));
  EXPECT_NO_THROW(codec->require_comparable(ColumnView::composite({numbers, numbers})));
  EXPECT_THROW(codec->require_comparable(ColumnView::composite({names, numbers})), Error);
  EXPECT_THROW(codec->require_comparable(ColumnView::composite({numbers, names})), Error);
}

TEST(CompositeCodec, IgnoresTheStringsOfNullTuples) {
  const std::vector<std::string> names = {"hello1", "hello2", "x", ""};
  const std::vector<int> numbers = {1, 2, 3, 4};
  const std::uint8_t two_valid = 0b0011;
  const ColumnView column =
      ColumnView::composite({names, ColumnView(numbers).with_validity(&two_valid)});
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(column);
  const EncodedColumn encoded = codec->encode(column);
  ASSERT_EQ(encoded.size(), 2U);
  EXPECT_LT(encoded.keys[0], encoded.keys[1]);
}

}  // namespace
}  // namespace rtindex::test
