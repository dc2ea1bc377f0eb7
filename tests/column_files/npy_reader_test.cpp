#include "column_files/npy_reader.hpp"

#include <sys/stat.h>

#include <array>
#include <limits>
#include <thread>

#include "npy_file.hpp"
#include "scratch.hpp"

namespace rtindex {
namespace {

using testing::bytes_of;
using testing::dictionary;
using testing::error_of;
using testing::npy;
using testing::npy_head;

class NpyReader : public testing::Scratch {
 protected:
  LoadedColumn load(const std::string& bytes) const { return read_npy(write("a.npy", bytes)); }
  std::string error_message(const std::string& bytes) const {
    const std::string sentence = error_of([&] { static_cast<void>(load(bytes)); });
    EXPECT_SAYS(sentence, path("a.npy"));
    return sentence;
  }

  template <class T>
  void expect_type(std::string_view descr, Type type) const {
    const std::vector<T> elements = {1, 0, 1, std::numeric_limits<T>::max()};
    const LoadedColumn column = load(npy(descr, elements));
    EXPECT_EQ(column.type(), type);
    ASSERT_EQ(column.size(), elements.size());
    EXPECT_TRUE(column.is_mapped());
    const T* read = static_cast<const T*>(column.view().data());
    EXPECT_EQ(std::vector<T>(read, read + column.size()), elements) << descr;
  }
};

TEST_F(NpyReader, ReadsEveryNumberType) {
  expect_type<std::uint8_t>("|u1", Type::u8);
  expect_type<std::uint16_t>("<u2", Type::u16);
  expect_type<std::uint32_t>("<u4", Type::u32);
  expect_type<std::uint64_t>("<u8", Type::u64);
  expect_type<std::int8_t>("|i1", Type::i8);
  expect_type<std::int16_t>("<i2", Type::i16);
  expect_type<std::int32_t>("<i4", Type::i32);
  expect_type<std::int64_t>("<i8", Type::i64);
  expect_type<float>("<f4", Type::f32);
  expect_type<double>("<f8", Type::f64);
  expect_type<std::uint8_t>("|b1", Type::boolean);
  expect_type<std::uint32_t>("=u4", Type::u32);
  expect_type<std::uint8_t>(">u1", Type::u8);  // one byte has no order
}

TEST_F(NpyReader, ReadsAllThreeVersions) {
  const std::vector<std::uint32_t> elements = {7, 8, 9};
  for (const int major : {1, 2, 3}) {
    const LoadedColumn column = load(npy("<u4", elements, major));
    EXPECT_EQ(column.view().text(2), "9") << major;
  }
  EXPECT_SAYS(error_message(npy("<u4", elements, 4)), "version 4.0");
  EXPECT_SAYS(error_message(npy("<u4", elements, 0)), "version 0.0");
}

TEST_F(NpyReader, ReadsStringsOfFixedWidth) {
  const LoadedColumn column =
      load(npy_head(dictionary("|S4", "(3,)")) + std::string("ab\0\0wxyz\0\0\0\0", 12));
  EXPECT_EQ(column.type(), Type::string);
  EXPECT_EQ(column.view().string(0), "ab");
  EXPECT_EQ(column.view().string(1), "wxyz");
  EXPECT_EQ(column.view().string(2), "");
  EXPECT_EQ(column.slice(1, 1).string(0), "wxyz");
}

TEST_F(NpyReader, ReadsTimesAndMakesNotATimeNull) {
  constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();
  const LoadedColumn days = load(npy<std::int64_t>("<M8[D]", {1, not_a_time, 3}));
  EXPECT_EQ(days.type(), Type::timestamp64);
  EXPECT_EQ(days.unit(), "D");
  EXPECT_EQ(days.type_text(), "timestamp64[D]");
  EXPECT_TRUE(days.view().valid(0));
  EXPECT_FALSE(days.view().valid(1));
  EXPECT_TRUE(days.slice(2, 1).valid(0));
  EXPECT_EQ(load(npy<std::int64_t>("<M8[25s]", {1})).unit(), "25s");
  EXPECT_FALSE(load(npy<std::int64_t>("<M8", {1})).view().nullable());
}

TEST_F(NpyReader, ZeroElementsAreFine) {
  const LoadedColumn column = load(npy<std::uint64_t>("<u8", {}));
  EXPECT_EQ(column.size(), 0U);
  EXPECT_TRUE(column.view().empty());
}

TEST_F(NpyReader, OneDimensionInFortranOrderIsFine) {
  const std::string bytes = bytes_of<std::uint32_t>({1, 2});
  EXPECT_EQ(load(npy_head(dictionary("<u4", "(2,)", "True")) + bytes).size(), 2U);
}

TEST_F(NpyReader, CopiesMisalignedElements) {
  // A header that other programs may write: the elements start wherever it ends.
  const std::string odd = npy_head(dictionary("<u8", "(2,)"), 1, 1);
  const std::string head = odd.size() % 8 == 0 ? npy_head(dictionary("<u8", "(2,) "), 1, 1) : odd;
  const LoadedColumn column = load(head + bytes_of<std::uint64_t>({5, 6}));
  EXPECT_FALSE(column.is_mapped());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.view().data()) % 8, 0U);
  EXPECT_EQ(column.view().text(1), "6");
}

TEST_F(NpyReader, AcceptsOtherSpellingsOfTheHeader) {
  const std::string bytes = bytes_of<std::uint32_t>({1, 2});
  for (const char* text : {R"({"shape":(2,),"fortran_order":False,"descr":"<u4"})",
                           "{ 'descr' : '<u4' , 'fortran_order' : False , 'shape' : ( 2 , ) }",
                           "{'descr': '<u4', 'fortran_order': False, 'shape': (2L,), }"})
    EXPECT_EQ(load(npy_head(text) + bytes).size(), 2U) << text;
}

TEST_F(NpyReader, RejectsPathsThatAreNotFiles) {
  EXPECT_SAYS(error_of([&] { static_cast<void>(read_npy(path("none.npy"))); }), "does not exist");
  EXPECT_SAYS(error_of([&] { static_cast<void>(read_npy(path(""))); }), "is a folder");
  EXPECT_SAYS(error_of([&] { static_cast<void>(read_npy("")); }), "empty");
  EXPECT_SAYS(error_of([&] { static_cast<void>(read_npy(write("f", "x") + "/a.npy")); }),
              "Not a directory");
}

TEST_F(NpyReader, RejectsEmptyAndForeignFiles) {
  EXPECT_SAYS(error_message(""), "is empty");
  EXPECT_SAYS(error_message("id,name\n1,a\n"), "is not an .npy file");
  EXPECT_SAYS(error_message("\x93NUMPZ\x01"), "is not an .npy file");
  EXPECT_SAYS(error_message(std::string(100, '\0')), "is not an .npy file");
}

TEST_F(NpyReader, RejectsEveryTruncation) {
  const std::string whole = npy<std::uint64_t>("<u8", {1, 2, 3, 4});
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_SAYS(error_message(whole.substr(0, length)), "truncated");
}

TEST_F(NpyReader, RejectsTrailingBytes) {
  EXPECT_SAYS(error_message(npy<std::uint32_t>("<u4", {1, 2}) + "x"), "1 extra bytes");
}

TEST_F(NpyReader, RejectsImpossibleCounts) {
  for (const char* shape : {"(2305843009213693952,)", "(18446744073709551615,)"})  // 2^61, 2^64-1
    EXPECT_SAYS(error_message(npy_head(dictionary("<u8", shape))), "impossible count");
  EXPECT_SAYS(error_message(npy_head(dictionary("<u8", "(18446744073709551616,)"))),
              "impossibly large");
  EXPECT_SAYS(error_message(npy_head(dictionary("<u8", "(-1,)"))), "not a tuple of numbers");
  // More than 4 GiB: a count cut to 32 bits would pass.
  EXPECT_SAYS(error_message(npy_head(dictionary("|u1", "(4294967297,)")) + "x"), "truncated");
}

TEST_F(NpyReader, RejectsOtherDimensions) {
  const std::string bytes = bytes_of<std::uint32_t>({1, 2, 3, 4});
  EXPECT_SAYS(error_message(npy_head(dictionary("<u4", "(2, 2)")) + bytes),
              "2-D array of shape (2, 2)");
  EXPECT_SAYS(error_message(npy_head(dictionary("<u4", "(2, 2)", "True")) + bytes), "2-D");
  EXPECT_SAYS(error_message(npy_head(dictionary("<u4", "(4, 1)")) + bytes), "2-D");
  EXPECT_SAYS(error_message(npy_head(dictionary("<u4", "(1, 2, 2)")) + bytes), "3-D");
  EXPECT_SAYS(error_message(npy_head(dictionary("<u4", "()")) + bytes.substr(0, 4)),
              "single value");
}

TEST_F(NpyReader, RejectsOtherTypesAndNamesTheConversion) {
  const std::array<std::array<const char*, 3>, 14> cases = {
      {{">u4", "big-endian", "newbyteorder"},
       {">f8", "big-endian", "newbyteorder"},
       {">M8[s]", "big-endian", "newbyteorder"},
       {"<f2", "'<f2'", "astype('float32')"},
       {"<f16", "'<f16'", "astype('float64')"},
       {"<U8", "UTF-32", "encode"},
       {"|O", "Python objects", "astype('S')"},
       {"<m8[s]", "time spans", "astype('int64')"},
       {"<c16", "complex", "a.real"},
       {"|V8", "'|V8'", "expected integers"},
       {"<u3", "'<u3'", "expected integers"},
       {"|S0", "invalid string width", "save"},
       {"|S-1", "invalid string width", "save"},
       {"u4", "'u4'", "expected integers"}}};
  for (const auto& [descr, wrong, way_out] : cases) {
    const std::string sentence = error_message(npy_head(dictionary(descr, "(0,)")));
    EXPECT_SAYS(sentence, wrong);
    EXPECT_SAYS(sentence, way_out);
  }
  const std::string records =
      "{'descr': [('id', '<u4'), ('x', '<f8')], 'fortran_order': False, 'shape': (0,), }";
  EXPECT_SAYS(error_message(npy_head(records)), "a['id']");
}

TEST_F(NpyReader, RejectsBrokenHeaders) {
  for (const char* text : {"", "{", "{}", "[]", "{'descr': '<u4'}", "nonsense",
                           "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)",
                           "{'descr': '<u4', 'fortran_order': False, 'shape': (2,",
                           "{'descr': '<u4', 'fortran_order': False, 'shape': 2}",
                           "{'descr': '<u4', 'fortran_order': Maybe, 'shape': (2,)}",
                           "{'descr': '<u4, 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': 4, 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': '<u4', 'descr': '<u4', 'shape': (2,)}",
                           "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), 'x': 1}",
                           "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)} more"})
    EXPECT_SAYS(error_message(npy_head(text)), "broken .npy header");
}

TEST_F(NpyReader, ReadsFromAPipe) {
  const std::string pipe = path("pipe.npy");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::uint32_t> elements(100'000, 3);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << npy("<u4", elements); });
  const LoadedColumn column = read_npy(pipe);
  writer.join();
  EXPECT_EQ(column.size(), elements.size());
  EXPECT_EQ(column.view().text(99'999), "3");
}

TEST_F(NpyReader, ViewsOutliveMoves) {
  LoadedColumn column = load(npy<std::uint32_t>("<u4", {4, 5, 6}));
  const ColumnView view = column.slice(1, 2);
  const LoadedColumn moved = std::move(column);
  EXPECT_EQ(view.text(1), "6");
  EXPECT_EQ(moved.view().data(), static_cast<const std::uint32_t*>(view.data()) - 1);
}

}  // namespace
}  // namespace rtindex
