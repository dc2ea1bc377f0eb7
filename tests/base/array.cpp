#include "base/array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>

#include <rtindex/error.hpp>

#include "base/bytes.hpp"

namespace rtindex {
namespace {

TEST(Array, ReturnsWrittenElements) {
  // Below and above the size from which on arrays are mapped in huge pages.
  for (const std::size_t size : {1U, 7U, 64U, 1000U, 262143U, 262144U, 262145U, 3000000U}) {
    Array<std::uint64_t> array(size);
    std::iota(array.begin(), array.end(), 5U);
    ASSERT_EQ(array.size(), size);
    EXPECT_EQ(array.bytes(), size * 8);
    EXPECT_EQ(array[0], 5U);
    EXPECT_EQ(array[size - 1], size + 4);
    EXPECT_EQ(array.span().size(), size);
    // Arrays of few rows have the alignment of any object, others that of a cache line.
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % (size < 128 ? 16 : 64), 0U);
  }
}

TEST(Array, CanBeEmpty) {
  const Array<int> none;
  const Array<int> zero(0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(zero.empty());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(zero.span().size(), 0U);
}

TEST(Array, Moves) {
  Array<int> a(1000);
  a[999] = 3;
  Array<int> b(std::move(a));
  EXPECT_EQ(b.size(), 1000U);
  EXPECT_EQ(b[999], 3);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): what is left is defined
  Array<int> c(5);
  c = std::move(b);
  EXPECT_EQ(c.size(), 1000U);
  EXPECT_EQ(c[999], 3);
  c = Array<int>();
  EXPECT_TRUE(c.empty());
}

TEST(Array, ReportsTheRequestedSizeIfOutOfMemory) {
  for (const std::size_t bytes :
       {std::size_t{1} << 60, std::numeric_limits<std::size_t>::max() / 2 + 1}) {
    try {
      const RawMemory memory(bytes);
      FAIL() << "got " << bytes << " bytes";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos);
    }
  }
}

TEST(Array, ReportsSizesThatOverflowAsOutOfMemory) {
  const std::size_t too_many = std::numeric_limits<std::size_t>::max() / 8 + 2;
  EXPECT_THROW(Array<std::uint64_t>{too_many}, Error);
}

TEST(HumanBytes, HaveAUnitAndOneDecimal) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(1023), "1023 bytes");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(std::size_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(human_bytes(std::numeric_limits<std::size_t>::max()), "16.0 EiB");
}

}  // namespace
}  // namespace rtindex
