// Every call of the C interface does what its counterpart in C++ does.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/rtindex.hpp>

#include "c/c_calls.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

const std::vector<std::int64_t> keys{26, 25, 29, 23, 29, 27};

class CCalls : public testing::Test {
 protected:
  CCalls() {
    const rtindex_column column = memory_of(RTINDEX_INT64, keys);
    EXPECT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index_.out())));
  }

  // The number of rows that hold a key.
  [[nodiscard]] static std::uint32_t count(const rtindex_index* index, std::int64_t key) {
    const std::vector<std::int64_t> one{key};
    const rtindex_column column = memory_of(RTINDEX_INT64, one);
    auto options = sized<rtindex_lookup_options>();
    options.answers = RTINDEX_COUNT;
    Exported answers;
    EXPECT_EQ("", error_in(rtindex_lookup(index, RTINDEX_POINT, &column, nullptr, &options,
                                          answers.schema_out(), answers.array_out())));
    return elements_of<std::uint32_t>(*answers.child("count")).at(0);
  }
  [[nodiscard]] rtindex_index* index() const { return index_.get(); }

 private:
  CIndex index_;
};

TEST_F(CCalls, ChangesAndSnapshots) {
  CIndex before, copy;
  ASSERT_EQ("", error_in(rtindex_snapshot(index(), before.out())));
  ASSERT_EQ("", error_in(rtindex_copy(index(), copy.out())));
  const std::vector<std::int64_t> added{29, 40};
  const rtindex_column new_keys = memory_of(RTINDEX_INT64, added);
  std::uint32_t first = 0;
  ASSERT_EQ("", error_in(rtindex_insert(index(), &new_keys, nullptr, nullptr, &first)));
  EXPECT_EQ(first, 6U);
  EXPECT_EQ(count(index(), 29), 3U);
  const std::vector<std::uint32_t> erased_rows{2};
  const rtindex_column rows = memory_of(RTINDEX_UINT32, erased_rows);
  ASSERT_EQ("", error_in(rtindex_erase(index(), &rows, nullptr)));
  EXPECT_EQ(count(index(), 29), 2U);
  const std::vector<std::uint32_t> updated_rows{0, 1};
  const rtindex_column updated = memory_of(RTINDEX_UINT32, updated_rows);
  ASSERT_EQ("", error_in(rtindex_update(index(), &updated, &new_keys, nullptr)));
  EXPECT_EQ(count(index(), 29), 3U);
  EXPECT_EQ(count(index(), 26), 0U);
  std::uint64_t erased = 0;
  ASSERT_EQ("", error_in(rtindex_erase_keys(index(), &new_keys, nullptr, &erased)));
  EXPECT_EQ(erased, 5U);
  ASSERT_EQ("", error_in(rtindex_merge(index())));
  auto info = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index(), &info)));
  EXPECT_EQ(info.rows, 8U);
  EXPECT_EQ(info.live, 2U);
  EXPECT_EQ(count(before.get(), 29), 2U);
  EXPECT_EQ(count(copy.get(), 29), 2U);
}

TEST_F(CCalls, NeighboursAndTheirKeys) {
  const std::vector<std::int64_t> times{24, 28, 22};
  const rtindex_column lookups = memory_of(RTINDEX_INT64, times);
  auto nearest = sized<rtindex_nearest_options>();
  nearest.direction = RTINDEX_BACKWARD;
  nearest.tolerance_type = RTINDEX_INT64;
  nearest.tolerance_i64 = 1;
  auto options = sized<rtindex_lookup_options>();
  options.answers = RTINDEX_ANY | RTINDEX_KEY;
  options.nearest = &nearest;
  Exported answers;
  ASSERT_EQ("", error_in(rtindex_lookup(index(), RTINDEX_NEAREST, &lookups, nullptr, &options,
                                        answers.schema_out(), answers.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("any")),
            (std::vector<std::uint32_t>{3, 5, RTINDEX_MISS_ROW}));
  EXPECT_EQ(answers.format_of("key"), "l");
  const std::vector<std::int64_t> found = elements_of<std::int64_t>(*answers.child("key"));
  EXPECT_EQ(found[0], 23);
  EXPECT_EQ(found[1], 27);
  EXPECT_EQ(static_cast<const std::uint8_t*>(answers.child("key")->buffers[0])[0] & 7, 3);

  std::vector<std::int64_t> key(3);
  auto outputs = sized<rtindex_outputs>();
  outputs.key = key.data();
  nearest.exclude_equal = 1;
  nearest.tolerance_type = 0;
  nearest.direction = RTINDEX_FORWARD;
  ASSERT_EQ("", error_in(rtindex_lookup_into(index(), RTINDEX_NEAREST, &lookups, nullptr, &options,
                                             &outputs)));
  EXPECT_EQ(key, (std::vector<std::int64_t>{25, 29, 23}));
}

TEST_F(CCalls, RangesWithOneEnd) {
  const std::vector<std::int64_t> ends{26};
  const rtindex_column end = memory_of(RTINDEX_INT64, ends);
  auto options = sized<rtindex_lookup_options>();
  options.answers = RTINDEX_COUNT;
  options.ends = RTINDEX_OPEN;
  for (const bool is_lower : {true, false}) {
    Exported answers;
    ASSERT_EQ("", error_in(rtindex_lookup(index(), RTINDEX_RANGE, is_lower ? &end : nullptr,
                                          is_lower ? nullptr : &end, &options, answers.schema_out(),
                                          answers.array_out())));
    EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("count")).at(0), is_lower ? 3U : 2U);
  }
}

// Collects the parts of a join.
struct Parts {
  std::vector<std::uint64_t> lookups;
  std::vector<std::uint32_t> rows;
  std::size_t parts = 0;
  std::size_t most_parts = 1000;

  static rtindex_status take(void* context, const std::uint64_t* lookups, const std::uint32_t* rows,
                             std::size_t count) {
    auto& self = *static_cast<Parts*>(context);
    if (++self.parts > self.most_parts) return RTINDEX_UNAVAILABLE;
    self.lookups.insert(self.lookups.end(), lookups, lookups + count);
    if (rows != nullptr) self.rows.insert(self.rows.end(), rows, rows + count);
    return RTINDEX_OK;
  }
};

TEST_F(CCalls, Joins) {
  const Index expected_index = build(keys, "sorted@cpu");
  const std::vector<std::int64_t> batch{29, 24, 25, 30};
  const std::vector<std::int64_t> upper{30, 24, 27, 20};
  const rtindex_column lookups = memory_of(RTINDEX_INT64, batch);
  const rtindex_column ends = memory_of(RTINDEX_INT64, upper);
  for (const std::int32_t kind : {RTINDEX_POINT, RTINDEX_RANGE, RTINDEX_NEAREST})
    for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
      SCOPED_TRACE(std::to_string(kind) + " " + std::string(name_of(how)));
      auto options = sized<rtindex_join_options>();
      options.how = static_cast<std::int32_t>(how);
      const rtindex_column* upper_ends = kind == RTINDEX_RANGE ? &ends : nullptr;
      const JoinedRows expected = kind == RTINDEX_POINT ? expected_index.join(batch, how)
                                  : kind == RTINDEX_RANGE
                                      ? expected_index.join_range(batch, upper, how)
                                      : expected_index.join_asof(batch, {}, how);
      const bool has_rows = how == JoinKind::inner || how == JoinKind::left;
      Exported pairs;
      ASSERT_EQ("", error_in(rtindex_join(index(), kind, &lookups, upper_ends, &options,
                                          pairs.schema_out(), pairs.array_out())));
      EXPECT_EQ(elements_of<std::uint64_t>(*pairs.child("lookups")), expected.lookups);
      ASSERT_EQ(pairs.child("rows") != nullptr, has_rows);
      if (has_rows) {
        EXPECT_EQ(elements_of<std::uint32_t>(*pairs.child("rows")), expected.rows);
      }
      Parts parts;
      ASSERT_EQ("", error_in(rtindex_join_in_parts(index(), kind, &lookups, upper_ends, &options, 2,
                                                   Parts::take, &parts)));
      EXPECT_EQ(parts.lookups, expected.lookups);
      EXPECT_EQ(parts.rows, expected.rows);
      if (expected.lookups.size() <= 2) continue;
      Parts ended{.most_parts = 1};
      EXPECT_EQ(rtindex_join_in_parts(index(), kind, &lookups, upper_ends, &options, 2, Parts::take,
                                      &ended),
                RTINDEX_UNAVAILABLE);
    }
}

TEST_F(CCalls, RanksAndRows) {
  const std::vector<std::int64_t> batch{23, 28, 99};
  const rtindex_column lookups = memory_of(RTINDEX_INT64, batch);
  Exported ranks;
  ASSERT_EQ("", error_in(rtindex_rank(index(), &lookups, ranks.schema_out(), ranks.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*ranks.array), (std::vector<std::uint32_t>{0, 4, 6}));
  EXPECT_STREQ(ranks.schema->format, "I");
  const std::vector<std::uint32_t> places{0, 5, 6};
  const rtindex_column c_places = memory_of(RTINDEX_UINT32, places);
  Exported found;
  ASSERT_EQ("", error_in(rtindex_select(index(), &c_places, nullptr, found.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*found.array),
            (std::vector<std::uint32_t>{3, 4, RTINDEX_MISS_ROW}));
  rtindex_column nullable = memory_of(RTINDEX_INT64, keys);
  const std::uint8_t bits = 0b1110'1001;
  nullable.validity = &bits;
  nullable.validity_offset = 1;
  CIndex with_nulls;
  ASSERT_EQ("", error_in(rtindex_build(&nullable, nullptr, nullptr, with_nulls.out())));
  Exported nulls;
  ASSERT_EQ("", error_in(rtindex_null_rows(with_nulls.get(), nullptr, nulls.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*nulls.array), (std::vector<std::uint32_t>{0, 1, 3}));
}

TEST_F(CCalls, FilesAndBytes) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "keys.rtindex").string();
  ASSERT_EQ("", error_in(rtindex_set_metadata(index(), "table", "articles")));
  ASSERT_EQ("", error_in(rtindex_save(index(), path.c_str())));
  auto options = sized<rtindex_load_options>();
  options.verify = 1;
  CIndex loaded;
  ASSERT_EQ("", error_in(rtindex_load(path.c_str(), &options, loaded.out())));
  EXPECT_EQ(count(loaded.get(), 29), 2U);
  Exported metadata;
  ASSERT_EQ("",
            error_in(rtindex_metadata(loaded.get(), metadata.schema_out(), metadata.array_out())));
  EXPECT_EQ(strings_in(*metadata.child("name")), std::vector<std::string>{"table"});
  EXPECT_EQ(strings_in(*metadata.child("text")), std::vector<std::string>{"articles"});

  Exported bytes;
  ASSERT_EQ("", error_in(rtindex_serialize(index(), bytes.schema_out(), bytes.array_out())));
  CIndex again;
  ASSERT_EQ("", error_in(rtindex_deserialize(bytes.array->buffers[1],
                                             static_cast<std::size_t>(bytes.array->length), nullptr,
                                             again.out())));
  EXPECT_EQ(count(again.get(), 29), 2U);
  rtindex_index* none = nullptr;
  EXPECT_EQ(rtindex_deserialize(bytes.array->buffers[1], 20, nullptr, &none), RTINDEX_CORRUPT_FILE);
}

TEST_F(CCalls, FactsAboutAnIndex) {
  auto info = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index(), &info)));
  EXPECT_EQ(info.rows, 6U);
  EXPECT_EQ(info.type, RTINDEX_INT64);
  EXPECT_EQ(info.included, 0);
  CText spec, description, normal;
  ASSERT_EQ("", error_in(rtindex_spec(index(), spec.out())));
  EXPECT_TRUE(spec.text().starts_with("sorted@cpu"));
  ASSERT_EQ("", error_in(rtindex_check_spec(spec.text().c_str(), normal.out())));
  EXPECT_EQ(normal.text(), spec.text());
  ASSERT_EQ("", error_in(rtindex_describe(index(), description.out())));
  EXPECT_NE(description.text().find("sorted"), std::string::npos);
  std::int32_t supported = 0;
  ASSERT_EQ("", error_in(rtindex_supports(index(), RTINDEX_ROWS, RTINDEX_RANGE, &supported)));
  EXPECT_EQ(supported, 1);
  ASSERT_EQ("", error_in(rtindex_supports(index(), RTINDEX_ROWS, RTINDEX_PREFIX, &supported)));
  EXPECT_EQ(supported, 0);
  Exported parts;
  ASSERT_EQ("", error_in(rtindex_memory_parts(index(), parts.schema_out(), parts.array_out())));
  std::uint64_t bytes = 0;
  for (const std::uint64_t part : elements_of<std::uint64_t>(*parts.child("bytes"))) bytes += part;
  EXPECT_EQ(bytes, info.resident_bytes);
  Exported profile;
  EXPECT_EQ("",
            error_in(rtindex_build_profile(index(), profile.schema_out(), profile.array_out())));
}

TEST(CInterface, WhatThisMachineHas) {
  Exported known;
  ASSERT_EQ("", error_in(rtindex_indexes(known.schema_out(), known.array_out())));
  const std::vector<IndexInfo> expected = indexes();
  ASSERT_EQ(known.array->length, static_cast<std::int64_t>(expected.size()));
  const std::vector<std::string> specs = strings_in(*known.child("spec"));
  const auto* available = static_cast<const std::uint8_t*>(known.child("available")->buffers[1]);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(specs[i], expected[i].spec);
    EXPECT_EQ(((available[i / 8] >> (i % 8)) & 1) != 0, expected[i].available);
  }
  EXPECT_EQ(known.format_of("reason"), "U");
  Exported options;
  ASSERT_EQ("", error_in(rtindex_spec_options(options.schema_out(), options.array_out())));
  EXPECT_EQ(options.array->length, static_cast<std::int64_t>(spec_options().size()));
  CText spec;
  ASSERT_EQ("", error_in(rtindex_default_spec(spec.out())));
  EXPECT_EQ(spec.text(), default_spec().text());
  auto information = sized<rtindex_build_information>();
  ASSERT_EQ("", error_in(rtindex_get_build_information(&information)));
  EXPECT_EQ(information.abi_version, RTINDEX_ABI_VERSION);
  EXPECT_STREQ(information.version, RTINDEX_VERSION_STRING);
  EXPECT_EQ(std::string(rtindex_build_text()).find("rtindex " RTINDEX_VERSION_STRING "\n"), 0U);
}

TEST(CInterface, IncludedValuesAndCounters) {
  const std::vector<double> prices{1, 2, 3, 4, 5, 6};
  const rtindex_column column = memory_of(RTINDEX_INT64, keys);
  const rtindex_column values = memory_of(RTINDEX_FLOAT64, prices);
  auto build_options = sized<rtindex_build_options>();
  build_options.include = &values;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", &build_options, index.out())));
  auto info = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index.get(), &info)));
  EXPECT_EQ(info.included, RTINDEX_FLOAT64);
  const std::vector<std::uint32_t> changed{2};
  const std::vector<double> price{10};
  const rtindex_column rows = memory_of(RTINDEX_UINT32, changed);
  const rtindex_column new_values = memory_of(RTINDEX_FLOAT64, price);
  ASSERT_EQ("", error_in(rtindex_set_included(index.get(), &rows, &new_values, nullptr)));
  const std::vector<std::int64_t> one{29};
  const rtindex_column lookups = memory_of(RTINDEX_INT64, one);
  auto counters = sized<rtindex_counters>();
  auto options = sized<rtindex_lookup_options>();
  options.answers = RTINDEX_SUM;
  options.counters = &counters;
  Exported answers;
  ASSERT_EQ("", error_in(rtindex_lookup(index.get(), RTINDEX_POINT, &lookups, nullptr, &options,
                                        answers.schema_out(), answers.array_out())));
  EXPECT_EQ(elements_of<double>(*answers.child("sum")), std::vector<double>{15});
  EXPECT_GT(counters.hits, 0U);
}

TEST(CInterface, TimesKeepTheirUnit) {
  const std::vector<std::int64_t> ticks{10, 20, 30};
  rtindex_column column = memory_of(RTINDEX_TIMESTAMP64, ticks);
  column.time_unit = RTINDEX_UNIT_MICROSECOND;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
  arrow::Owned<ArrowSchema> schema;
  ASSERT_EQ("", error_in(rtindex_column_schema(index.get(), schema.address())));
  EXPECT_STREQ(schema->format, "tsu:");
  column.time_unit = RTINDEX_UNIT_SECOND;
  ArrowArray array{};
  EXPECT_EQ(rtindex_lookup(index.get(), RTINDEX_POINT, &column, nullptr, nullptr, nullptr, &array),
            RTINDEX_INVALID_ARGUMENT);
}

TEST(CInterface, CompositesInMemoryAndAsNeighbours) {
  const std::vector<std::int32_t> users{1, 1, 2};
  const std::vector<double> times{1.5, 2.5, 0.5};
  const std::vector<rtindex_column> parts{memory_of(RTINDEX_INT32, users),
                                          memory_of(RTINDEX_FLOAT64, times)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  auto options = sized<rtindex_lookup_options>();
  options.answers = RTINDEX_ANY | RTINDEX_KEY;
  auto nearest = sized<rtindex_nearest_options>();
  nearest.exclude_equal = 1;
  options.nearest = &nearest;
  Exported answers;
  ASSERT_EQ("", error_in(rtindex_lookup(index.get(), RTINDEX_NEAREST, &column, nullptr, &options,
                                        answers.schema_out(), answers.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*answers.child("any")),
            (std::vector<std::uint32_t>{RTINDEX_MISS_ROW, 0, RTINDEX_MISS_ROW}));
  EXPECT_EQ(answers.format_of("key"), "+s");
  EXPECT_EQ(elements_of<double>(*answers.child("key")->children[1]).at(1), 1.5);
}

TEST(CInterface, PartsOfACompositeMayBeArrowArrays) {
  const std::vector<std::string> cities{"Bonn", "Jena", "Bonn"};
  const ArrowColumn city(strings(cities));
  const std::vector<std::int32_t> years{1990, 1990, 1991};
  const std::vector<rtindex_column> parts{*city.get(), memory_of(RTINDEX_INT32, years)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, nullptr, nullptr, index.out())));
  std::vector<std::uint32_t> first(3);
  auto outputs = sized<rtindex_outputs>();
  outputs.first = first.data();
  ASSERT_EQ("", error_in(rtindex_lookup_into(index.get(), RTINDEX_POINT, &column, nullptr, nullptr,
                                             &outputs)));
  EXPECT_EQ(first, (std::vector<std::uint32_t>{0, 1, 2}));
}

// An exported child that is moved away lives on when its parent is released.
TEST_F(CCalls, ChildrenCanBeMovedAway) {
  const rtindex_column lookups = memory_of(RTINDEX_INT64, keys);
  auto options = sized<rtindex_lookup_options>();
  options.answers = RTINDEX_FIRST | RTINDEX_COUNT;
  ArrowArray array{};
  ASSERT_EQ("", error_in(rtindex_lookup(index(), RTINDEX_POINT, &lookups, nullptr, &options,
                                        nullptr, &array)));
  const arrow::Owned<ArrowArray> counts(array.children[1]);
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(elements_of<std::uint32_t>(*counts), (std::vector<std::uint32_t>{1, 1, 2, 1, 2, 1}));
}

TEST_F(CCalls, ADeviceCallInHostMemoryAnswersThere) {
  const rtindex_column lookups = memory_of(RTINDEX_INT64, keys);
  ArrowDeviceArray answers{};
  ASSERT_EQ("", error_in(rtindex_lookup_device(index(), RTINDEX_POINT, &lookups, nullptr, nullptr,
                                               nullptr, &answers)));
  EXPECT_EQ(answers.device_type, ARROW_DEVICE_CPU);
  EXPECT_EQ(answers.sync_event, nullptr);
  EXPECT_EQ(answers.array.length, 6);
  answers.array.release(&answers.array);
  ArrowDeviceArray pairs{};
  ASSERT_EQ("", error_in(rtindex_join_device(index(), RTINDEX_POINT, &lookups, nullptr, nullptr,
                                             nullptr, &pairs)));
  EXPECT_EQ(pairs.array.length, 8);
  pairs.array.release(&pairs.array);
}

}  // namespace
}  // namespace rtindex::test
