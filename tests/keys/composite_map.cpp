// The mapping of composite keys, which host and device share, against the comparison of plain
// values.

#include "keys/composite_map.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "keys/codec.hpp"
#include "support/interval_oracle.hpp"
#include "support/lookups.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// Three fields of types whose lookups are rounded, signed and null.
TestColumn tuple_column(std::uint64_t seed, std::size_t size) {
  Random random(seed);
  std::vector<Key> keys;
  for (std::size_t row = 0; row < size; ++row) {
    keys.push_back({random.between(-3, 3), random.between(0, 500),
                    static_cast<double>(random.below(16)) / 4 - 2});
    if (random.one_in(20)) keys.back()[random.below(3)] = std::monostate{};
  }
  return {Shape{Type::composite, {}, {{Type::i16}, {Type::u32}, {Type::f32}}}, keys};
}

PackedEnd packed_end_of(const ColumnView& column) {
  PackedEnd end;
  for (const ColumnView& field : column.parts()) {
    end.types[end.count] = element_type(field.type());
    end.fields[end.count++] = field.data();
  }
  return end;
}

// The first fields of a composite column; none: an unset end.
ColumnView with_fields(const ColumnView& column, std::size_t fields) {
  if (fields == 0) return {};
  const std::span<const ColumnView> first = column.parts().first(fields);
  return ColumnView::composite({first.begin(), first.end()});
}

// The first fields of a key; none: an unset end.
std::optional<Key> with_fields(const Key& key, std::size_t fields) {
  if (fields == 0) return std::nullopt;
  return Key(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(fields));
}

void expect_bounds(const TestColumn& column) {
  const auto codec = KeyCodec::for_column(column.view());
  const auto map = codec->packed_map();
  ASSERT_TRUE(map.has_value());
  const EncodedColumn encoded = codec->encode(column.view());
  Random random(5);
  for (const Batch& batch : interesting_batches(column, 30, random)) {
    const ColumnView all_lower = batch.lower.view();
    const ColumnView all_upper = batch.upper.view();
    const std::size_t max_fields = all_lower.parts().size();
    for (std::size_t low = 0; low <= max_fields; ++low)
      for (std::size_t high = 0; high <= max_fields; ++high)
        for (const unsigned open : {0U, 1U, 2U, 3U}) {
          const ColumnView lower = with_fields(all_lower, low);
          const ColumnView upper = with_fields(all_upper, high);
          const RangeEnds ends{(open & 1) != 0, (open & 2) != 0};
          std::vector<Interval> all(batch.size());
          codec->encode_lookups(lower, upper, ends, 0, batch.size(), all.data(), nullptr);
          for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!lower.valid(i) || !upper.valid(i)) continue;
            const auto from = with_fields(batch.lower.keys()[i], low);
            const auto to = with_fields(batch.upper.keys()[i], high);
            const Key* const first = from ? &*from : nullptr;
            const Key* const last = to ? &*to : nullptr;
            ASSERT_NO_FATAL_FAILURE(expect_interval(column, encoded, first, last, ends, all[i]))
                << batch.text(i) << " fields " << low << " " << high << " open " << open;
            std::uint8_t checks = check_none;
            const Interval found =
                encode_interval(*map, packed_end_of(lower), packed_end_of(upper), i, ends, checks);
            ASSERT_EQ(checks, check_none);
            if (are_same(found, all[i])) continue;
            ASSERT_NO_FATAL_FAILURE(expect_interval(column, encoded, first, last, ends, found))
                << batch.text(i) << " fields " << low << " " << high << " open " << open;
          }
        }
  }
}

TEST(CompositeMap, EncodesLookupsAsTheRowsOfAScan) {
  expect_bounds(tuple_column(1, 300));
  expect_bounds(tuple_column(2, 3));
  std::size_t packed = 0;
  for (const Workload& workload : composite_workloads()) {
    const TestColumn column = workload.column();
    const auto map = KeyCodec::for_column(column.view())->packed_map();
    if (!map || map->empty) continue;
    ++packed;
    expect_bounds(column);
  }
  EXPECT_NE(packed, 0U);
}

void expect_fields(const TestColumn& column) {
  const auto codec = KeyCodec::for_column(column.view());
  const PackedMap map = codec->packed_map().value();
  const EncodedColumn encoded = codec->encode(column.view());
  const ColumnView view = column.view();
  for (std::size_t i = 0; i < encoded.size(); ++i)
    for (std::size_t p = 0; p < map.count; ++p) {
      const ColumnView& field = view.parts()[p];
      const std::uint64_t wanted = visit_native(field.type(), [&]<class T>() {
        return ordered_bits(value_of(static_cast<const T*>(field.data())[encoded.row(i)]));
      });
      ASSERT_EQ(field_bits(map, p, encoded.keys[i]), wanted) << view.text(encoded.row(i));
    }
}

TEST(CompositeMap, ExtractsTheFieldsOfKeys) { expect_fields(tuple_column(3, 400)); }

// A field with one value has no bits of the key, and another may have all.
TEST(CompositeMap, ExtractsFieldsOfNoBits) {
  const Whole largest = ~std::uint64_t{0};
  const Shape shape{Type::composite, {}, {{Type::i16}, {Type::u64}, {Type::u8}}};
  expect_fields({shape, {{Whole{-7}, Whole{0}, Whole{5}}, {Whole{-7}, largest, Whole{5}}}});
  expect_fields({shape, {{Whole{-7}, Whole{3}, Whole{5}}, {Whole{-7}, Whole{4}, Whole{5}}}});
}

// The interval of a neighbour's range, from the edge that it is looked for at. It holds the same
// keys of the column; where no time of a group is as late, it may end earlier.
template <Edge edge>
void expect_pair_edges(const PackedMap& map, const PairMap& pair, const EncodedColumn& column,
                       const ColumnView& keys, std::size_t i, bool open) {
  const auto bits = [&](std::size_t p) {
    return clamp_integer(
               load_integer(keys.parts()[p].data(), i, element_type(keys.parts()[p].type())),
               element_type(keys.parts()[p].type()))
        .bits;
  };
  const PackedEnd whole = packed_end_of(keys);
  const PackedEnd group = packed_end_of(with_fields(keys, 1));
  std::uint8_t checks = check_none;
  const Interval wanted = edge == Edge::last
                              ? encode_interval(map, group, whole, i, {.upper_open = open}, checks)
                              : encode_interval(map, whole, group, i, {.lower_open = open}, checks);
  std::uint64_t key = 0;
  std::uint64_t limit = 0;
  const bool found = encode_pair_edge<edge>(pair, bits(0), bits(1), open, key, limit);
  const Interval own = !found               ? empty_interval
                       : edge == Edge::last ? Interval{limit, key}
                                            : Interval{key, limit};
  for (std::size_t row = 0; row < column.size(); ++row)
    ASSERT_EQ(own.contains(column.keys[row]), wanted.contains(column.keys[row]))
        << keys.text(i) << " row " << row;
}

TEST(CompositeMap, FindsEdgesOfPairsInTwoSteps) {
  Random random(8);
  const Shape shape{Type::composite, {}, {{Type::u32}, {Type::i64}}};
  const auto random_pairs = [&](std::size_t size, Whole most) {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < size; ++i)
      keys.push_back({random.one_in(20) ? largest_of(Type::u32) : random.between(3, 3 + most),
                      random.one_in(20) ? smallest_of(Type::i64) : random.between(-most, most)});
    return keys;
  };
  const auto expect_edges = [&](const std::vector<Key>& rows, const std::vector<Key>& keys) {
    const TestColumn column(shape, rows);
    const auto codec = KeyCodec::for_column(column.view());
    const PackedMap map = codec->packed_map().value();
    const auto field = [&](std::size_t p) {
      return PairMap::Field{nullptr, 0, 0, map.fields[p].map.base, map.fields[p].map.span};
    };
    const PairMap pair{field(0), field(1), map.fields[1].bits, map.base, map.span};
    const EncodedColumn encoded = codec->encode(column.view());
    const TestColumn lookups(shape, keys);
    for (std::size_t i = 0; i < lookups.size(); ++i)
      for (const bool open : {false, true}) {
        expect_pair_edges<Edge::first>(map, pair, encoded, lookups.view(), i, open);
        expect_pair_edges<Edge::last>(map, pair, encoded, lookups.view(), i, open);
      }
  };
  for (const Whole most : {0, 1, 5, 30}) {
    std::vector<Key> rows = random_pairs(60, most);
    // Without the ends of the types, which need all 64 bits.
    for (Key& key : rows)
      key = {std::min<Whole>(std::get<Whole>(key[0]), 40),
             std::max<Whole>(std::get<Whole>(key[1]), -40)};
    expect_edges(rows, random_pairs(300, most + 3));
  }
  // The last group has one key, with the smallest of all times.
  expect_edges({{Whole{1}, Whole{0}}, {Whole{1}, Whole{5}}, {Whole{2}, Whole{0}}},
               {{Whole{2}, Whole{0}}, {Whole{2}, Whole{9}}, {Whole{2}, Whole{-1}}});
}

TEST(CompositeMap, IsUnsetWhereKeysAreComparedInFull) {
  const std::vector<std::uint64_t> wide = {0, ~std::uint64_t{0}, 17};
  const ColumnView column = ColumnView::composite({wide, wide});
  EXPECT_FALSE(KeyCodec::for_column(column)->packed_map().has_value());
}

}  // namespace
}  // namespace rtindex::test
