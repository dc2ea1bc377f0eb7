#include "io/column_file.hpp"

#include <limits>

#include "npy_file.hpp"
#include "scratch.hpp"

namespace rtindex {
namespace {

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

TEST_F(ColumnFileTest, SaysWhatItCannotTell) {
  EXPECT_SAYS(error_of([&] { static_cast<void>(load({.path = write("keys", "x")})); }),
              "pass --format");
  EXPECT_SAYS(error_of([&] { static_cast<void>(load({.path = path("none")})); }), "not exist");
  EXPECT_SAYS(error_of([] { static_cast<void>(file_format_named("parquet")); }),
              "choose npy, sosd32, sosd64 or csv");
}

}  // namespace
}  // namespace rtindex
