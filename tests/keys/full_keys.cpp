// The functions that GPUs encode strings, keys of 128 bits and tuples with, and compare them in
// full: on the host, against the codecs.

#include "keys/full_keys.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "keys/codec.hpp"
#include "keys/codec_fields.hpp"
#include "keys/lookup_batch.hpp"
#include "support/lookups.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// A column as kernels read it, in host memory.
class HostTuples {
 public:
  explicit HostTuples(const ColumnView& column) {
    end_.size = column.size();
    if (column.type() == Type::composite)
      for (const ColumnView& field : column.parts()) add(field);
    else
      add(column);
  }
  [[nodiscard]] const PackedEnd& end() const { return end_; }

 private:
  void add(const ColumnView& field) {
    const std::size_t p = end_.count++;
    if (field.type() != Type::string) {
      end_.types[p] = element_type(field.type());
      end_.fields[p] = field.data();
      return;
    }
    std::string& bytes = bytes_.emplace_back();
    std::vector<std::uint32_t>& offsets = offsets_.emplace_back(1, 0);
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field.valid(i)) bytes += field.string(i);
      offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    end_.types[p] = string_elements(sizeof(std::uint32_t));
    end_.fields[p] = offsets.data();
    end_.bytes[p] = bytes.data();
  }

  std::deque<std::string> bytes_;
  std::deque<std::vector<std::uint32_t>> offsets_;
  PackedEnd end_;
};

FullKeys full_keys_of(const KeyCodec& codec) {
  const CodecFields& own = codec.fields();
  StringMap dictionaries[PackedMap::max_fields] = {};
  for (std::size_t p = 0; p < own.fields.size(); ++p)
    if (own.fields[p].dictionary != nullptr) dictionaries[p] = own.fields[p].dictionary->map();
  FullKeys full;
  full.map = packed_map_of(own, dictionaries);
  full.map.span = codec.span();
  full.map.empty = codec.empty();
  for (std::size_t p = own.first_compared; p < own.fields.size(); ++p) {
    const CodecField& from = own.fields[p];
    FullKeys::Field& field = full.fields[p];
    if (from.keys != nullptr) {
      field.keys = from.keys->get().data();
      field.is_wide = from.keys->get().wide();
    }
    if (from.low != nullptr) {
      field.low = from.low->get().data();
      field.has_wide_low = from.low->get().wide();
    }
    if (from.tails == nullptr) continue;
    field.starts = from.tails->get().starts().data();
    field.has_wide_starts = from.tails->get().starts().wide();
    field.bytes = from.tails->get().all_bytes().data();
    field.size = from.tails->get().all_bytes().size();
    field.prefix = from.prefix.data();
    field.prefix_size = from.prefix.size();
  }
  full.rows = {nullptr, codec.rows().first(), codec.rows().size()};
  return full;
}

int sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

class FullKeysOf : public testing::TestWithParam<std::string> {};

std::vector<std::string> names_of_workloads() {
  std::vector<std::string> names;
  for (const auto& list : {string_workloads(), composite_workloads(), workloads_128()})
    for (const Workload& workload : list) names.push_back(workload.name);
  return names;
}

// Whether a lookup matches a row, by encoded and full keys.
bool is_match(const FullKeys& full, const Interval& interval, std::uint8_t checks,
              std::uint64_t key, std::size_t row, const HostTuples& lower, const HostTuples& upper,
              RangeEnds ends, std::size_t i) {
  if (!interval.contains(key)) return false;
  if ((checks & check_lower) != 0 && key == interval.lower &&
      compare_full(full, row, lower.end(), i) < (ends.lower_open ? 1 : 0))
    return false;
  return (checks & check_upper) == 0 || key != interval.upper ||
         compare_full(full, row, upper.end(), i) <= (ends.upper_open ? -1 : 0);
}

void expect_codecs_matches(const TestColumn& column, const std::vector<Batch>& batches) {
  for (const KeyUse use : {KeyUse::order, KeyUse::points}) {
    const auto codec = KeyCodec::for_column(column.view(), use);
    const FullKeys full = full_keys_of(*codec);
    const EncodedColumn encoded = codec->encode(column.view());
    for (const Batch& batch : batches) {
      const bool are_points = batch.kind == QueryKind::equal;
      if (use == KeyUse::points && !are_points) continue;
      const HostTuples lower(batch.lower.view());
      const HostTuples upper(are_points ? batch.lower.view() : batch.upper.view());
      const ColumnView low = batch.lower.view();
      const ColumnView high = batch.upper.view();
      for (const RangeEnds ends : {RangeEnds{}, RangeEnds{true, false}, RangeEnds{false, true}}) {
        if (are_points && ends.any_open()) continue;
        for (std::size_t i = 0; i < batch.size(); ++i) {
          if (!low.valid(i) || (!are_points && !high.valid(i))) continue;
          Interval wanted{};
          std::uint8_t wanted_checks = check_none;
          const LookupBatch lookups(*codec, low, are_points ? low : high, batch.kind, ends);
          lookups.encode(i, 1, &wanted, &wanted_checks);
          std::uint8_t checks = check_none;
          const bool once = are_points && full.map.count == 1;
          const Interval interval =
              once ? encode_point(full.map, lower.end(), i, checks)
                   : encode_interval(full.map, lower.end(), upper.end(), i, ends, checks);
          for (std::size_t k = 0; k < encoded.size(); ++k) {
            const std::uint32_t row = encoded.row(k);
            const std::uint64_t key = encoded.keys[k];
            const bool expected =
                wanted.contains(key) && lookups.accepts(i, wanted, wanted_checks, row, key);
            ASSERT_EQ(is_match(full, interval, checks, key, row, lower, upper, ends, i), expected)
                << low.text(i) << " and " << column.view().text(row);
          }
        }
      }
    }
  }
}

TEST_P(FullKeysOf, MatchesWhatTheCodecMatches) {
  const TestColumn column = workload_named(GetParam()).column();
  Random random(column.size() + 3);
  expect_codecs_matches(column, interesting_batches(column, 16, random));
}

// The code of a string can be so far above those of the column that it needs more bits.
TEST(FullKeys, MatchStringsAboveAllOfTheirField) {
  const Shape shape{Type::composite, {}, {{Type::i32}, {Type::string}}};
  std::vector<Key> keys;
  std::vector<Key> above;
  for (const Whole number : {1, 2, 3}) {
    for (const std::string text : {"aa", "ab", "ac", "ad", "ae", "ba"})
      keys.push_back({number, text});
    for (const std::string text : {"ba", "bb", "be", "bz", "c"}) above.push_back({number, text});
  }
  const std::vector<Key> last(above.size(), keys.back());
  expect_codecs_matches(TestColumn(shape, keys), {ranges({shape, above}, {shape, last})});
}

// Where some strings are compared in full, the numbers behind the others are too.
TEST(FullKeys, MatchNumbersBehindStrings) {
  Random random(6);
  const Shape shape{Type::composite, {}, {{Type::string}, {Type::i32}}};
  std::vector<Key> keys;
  for (Whole number = 0; number < 200; ++number) {
    std::string text(1 + random.below(4), 'a');
    if (random.one_in(4))
      for (int i = 0; i < 100; ++i) text += static_cast<char>(random.below(256));
    for (const Whole more : {0, 7}) keys.push_back({text, number + more});
  }
  const TestColumn column(shape, keys);
  expect_codecs_matches(column, own_batches(column, 40, random));
}

TEST_P(FullKeysOf, OrdersElementsLikeTheCodec) {
  const TestColumn column = workload_named(GetParam()).column();
  const auto codec = KeyCodec::for_column(column.view());
  const FullKeys full = full_keys_of(*codec);
  const EncodedColumn encoded = codec->encode(column.view());
  const std::size_t size = std::min<std::size_t>(encoded.size(), 300);
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = 0; b < size; ++b) {
      if (encoded.keys[a] != encoded.keys[b]) continue;
      ASSERT_EQ(sign(compare_elements(full, encoded.row(a), encoded.row(b))),
                codec->has_residual()
                    ? sign(codec->comparer()->compare_rows(encoded.row(a), encoded.row(b)))
                    : 0)
          << a << " and " << b;
    }
}

INSTANTIATE_TEST_SUITE_P(Keys, FullKeysOf, testing::ValuesIn(names_of_workloads()),
                         [](const auto& item) { return item.param; });

TEST(RowElements, AreFoundInAList) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 37; ++i) rows.push_back(5 + i * i);
  const RowElements listed{rows.data(), 0, rows.size()};
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(listed.element(rows[i]), i);
  const RowElements numbered{nullptr, 5, rows.size()};
  EXPECT_EQ(numbered.element(5), 0U);
  EXPECT_EQ(numbered.element(41), 36U);
  EXPECT_EQ(numbered.element(1000), 36U);
}

TEST(TextReader, ComparesNoBytesBehindTheEnd) {
  alignas(8) const char one[] = "abzzzzzzabzzzzzz";
  alignas(8) const char other[] = "abccccccabcccccc";
  for (std::size_t size = 0; size <= 16; ++size)
    for (std::size_t other_size = 0; other_size <= 16; ++other_size) {
      TextReader a(one, size, one + 16);
      TextReader b(other, other_size, other + 16);
      const int wanted = std::string(one, size).compare(std::string(other, other_size));
      ASSERT_EQ(sign(compare_texts(a, 0, b, 0)), sign(wanted)) << size << " " << other_size;
    }
}

TEST(TextReader, ReadsNoBytesBehindItsLimit) {
  alignas(8) const char bytes[] = "0123456789abcdef";
  for (std::size_t first = 0; first < 9; ++first)
    for (std::size_t size = 0; first + size < 17; ++size) {
      TextReader text(bytes + first, size, bytes + first + size);
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(text[i], static_cast<unsigned char>(bytes[first + i]));
      for (std::size_t i = 0; i < size; ++i) {
        std::uint64_t wanted = 0;
        for (std::size_t k = 0; k < 8 && i + k < size; ++k)
          wanted |= std::uint64_t{static_cast<unsigned char>(bytes[first + i + k])} << 8 * k;
        ASSERT_EQ(text.word(i), wanted) << first << " " << size << " " << i;
      }
    }
}

}  // namespace
}  // namespace rtindex::test
