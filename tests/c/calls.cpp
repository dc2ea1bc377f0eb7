// Changes, files and facts: each call of the C interface does what its counterpart in C++ does.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/rtindex.hpp>

#include "c/c_calls.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

class CCalls : public CIndexTest {
 protected:
  // The number of rows that hold a key.
  [[nodiscard]] static std::uint32_t count(const rtindex_index* index, std::int64_t key) {
    const std::vector<std::int64_t> one{key};
    const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, one);
    const rtindex_query query = rtindex_query_equal(&column);
    std::uint32_t count = 77;
    auto outputs = sized<rtindex_outputs>();
    outputs.count = &count;
    EXPECT_EQ("", error_in(rtindex_answer_into(index, &query, nullptr, nullptr, &outputs)));
    return count;
  }
};

TEST_F(CCalls, ChangesAndSnapshots) {
  CIndex before, copy;
  ASSERT_EQ("", error_in(rtindex_snapshot(index(), before.out())));
  ASSERT_EQ("", error_in(rtindex_copy(index(), copy.out())));
  const std::vector<std::int64_t> added{29, 40};
  const rtindex_column new_keys = memory_of(RTINDEX_TYPE_INT64, added);
  std::uint32_t first = 0;
  ASSERT_EQ("", error_in(rtindex_insert(index(), &new_keys, nullptr, nullptr, &first)));
  EXPECT_EQ(first, 6U);
  EXPECT_EQ(count(index(), 29), 3U);
  const std::vector<std::uint32_t> erased_rows{2};
  const rtindex_column rows = memory_of(RTINDEX_TYPE_UINT32, erased_rows);
  ASSERT_EQ("", error_in(rtindex_erase(index(), &rows, nullptr)));
  EXPECT_EQ(count(index(), 29), 2U);
  const std::vector<std::uint32_t> updated_rows{0, 1};
  const rtindex_column updated = memory_of(RTINDEX_TYPE_UINT32, updated_rows);
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
  EXPECT_EQ(info.valid, 2U);
  EXPECT_EQ(count(before.get(), 29), 2U);
  EXPECT_EQ(count(copy.get(), 29), 2U);
}

TEST_F(CCalls, RanksAndRows) {
  const std::vector<std::int64_t> batch{23, 28, 99};
  const rtindex_column lookups = memory_of(RTINDEX_TYPE_INT64, batch);
  Exported ranks;
  ASSERT_EQ("", error_in(rtindex_rank(index(), &lookups, ranks.schema_out(), ranks.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*ranks.array), (std::vector<std::uint32_t>{0, 4, 6}));
  EXPECT_STREQ(ranks.schema->format, "I");
  const std::vector<std::uint32_t> places{0, 5, 6};
  const rtindex_column c_places = memory_of(RTINDEX_TYPE_UINT32, places);
  Exported found;
  ASSERT_EQ("", error_in(rtindex_select(index(), &c_places, nullptr, found.array_out())));
  EXPECT_EQ(elements_of<std::uint32_t>(*found.array),
            (std::vector<std::uint32_t>{3, 4, RTINDEX_MISS_ROW}));
  rtindex_column nullable = memory_of(RTINDEX_TYPE_INT64, six_keys);
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
  EXPECT_EQ(rtindex_deserialize(bytes.array->buffers[1], 20, nullptr, &none),
            RTINDEX_STATUS_CORRUPT_FILE);
}

TEST_F(CCalls, FactsAboutAnIndex) {
  auto info = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index(), &info)));
  EXPECT_EQ(info.rows, 6U);
  EXPECT_EQ(info.type, RTINDEX_TYPE_INT64);
  EXPECT_EQ(info.included, 0);
  CText spec, description, normal;
  ASSERT_EQ("", error_in(rtindex_spec(index(), spec.out())));
  EXPECT_TRUE(spec.text().starts_with("sorted@cpu"));
  ASSERT_EQ("", error_in(rtindex_check_spec(spec.text().c_str(), normal.out())));
  EXPECT_EQ(normal.text(), spec.text());
  ASSERT_EQ("", error_in(rtindex_describe(index(), description.out())));
  EXPECT_NE(description.text().find("sorted"), std::string::npos);
  std::int32_t supported = 0;
  ASSERT_EQ("", error_in(rtindex_supports(index(), RTINDEX_ANSWER_ROWS, RTINDEX_QUERY_RANGE,
                                          &supported)));
  EXPECT_EQ(supported, 1);
  ASSERT_EQ("", error_in(rtindex_supports(index(), RTINDEX_ANSWER_ROWS, RTINDEX_QUERY_PREFIX,
                                          &supported)));
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

}  // namespace
}  // namespace rtindex::test
