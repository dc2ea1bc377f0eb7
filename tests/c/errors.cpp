// Wrong input of every kind is a status and a sentence: nothing crashes, nothing is written.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

TestColumn numbers() {
  const std::vector<Whole> values{26, 25, 29, 23, 29, 27};
  return integers(Type::i64, values);
}

TestColumn names() {
  const std::vector<std::string> values{"a", "b", "c"};
  return strings(values);
}

TestColumn pairs() {
  return {Shape{Type::composite, Layout::strings, {{Type::i32}, {Type::u8}}},
          {{Whole{1}, Whole{2}}, {Whole{3}, Whole{4}}}};
}

// The message of a failed build; "" where it succeeded.
std::string error_message(const rtindex_column* column, const char* spec = "sorted@cpu") {
  auto* untouched = reinterpret_cast<rtindex_index*>(16);
  rtindex_index* index = untouched;
  const rtindex_status status = rtindex_build(column, spec, nullptr, &index);
  if (status == RTINDEX_STATUS_OK) {
    EXPECT_EQ("", error_in(rtindex_free(index)));
    return "";
  }
  EXPECT_EQ(index, untouched);
  EXPECT_EQ(rtindex_last_status(), status);
  return rtindex_last_error();
}

void expect_error(const rtindex_column* column, const std::string& part) {
  const std::string message = error_message(column);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(CErrors, NullPointers) {
  rtindex_index* index = nullptr;
  ArrowArray array{};
  const ArrowColumn keys(numbers());
  EXPECT_EQ(rtindex_build(nullptr, nullptr, nullptr, &index), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(rtindex_last_error(), "the argument 'column' is null: pass a pointer to it");
  EXPECT_EQ(rtindex_build(keys.get(), nullptr, nullptr, nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  const rtindex_query query = rtindex_query_equal(keys.get());
  EXPECT_EQ(rtindex_answer(nullptr, &query, nullptr, nullptr, nullptr, &array),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  CIndex built;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, built.out())));
  EXPECT_EQ(rtindex_answer(built.get(), &query, nullptr, nullptr, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_answer_device(built.get(), &query, nullptr, nullptr, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_answer_into(built.get(), &query, nullptr, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_join(built.get(), &query, nullptr, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_join_device(built.get(), &query, nullptr, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_join_into(built.get(), &query, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_join_batches(built.get(), &query, nullptr, 1, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_join_batches_device(built.get(), &query, nullptr, 1, nullptr, nullptr),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_save(built.get(), nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_load(nullptr, nullptr, &index), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_deserialize(nullptr, 8, nullptr, &index), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_describe(built.get(), nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_spec(built.get(), nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_column_schema(built.get(), nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_get_info(built.get(), nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_set_metadata(built.get(), nullptr, "text"), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_indexes(nullptr, nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_check_spec(nullptr, nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_free(nullptr), RTINDEX_STATUS_OK);
  EXPECT_EQ(index, nullptr);
  EXPECT_EQ(array.release, nullptr);
}

TEST(CErrors, StructsOfAnotherSize) {
  const ArrowColumn keys(numbers());
  rtindex_column column = *keys.get();
  column.struct_size = 0;
  expect_error(&column, "struct_size is 0, expected ");
  column.struct_size = sizeof(column) + 8;
  expect_error(&column, "compiled with a newer rtindex.h");
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, index.out())));
  const rtindex_query query = rtindex_query_equal(keys.get());
  rtindex_answer_options options{};
  ArrowArray array{};
  EXPECT_EQ(rtindex_answer(index.get(), &query, &options, nullptr, nullptr, &array),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  rtindex_join_options join{};
  EXPECT_EQ(rtindex_join(index.get(), &query, &join, nullptr, &array),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  rtindex_info info{};
  EXPECT_EQ(rtindex_get_info(index.get(), &info), RTINDEX_STATUS_INVALID_ARGUMENT);
}

TEST(CErrors, ReleasedArraysAndSchemas) {
  ArrowColumn keys(numbers());
  const ArrowArray array = keys.array();
  keys.array().release = nullptr;
  expect_error(keys.get(), "released or moved already");
  keys.array() = array;
  const ArrowSchema schema = keys.schema();
  keys.schema().release = nullptr;
  expect_error(keys.get(), "released or moved already");
  keys.schema() = schema;
  EXPECT_EQ("", error_message(keys.get()));
}

TEST(CErrors, SchemasThatNoColumnHas) {
  ArrowColumn keys(numbers());
  ArrowSchema& schema = keys.schema();
  const char* const format = schema.format;
  for (const char* wrong :
       {"", "n", "x", "+l", "d:10", "d:10,2,256", "tt", "tD", "w:", "w:x", "ll"}) {
    schema.format = wrong;
    EXPECT_NE("", error_message(keys.get())) << wrong;
  }
  schema.format = nullptr;
  expect_error(keys.get(), "format is null");
  schema.format = "+s";
  expect_error(keys.get(), "no column");
  schema.n_children = 2;
  expect_error(keys.get(), "without an array of children");
  schema.n_children = -1;
  expect_error(keys.get(), "-1 children");
  schema.n_children = 0;
  schema.format = format;
  ArrowSchema dictionary = schema;
  schema.dictionary = &dictionary;
  expect_error(keys.get(), "dictionary");  // the array has none
  schema.dictionary = nullptr;
  rtindex_column column = *keys.get();
  column.schema = nullptr;
  expect_error(&column, "without its schema");
  column = *keys.get();
  column.array = nullptr;
  expect_error(&column, "one of array and device_array");
}

TEST(CErrors, ArraysThatDoNotFitTheirSchema) {
  ArrowColumn keys(numbers());
  const ArrowArray whole = keys.array();
  const auto with = [&](auto change, const char* part) {
    change(keys.array());
    expect_error(keys.get(), part);
    keys.array() = whole;
  };
  with([](ArrowArray& array) { array.length = -1; }, "length -1");
  with([](ArrowArray& array) { array.offset = -3; }, "offset -3");
  with([](ArrowArray& array) { array.length = std::int64_t{1} << 62; }, "length 46");
  with([](ArrowArray& array) { array.n_buffers = 1; }, "1 buffers, expected 2");
  with([](ArrowArray& array) { array.buffers = nullptr; }, "0 buffers, expected 2");
  const void* nulls[] = {nullptr, nullptr};
  with([&](ArrowArray& array) { array.buffers = nulls; }, "buffer 1");

  ArrowColumn texts(names());
  texts.array().n_buffers = 2;
  expect_error(texts.get(), "2 buffers, expected 3");
  texts.array().n_buffers = 3;
  const void* bytes = std::exchange(texts.array().buffers[2], nullptr);
  expect_error(texts.get(), "buffer 2");
  texts.array().buffers[2] = bytes;

  ArrowColumn tuples(pairs());
  ArrowArray& array = tuples.array();
  array.n_children = 1;
  expect_error(tuples.get(), "1 children and its schema 2");
  array.n_children = 2;
  array.children[1]->length = 1;
  expect_error(tuples.get(), "a child of a struct has 1 elements and the struct needs 2");
  array.children[1]->length = 2;
  ArrowArray* const child = std::exchange(array.children[0], nullptr);
  expect_error(tuples.get(), "child 0 of the struct is null");
  array.children[0] = child;
  EXPECT_EQ("", error_message(tuples.get()));
}

TEST(CErrors, StringViewsOutsideTheirBuffers) {
  struct View {
    std::int32_t length;
    char prefix[4];
    std::int32_t buffer, offset;
  };
  const std::vector<View> bad{{-1, {}, 0, 0}, {20, {}, 3, 0}, {20, {}, -1, 0}, {20, {}, 0, -1}};
  for (const View& view : bad) {
    const char text[32] = {};
    const void* buffers[] = {nullptr, &view, text, nullptr};
    ArrowColumn holder(numbers());
    holder.schema().format = "vu";
    const ArrowArray before = holder.array();
    holder.array().length = 1;
    holder.array().n_buffers = 3;
    holder.array().buffers = buffers;
    expect_error(holder.get(), "invalid Arrow array: string 0");
    holder.array() = before;
  }
}

TEST(CErrors, MemoryWithoutArrow) {
  const std::vector<std::int64_t> keys{1, 2};
  rtindex_column column = memory_of(RTINDEX_TYPE_INT64, keys);
  EXPECT_EQ("", error_message(&column));
  column.data = nullptr;
  expect_error(&column, "data is null");
  column = memory_of(99, keys);
  expect_error(&column, "type is 99");
  column = memory_of(0, keys);
  expect_error(&column, "or a schema");
  column = memory_of(RTINDEX_TYPE_STRING, keys);
  expect_error(&column, "set offsets");
  column.offsets = keys.data();
  expect_error(&column, "offset_bytes is 0");
  column = memory_of(RTINDEX_TYPE_COMPOSITE, keys);
  expect_error(&column, "no parts");
  column = memory_of(RTINDEX_TYPE_TIMESTAMP64, keys);
  column.time_unit = 8;
  expect_error(&column, "invalid time_unit: 8");
  column = memory_of(RTINDEX_TYPE_INT64, keys);
  column.memory_space = 2;
  expect_error(&column, "memory_space");
  column.memory_space = RTINDEX_MEMORY_SPACE_DEVICE;
  expect_error(&column, "device memory");
}

TEST(CErrors, StringsWithoutArrow) {
  const std::vector<std::int64_t> offsets{0, 5, 6};
  rtindex_column column = memory_of(RTINDEX_TYPE_STRING, offsets);
  column.data = "abcdef";
  column.offsets = offsets.data();
  column.offset_bytes = 8;
  column.count = 2;
  EXPECT_EQ("", error_message(&column));
  column.data = nullptr;
  expect_error(&column, "data, the bytes of the strings, is null");
  column.data = "abcdef";
  column.count = SIZE_MAX;
  expect_error(&column, "expected at most");
  column.count = 2;
  for (const std::vector<std::int64_t>& wrong :
       {std::vector<std::int64_t>{0, 5, 2}, std::vector<std::int64_t>{-5, 2, 3}}) {
    column.offsets = wrong.data();
    expect_error(&column, "offsets decrease or are negative");
  }
  column.offsets = nullptr;
  column.data = nullptr;
  column.width = 4;
  expect_error(&column, "data, the bytes of the strings, is null");
  column.data = "abcdef";
  column.width = SIZE_MAX / 2 + 1;  // twice that overflows
  expect_error(&column, "strings of 9223372036854775808 bytes each are more than memory can hold");
}

TEST(CErrors, CompositesInComposites) {
  const std::vector<std::int64_t> keys{1, 2};
  rtindex_column column = memory_of(RTINDEX_TYPE_COMPOSITE, keys);
  column.parts = &column;
  column.part_count = 1;
  expect_error(&column, "part 0 is composite itself");
}

// Every call that takes a query rejects it, with the same message, and returns nothing.
void expect_rejected_query(const rtindex_index* index, const rtindex_query* query,
                           const std::string& part) {
  ArrowArray array{};
  ArrowDeviceArray device_array{};
  std::uint64_t number = 77;
  std::uint32_t row = 77;
  bool was_called = false;
  auto outputs = sized<rtindex_outputs>();
  outputs.any = &row;
  auto join_outputs = sized<rtindex_join_outputs>();
  join_outputs.count = &number;
  const rtindex_join_callback callback = [](void* context, const std::uint64_t*,
                                            const std::uint32_t*, std::size_t) {
    *static_cast<bool*>(context) = true;
    return rtindex_status{RTINDEX_STATUS_OK};
  };
  const std::function<rtindex_status()> calls[] = {
      [&] { return rtindex_answer(index, query, nullptr, nullptr, nullptr, &array); },
      [&] { return rtindex_answer_device(index, query, nullptr, nullptr, nullptr, &device_array); },
      [&] { return rtindex_answer_into(index, query, nullptr, nullptr, &outputs); },
      [&] { return rtindex_join(index, query, nullptr, nullptr, &array); },
      [&] { return rtindex_join_device(index, query, nullptr, nullptr, &device_array); },
      [&] { return rtindex_join_into(index, query, nullptr, &join_outputs); },
      [&] { return rtindex_join_batches(index, query, nullptr, 1, callback, &was_called); },
      [&] { return rtindex_join_batches_device(index, query, nullptr, 1, callback, &was_called); }};
  for (const auto& call : calls) {
    EXPECT_EQ(call(), RTINDEX_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(rtindex_last_error()).find(part), std::string::npos)
        << rtindex_last_error();
  }
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(device_array.array.release, nullptr);
  EXPECT_EQ(number, 77U);
  EXPECT_EQ(row, 77U);
  EXPECT_FALSE(was_called);
}

TEST(CErrors, InvalidQueriesAreRejectedByEveryCall) {
  const ArrowColumn keys(numbers());
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, index.out())));
  expect_rejected_query(index.get(), nullptr, "the argument 'query' is null");
  const auto expect_rejected = [&](auto change, const char* part) {
    rtindex_query query = rtindex_query_equal(keys.get());
    change(query);
    expect_rejected_query(index.get(), &query, part);
  };
  using Query = rtindex_query;
  expect_rejected([](Query& query) { query.struct_size = 0; }, "struct_size is 0");
  expect_rejected([](Query& query) { query.struct_size -= 8; }, "set it to sizeof(rtindex_query)");
  expect_rejected([](Query& query) { query.struct_size += 8; }, "a newer rtindex.h");
  for (const std::int32_t wrong : {-1, 9}) {
    expect_rejected([&](Query& query) { query.kind = wrong; }, "kind of query");
    expect_rejected([&](Query& query) { query.ends = wrong; }, "ends");
    expect_rejected([&](Query& query) { query.direction = wrong; }, "direction");
    expect_rejected([&](Query& query) { query.exact = wrong; }, "exact");
  }
  expect_rejected([](Query& query) { query.exact = 2; }, "expected 0 to 1");
  expect_rejected([](Query& query) { query.direction = 3; }, "expected 0 to 2");
  expect_rejected([](Query& query) { query.tolerance_type = RTINDEX_TYPE_STRING; },
                  "tolerance_type: 14");
  for (const std::int32_t kind :
       {RTINDEX_QUERY_EQUAL, RTINDEX_QUERY_PREFIX, RTINDEX_QUERY_NEAREST}) {
    expect_rejected(
        [&](Query& query) {
          query.kind = kind;
          query.upper = query.lower;
        },
        "unexpected upper ends");
    const rtindex_condition condition = {.struct_size = sizeof(rtindex_condition)};
    expect_rejected(
        [&](Query& query) {
          query.kind = kind;
          query.conditions = &condition;
          query.condition_count = 1;
        },
        "unexpected conditions");
    expect_rejected(
        [&](Query& query) {
          query.kind = kind;
          query.lower = nullptr;
        },
        "expected a column of keys");
  }
  expect_rejected(
      [](Query& query) {
        query.kind = RTINDEX_QUERY_RANGE;
        query.lower = nullptr;
      },
      "neither lower nor upper");
  expect_rejected([](Query& query) { query.kind = RTINDEX_QUERY_PREFIX; }, "expected prefixes");
}

TEST(CErrors, OptionsOutOfRange) {
  const ArrowColumn keys(numbers());
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, index.out())));
  const rtindex_query query = rtindex_query_equal(keys.get());
  ArrowArray array{};
  const auto status = [&](auto change) {
    auto options = sized<rtindex_answer_options>();
    change(options);
    return rtindex_answer(index.get(), &query, &options, nullptr, nullptr, &array);
  };
  using Options = rtindex_answer_options;
  EXPECT_EQ(status([](Options& options) { options.answers = 256; }),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](Options& options) { options.order = 3; }), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](Options& options) { options.answers = RTINDEX_ANSWER_KEY; }),
            RTINDEX_STATUS_UNSUPPORTED);
  auto join = sized<rtindex_join_options>();
  join.how = 4;
  EXPECT_EQ(rtindex_join(index.get(), &query, &join, nullptr, &array),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(array.release, nullptr);
  std::int32_t supported = 7;
  EXPECT_EQ(rtindex_supports(index.get(), 3, RTINDEX_QUERY_EQUAL, &supported),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_supports(index.get(), RTINDEX_ANSWER_ANY, 9, &supported),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(supported, 7);
}

TEST(CErrors, DeviceArrays) {
  ArrowColumn keys(numbers());
  ArrowDeviceArray array{};
  array.array = keys.array();
  array.device_type = ARROW_DEVICE_CPU;
  rtindex_column column = *keys.get();
  column.array = nullptr;
  column.device_array = &array;
  EXPECT_EQ("", error_message(&column));
  array.device_type = ARROW_DEVICE_VULKAN;
  expect_error(&column, "unsupported Arrow device type 7");
  array.device_type = ARROW_DEVICE_CUDA;
  expect_error(&column, "device memory");
}

TEST(CErrors, EveryThreadHasItsOwn) {
  EXPECT_EQ(rtindex_check_spec("nothing", nullptr), RTINDEX_STATUS_INVALID_ARGUMENT);
  const std::string here = rtindex_last_error();
  std::thread([] {
    EXPECT_STREQ(rtindex_last_error(), "");
    EXPECT_EQ(rtindex_last_status(), RTINDEX_STATUS_OK);
    rtindex_index* index = nullptr;
    EXPECT_EQ(rtindex_load("/no/such/file.rtindex", nullptr, &index), RTINDEX_STATUS_IO);
  }).join();
  EXPECT_EQ(rtindex_last_error(), here);
  EXPECT_EQ(rtindex_last_status(), RTINDEX_STATUS_INVALID_ARGUMENT);
}

TEST(CErrors, RejectAFreedIndexInDebugBuilds) {
  auto information = sized<rtindex_build_information>();
  ASSERT_EQ("", error_in(rtindex_get_build_information(&information)));
  if (information.checks_handles == 0) GTEST_SKIP() << "a release build does not check handles";
  const ArrowColumn keys(numbers());
  rtindex_index* index = nullptr;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), nullptr, nullptr, &index)));
  ASSERT_EQ("", error_in(rtindex_free(index)));
  EXPECT_EQ(rtindex_merge(index), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rtindex_last_error()).find("freed already"), std::string::npos);
  EXPECT_EQ(rtindex_free(index), RTINDEX_STATUS_INVALID_ARGUMENT);
}

TEST(CErrors, EveryStatusHasAName) {
  EXPECT_STREQ(rtindex_status_name(RTINDEX_STATUS_OK), "ok");
  EXPECT_STREQ(rtindex_status_name(RTINDEX_STATUS_CORRUPT_FILE), "corrupt_file");
  EXPECT_STREQ(rtindex_status_name(RTINDEX_STATUS_INTERNAL), "internal");
  EXPECT_STREQ(rtindex_status_name(-4), "unknown");
  EXPECT_STREQ(rtindex_status_name(99), "unknown");
}

}  // namespace
}  // namespace rtindex::test
