#include "file/checksum.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace rtindex {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Checksum, MatchesPublishedXxh64Hashes) {
  // From the published test vectors of the algorithm.
  EXPECT_EQ(xxh64(bytes_of("")), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64(bytes_of("a")), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(xxh64(bytes_of("abc")), 0x44bc2cf5ad770999U);
  EXPECT_EQ(xxh64(bytes_of("The quick brown fox jumps over the lazy dog")), 0x0b242d361fda71bcU);
}

TEST(Checksum, DependsOnEveryByteOfEveryBlock) {
  std::string text((std::size_t{2} << 20) + 17, 'x');
  const std::uint64_t before = block_checksum(bytes_of(text));
  for (const std::size_t at : {std::size_t{0}, std::size_t{31}, (std::size_t{1} << 20) - 1,
                               std::size_t{1} << 20, text.size() - 1}) {
    text[at] = 'y';
    EXPECT_NE(block_checksum(bytes_of(text)), before) << at;
    text[at] = 'x';
  }
  EXPECT_EQ(block_checksum(bytes_of(text)), before);
  EXPECT_NE(block_checksum(bytes_of(std::string_view(text).substr(1))), before);
}

}  // namespace
}  // namespace rtindex
