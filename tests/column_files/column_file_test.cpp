#include "column_files/column_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <limits>

#include "npy_file.hpp"
#include "scratch.hpp"

namespace rtindex {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::little_endian;
using testing::npy;

class ColumnFileTest : public testing::Scratch {};

TEST_F(ColumnFileTest, GuessesTheFormatByTheExtension) {
  EXPECT_EQ(file_format_of("a/b.npy"), FileFormat::npy);
  EXPECT_EQ(file_format_of("b.tar.CSV"), FileFormat::csv);
  EXPECT_EQ(file_format_of("books_uint64"), std::nullopt);
  EXPECT_EQ(file_format_of("folder.npy/keys"), std::nullopt);
}

TEST_F(ColumnFileTest, LoadsEveryFormat) {
  EXPECT_EQ(load({.path = write("a.npy", npy<std::uint32_t>("<u4", {1}))}).type(), Type::u32);
  EXPECT_EQ(load({.path = write("a.csv", "x\n1\n")}).type(), Type::i64);
  const std::string sosd = write("a", little_endian(1, 8) + "12345678");
  EXPECT_EQ(load({.path = sosd, .format = FileFormat::sosd64}).type(), Type::u64);
  const std::string narrow = write("b", little_endian(1, 8) + "1234");
  EXPECT_EQ(load({.path = narrow, .format = file_format_named("sosd32")}).type(), Type::u32);
}

TEST_F(ColumnFileTest, AFormatOverrulesTheExtension) {
  const std::string file = write("odd.npy", "x\n1\n");
  EXPECT_EQ(load({.path = file, .format = FileFormat::csv}).type(), Type::i64);
}

TEST_F(ColumnFileTest, DaysAreDatesBesideDates) {
  constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();
  const std::string days = write("days.npy", npy<std::int64_t>("<M8[D]", {19'753, not_a_time, -1}));
  const LoadedColumn dates = LoadedColumn::indexed("dates", Type::date32, 9);
  const LoadedColumn loaded = load({.path = days, .like = &dates});
  EXPECT_EQ(loaded.type_text(), "date32");
  EXPECT_EQ(loaded.text(0), "2024-01-31");
  EXPECT_FALSE(loaded.view().valid(1));
  EXPECT_EQ(loaded.text(2), "1969-12-31");
  EXPECT_EQ(load({.path = days}).type_text(), "timestamp64[D]");
  const std::string far = write("far.npy", npy<std::int64_t>("<M8[D]", {0, 1LL << 40}));
  EXPECT_SAYS(error_of([&] { static_cast<void>(load({.path = far, .like = &dates})); }),
              "element 1 of");
}

TEST_F(ColumnFileTest, ReportsUnknownFormats) {
  EXPECT_SAYS(error_of([&] { static_cast<void>(load({.path = write("keys", "x")})); }),
              "pass --format");
  EXPECT_SAYS(error_of([&] { static_cast<void>(load({.path = path("none")})); }), "not exist");
  EXPECT_SAYS(error_of([] { static_cast<void>(file_format_named("parquet")); }),
              "expected npy, sosd32, sosd64 or csv");
}

class SosdReader : public testing::Scratch {
 protected:
  [[nodiscard]] std::string error_message(const std::string& bytes, Type type = Type::u64) const {
    const std::string file = write("keys", bytes);
    std::string sentence = error_of([&] { static_cast<void>(read_sosd(file, type)); });
    EXPECT_SAYS(sentence, file);
    return sentence;
  }
};

TEST_F(SosdReader, ReadsBothWidths) {
  const LoadedColumn wide = read_sosd(
      write("wide", little_endian(2, 8) + bytes_of<std::uint64_t>({1, ~std::uint64_t{0}})),
      Type::u64);
  EXPECT_EQ(wide.type(), Type::u64);
  EXPECT_EQ(wide.view().text(1), "18446744073709551615");
  EXPECT_TRUE(wide.is_mapped());
  const LoadedColumn narrow =
      read_sosd(write("narrow", little_endian(3, 8) + bytes_of<std::uint32_t>({1, 2, 4294967295})),
                Type::u32);
  EXPECT_EQ(narrow.type(), Type::u32);
  EXPECT_EQ(narrow.size(), 3U);
  EXPECT_EQ(narrow.view().text(2), "4294967295");
}

TEST_F(SosdReader, ZeroKeysAreFine) {
  EXPECT_EQ(read_sosd(write("none", little_endian(0, 8)), Type::u32).size(), 0U);
}

TEST_F(SosdReader, RejectsFilesOfTheWrongSize) {
  const std::string keys = bytes_of<std::uint64_t>({1, 2});
  EXPECT_SAYS(error_message(""), "is empty");
  EXPECT_SAYS(error_message("1234567"), "truncated");
  EXPECT_SAYS(error_message(little_endian(3, 8) + keys), "truncated");
  EXPECT_SAYS(error_message(little_endian(2, 8) + keys.substr(1)), "truncated");
  EXPECT_SAYS(error_message(little_endian(1, 8) + keys), "8 extra bytes");
  EXPECT_SAYS(error_message(little_endian(2, 8) + keys, Type::u32), "right --format");
}

TEST_F(SosdReader, RejectsCountsThatOverflow) {
  const std::string keys = bytes_of<std::uint64_t>({1, 2});
  // 2^61 + 2 keys of 8 bytes wrap around to 16 bytes.
  EXPECT_SAYS(error_message(little_endian((std::uint64_t{1} << 61) + 2, 8) + keys),
              "impossible count");
  EXPECT_SAYS(error_message(little_endian(~std::uint64_t{0}, 8) + keys), "impossible count");
  EXPECT_SAYS(error_message(little_endian((std::uint64_t{1} << 32) + 2, 8) + keys), "truncated");
}

TEST_F(SosdReader, MapsFilesBeyondFourGibibytes) {
  // A sparse file: the keys are holes that cost no disk.
  constexpr std::uint64_t count = (std::uint64_t{1} << 29) + 1;
  const std::string file = write("large", little_endian(count, 8));
  if (truncate(file.c_str(), static_cast<off_t>(8 + 8 * count)) != 0)
    GTEST_SKIP() << "this file system has no room for a sparse file of 4 GiB";
  const LoadedColumn column = read_sosd(file, Type::u64);
  EXPECT_EQ(column.size(), count);
  EXPECT_EQ(column.slice(count - 1, 1).text(0), "0");
}

}  // namespace
}  // namespace rtindex
