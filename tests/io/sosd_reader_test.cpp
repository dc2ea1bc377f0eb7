#include "io/sosd_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "npy_file.hpp"
#include "scratch.hpp"

namespace rtindex {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::little_endian;

class SosdReader : public testing::Scratch {
 protected:
  std::string refusal(const std::string& bytes, Type type = Type::u64) const {
    const std::string file = write("keys", bytes);
    const std::string sentence = error_of([&] { static_cast<void>(read_sosd(file, type)); });
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

TEST_F(SosdReader, RefusesWhatDoesNotAddUp) {
  const std::string keys = bytes_of<std::uint64_t>({1, 2});
  EXPECT_SAYS(refusal(""), "is empty");
  EXPECT_SAYS(refusal("1234567"), "truncated");
  EXPECT_SAYS(refusal(little_endian(3, 8) + keys), "truncated");
  EXPECT_SAYS(refusal(little_endian(2, 8) + keys.substr(1)), "truncated");
  EXPECT_SAYS(refusal(little_endian(1, 8) + keys), "8 bytes behind");
  EXPECT_SAYS(refusal(little_endian(2, 8) + keys, Type::u32), "right --format");
}

TEST_F(SosdReader, RefusesCountsThatOverflow) {
  const std::string keys = bytes_of<std::uint64_t>({1, 2});
  // 2^61 + 2 keys of 8 bytes wrap around to 16 bytes.
  EXPECT_SAYS(refusal(little_endian((std::uint64_t{1} << 61) + 2, 8) + keys), "impossible count");
  EXPECT_SAYS(refusal(little_endian(~std::uint64_t{0}, 8) + keys), "impossible count");
  EXPECT_SAYS(refusal(little_endian((std::uint64_t{1} << 32) + 2, 8) + keys), "truncated");
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
