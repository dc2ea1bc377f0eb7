// Wrong input of every kind is a status and a sentence: nothing crashes, nothing is written.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
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
std::string refusal(const rtindex_column* column, const char* spec = "sorted@cpu") {
  auto* untouched = reinterpret_cast<rtindex_index*>(16);
  rtindex_index* index = untouched;
  const rtindex_status status = rtindex_build(column, spec, nullptr, &index);
  if (status == RTINDEX_OK) {
    EXPECT_EQ("", error_in(rtindex_free(index)));
    return "";
  }
  EXPECT_EQ(index, untouched);
  EXPECT_EQ(rtindex_last_status(), status);
  return rtindex_last_error();
}

void expect_refusal(const rtindex_column* column, const std::string& part) {
  const std::string message = refusal(column);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(CErrors, NullPointers) {
  rtindex_index* index = nullptr;
  ArrowArray array{};
  const ArrowColumn keys(numbers());
  EXPECT_EQ(rtindex_build(nullptr, nullptr, nullptr, &index), RTINDEX_INVALID_ARGUMENT);
  EXPECT_STREQ(rtindex_last_error(), "the argument 'column' is null: pass a pointer to it");
  EXPECT_EQ(rtindex_build(keys.get(), nullptr, nullptr, nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_lookup(nullptr, 0, keys.get(), nullptr, nullptr, nullptr, &array),
            RTINDEX_INVALID_ARGUMENT);
  CIndex built;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, built.out())));
  EXPECT_EQ(rtindex_lookup(built.get(), 0, nullptr, nullptr, nullptr, nullptr, &array),
            RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_lookup(built.get(), 0, keys.get(), nullptr, nullptr, nullptr, nullptr),
            RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_lookup_into(built.get(), 0, keys.get(), nullptr, nullptr, nullptr),
            RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(
      rtindex_join_in_parts(built.get(), 0, keys.get(), nullptr, nullptr, 1, nullptr, nullptr),
      RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_lookup(built.get(), RTINDEX_RANGE, nullptr, nullptr, nullptr, nullptr, &array),
            RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(
      rtindex_lookup(built.get(), RTINDEX_POINT, keys.get(), keys.get(), nullptr, nullptr, &array),
      RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_save(built.get(), nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_load(nullptr, nullptr, &index), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_deserialize(nullptr, 8, nullptr, &index), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_describe(built.get(), nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_spec(built.get(), nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_column_schema(built.get(), nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_get_info(built.get(), nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_set_metadata(built.get(), nullptr, "text"), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_indexes(nullptr, nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_check_spec(nullptr, nullptr), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(rtindex_free(nullptr), RTINDEX_OK);
  EXPECT_EQ(index, nullptr);
  EXPECT_EQ(array.release, nullptr);
}

TEST(CErrors, StructsOfAnotherSize) {
  const ArrowColumn keys(numbers());
  rtindex_column column = *keys.get();
  column.struct_size = 0;
  expect_refusal(&column, "struct_size is 0, expected ");
  column.struct_size = sizeof(column) + 8;
  expect_refusal(&column, "compiled with a newer rtindex.h");
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, index.out())));
  rtindex_lookup_options options{};
  ArrowArray array{};
  EXPECT_EQ(rtindex_lookup(index.get(), 0, keys.get(), nullptr, &options, nullptr, &array),
            RTINDEX_INVALID_ARGUMENT);
  options.struct_size = sizeof(options);
  auto nearest = sized<rtindex_nearest_options>();
  nearest.struct_size += 1;
  options.nearest = &nearest;
  EXPECT_EQ(
      rtindex_lookup(index.get(), RTINDEX_NEAREST, keys.get(), nullptr, &options, nullptr, &array),
      RTINDEX_INVALID_ARGUMENT);
  rtindex_info info{};
  EXPECT_EQ(rtindex_get_info(index.get(), &info), RTINDEX_INVALID_ARGUMENT);
}

TEST(CErrors, ReleasedArraysAndSchemas) {
  ArrowColumn keys(numbers());
  const ArrowArray array = keys.array();
  keys.array().release = nullptr;
  expect_refusal(keys.get(), "released or moved already");
  keys.array() = array;
  const ArrowSchema schema = keys.schema();
  keys.schema().release = nullptr;
  expect_refusal(keys.get(), "released or moved already");
  keys.schema() = schema;
  EXPECT_EQ("", refusal(keys.get()));
}

TEST(CErrors, SchemasThatNoColumnHas) {
  ArrowColumn keys(numbers());
  ArrowSchema& schema = keys.schema();
  const char* const format = schema.format;
  for (const char* wrong : {"", "n", "x", "+l", "d:10,2", "ttm", "tD", "w:", "w:x", "ll", "e"}) {
    schema.format = wrong;
    EXPECT_NE("", refusal(keys.get())) << wrong;
  }
  schema.format = nullptr;
  expect_refusal(keys.get(), "format is null");
  schema.format = "+s";
  expect_refusal(keys.get(), "no column");
  schema.n_children = 2;
  expect_refusal(keys.get(), "without an array of children");
  schema.n_children = -1;
  expect_refusal(keys.get(), "-1 children");
  schema.n_children = 0;
  schema.format = format;
  ArrowSchema dictionary = schema;
  schema.dictionary = &dictionary;
  expect_refusal(keys.get(), "dictionary");
  schema.dictionary = nullptr;
  rtindex_column column = *keys.get();
  column.schema = nullptr;
  expect_refusal(&column, "without its schema");
  column = *keys.get();
  column.array = nullptr;
  expect_refusal(&column, "one of array and device_array");
}

TEST(CErrors, ArraysThatDoNotFitTheirSchema) {
  ArrowColumn keys(numbers());
  const ArrowArray whole = keys.array();
  const auto with = [&](auto change, const char* part) {
    change(keys.array());
    expect_refusal(keys.get(), part);
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
  expect_refusal(texts.get(), "2 buffers, expected 3");
  texts.array().n_buffers = 3;
  const void* bytes = std::exchange(texts.array().buffers[2], nullptr);
  expect_refusal(texts.get(), "buffer 2");
  texts.array().buffers[2] = bytes;

  ArrowColumn tuples(pairs());
  ArrowArray& array = tuples.array();
  array.n_children = 1;
  expect_refusal(tuples.get(), "1 children and its schema 2");
  array.n_children = 2;
  array.children[1]->length = 1;
  expect_refusal(tuples.get(), "a child of a struct has 1 elements and the struct needs 2");
  array.children[1]->length = 2;
  ArrowArray* const child = std::exchange(array.children[0], nullptr);
  expect_refusal(tuples.get(), "child 0 of the struct is null");
  array.children[0] = child;
  EXPECT_EQ("", refusal(tuples.get()));
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
    expect_refusal(holder.get(), "invalid Arrow array: string 0");
    holder.array() = before;
  }
}

TEST(CErrors, MemoryWithoutArrow) {
  const std::vector<std::int64_t> keys{1, 2};
  rtindex_column column = memory_of(RTINDEX_INT64, keys);
  EXPECT_EQ("", refusal(&column));
  column.data = nullptr;
  expect_refusal(&column, "data is null");
  column = memory_of(99, keys);
  expect_refusal(&column, "type is 99");
  column = memory_of(0, keys);
  expect_refusal(&column, "or a schema");
  column = memory_of(RTINDEX_STRING, keys);
  expect_refusal(&column, "set offsets");
  column.offsets = keys.data();
  expect_refusal(&column, "offset_bytes is 0");
  column = memory_of(RTINDEX_COMPOSITE, keys);
  expect_refusal(&column, "no parts");
  column = memory_of(RTINDEX_TIMESTAMP64, keys);
  column.time_unit = 8;
  expect_refusal(&column, "invalid time_unit: 8");
  column = memory_of(RTINDEX_INT64, keys);
  column.memory_space = 2;
  expect_refusal(&column, "memory_space");
  column.memory_space = RTINDEX_DEVICE;
  expect_refusal(&column, "device memory");
}

TEST(CErrors, StringsWithoutArrow) {
  const std::vector<std::int64_t> offsets{0, 5, 6};
  rtindex_column column = memory_of(RTINDEX_STRING, offsets);
  column.data = "abcdef";
  column.offsets = offsets.data();
  column.offset_bytes = 8;
  column.count = 2;
  EXPECT_EQ("", refusal(&column));
  column.data = nullptr;
  expect_refusal(&column, "data, the bytes of the strings, is null");
  column.data = "abcdef";
  column.count = SIZE_MAX;
  expect_refusal(&column, "expected at most");
  column.count = 2;
  for (const std::vector<std::int64_t>& wrong :
       {std::vector<std::int64_t>{0, 5, 2}, std::vector<std::int64_t>{-5, 2, 3}}) {
    column.offsets = wrong.data();
    expect_refusal(&column, "offsets decrease or are negative");
  }
  column.offsets = nullptr;
  column.data = nullptr;
  column.width = 4;
  expect_refusal(&column, "data, the bytes of the strings, is null");
}

TEST(CErrors, CompositesInComposites) {
  const std::vector<std::int64_t> keys{1, 2};
  rtindex_column column = memory_of(RTINDEX_COMPOSITE, keys);
  column.parts = &column;
  column.part_count = 1;
  expect_refusal(&column, "part 0 is composite itself");
}

TEST(CErrors, ConstantsOutOfRange) {
  const ArrowColumn keys(numbers());
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), "sorted@cpu", nullptr, index.out())));
  ArrowArray array{};
  const auto status = [&](std::int32_t kind, auto change) {
    auto options = sized<rtindex_lookup_options>();
    change(options);
    return rtindex_lookup(index.get(), kind, keys.get(), nullptr, &options, nullptr, &array);
  };
  using Options = rtindex_lookup_options;
  EXPECT_EQ(status(4, [](Options&) {}), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(status(-1, [](Options&) {}), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(status(0, [](Options& options) { options.answers = 256; }), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(status(0, [](Options& options) { options.order = 3; }), RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(status(1, [](Options& options) { options.ends = -1; }), RTINDEX_INVALID_ARGUMENT);
  auto nearest = sized<rtindex_nearest_options>();
  nearest.tolerance_type = RTINDEX_STRING;
  EXPECT_EQ(status(2, [&](Options& options) { options.nearest = &nearest; }),
            RTINDEX_INVALID_ARGUMENT);
  EXPECT_EQ(status(0, [](Options& options) { options.answers = RTINDEX_KEY; }),
            RTINDEX_UNSUPPORTED);
  EXPECT_EQ(array.release, nullptr);
  std::int32_t supported = 7;
  EXPECT_EQ(rtindex_supports(index.get(), 3, RTINDEX_POINT, &supported), RTINDEX_INVALID_ARGUMENT);
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
  EXPECT_EQ("", refusal(&column));
  array.device_type = ARROW_DEVICE_VULKAN;
  expect_refusal(&column, "unsupported Arrow device type 7");
  array.device_type = ARROW_DEVICE_CUDA;
  expect_refusal(&column, "device memory");
}

TEST(CErrors, EveryThreadHasItsOwn) {
  EXPECT_EQ(rtindex_check_spec("nothing", nullptr), RTINDEX_INVALID_ARGUMENT);
  const std::string here = rtindex_last_error();
  std::thread([] {
    EXPECT_STREQ(rtindex_last_error(), "");
    EXPECT_EQ(rtindex_last_status(), RTINDEX_OK);
    rtindex_index* index = nullptr;
    EXPECT_EQ(rtindex_load("/no/such/file.rtindex", nullptr, &index), RTINDEX_IO);
  }).join();
  EXPECT_EQ(rtindex_last_error(), here);
  EXPECT_EQ(rtindex_last_status(), RTINDEX_INVALID_ARGUMENT);
}

TEST(CErrors, AFreedIndexIsRefusedInDebugBuilds) {
  auto information = sized<rtindex_build_information>();
  ASSERT_EQ("", error_in(rtindex_get_build_information(&information)));
  if (information.checks_handles == 0) GTEST_SKIP() << "a release build does not check handles";
  const ArrowColumn keys(numbers());
  rtindex_index* index = nullptr;
  ASSERT_EQ("", error_in(rtindex_build(keys.get(), nullptr, nullptr, &index)));
  ASSERT_EQ("", error_in(rtindex_free(index)));
  EXPECT_EQ(rtindex_merge(index), RTINDEX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rtindex_last_error()).find("freed already"), std::string::npos);
  EXPECT_EQ(rtindex_free(index), RTINDEX_INVALID_ARGUMENT);
}

TEST(CErrors, EveryStatusHasAName) {
  EXPECT_STREQ(rtindex_status_name(RTINDEX_OK), "ok");
  EXPECT_STREQ(rtindex_status_name(RTINDEX_CORRUPT_FILE), "corrupt_file");
  EXPECT_STREQ(rtindex_status_name(RTINDEX_INTERNAL), "internal");
  EXPECT_STREQ(rtindex_status_name(-4), "unknown");
  EXPECT_STREQ(rtindex_status_name(99), "unknown");
}

}  // namespace
}  // namespace rtindex::test
