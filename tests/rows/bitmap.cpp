// Operations on row bitmaps of the caller, against vectors of bools, with first and last rows in
// every place of a byte.

#include <rtindex/bitmap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <rtindex/error.hpp>

namespace rtindex::test {
namespace {

constexpr std::size_t sizes[] = {0, 1, 7, 8, 9, 63, 64, 65, 127, 1000, 70001};
constexpr std::size_t offsets[] = {0, 1, 5, 7, 8, 13, 64};

// Random rows, as a bitmap that begins at some bit and has other bits around it.
struct Example {
  Example(std::size_t rows, std::size_t offset, unsigned seed)
      : offset_(offset), has(rows), bytes_((offset + rows + 7) / 8 + 1) {
    std::mt19937 random(seed);
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random());
    for (std::size_t row = 0; row < rows; ++row)
      has[row] = (bytes_[(offset + row) / 8] >> ((offset + row) % 8) & 1) != 0;
  }
  [[nodiscard]] BitmapView view() const { return {bytes_.data(), has.size(), offset_}; }

 private:
  std::size_t offset_;

 public:
  std::vector<bool> has;

 private:
  std::vector<std::uint8_t> bytes_;
};

template <class Operation, class Wanted>
void expect_combined(Operation operation, Wanted wanted) {
  for (const std::size_t rows : sizes)
    for (const std::size_t offset : offsets) {
      const Example a(rows, offset, 1);
      const Example b(rows, offsets[rows % std::size(offsets)], 2);
      std::vector<std::uint8_t> out(bitmap_bytes(rows) + 1, 0xa5);
      operation(a.view(), b.view(), out.data());
      const BitmapView result{out.data(), rows};
      for (std::size_t row = 0; row < rows; ++row)
        ASSERT_EQ(result.has(row), wanted(a.has[row], b.has[row])) << rows << " rows, row " << row;
      ASSERT_EQ(out.back(), 0xa5) << "wrote beyond the end";
      if (rows % 8 != 0) {
        ASSERT_EQ(out[rows / 8] >> (rows % 8), 0);
      }
    }
}

TEST(Bitmaps, HaveRowsOfBoth) {
  expect_combined([](auto a, auto b, auto* out) { bitmap_and(a, b, out); },
                  [](bool a, bool b) { return a && b; });
}

TEST(Bitmaps, HaveRowsOfEither) {
  expect_combined([](auto a, auto b, auto* out) { bitmap_or(a, b, out); },
                  [](bool a, bool b) { return a || b; });
}

TEST(Bitmaps, HaveRowsOfTheFirstOnly) {
  expect_combined([](auto a, auto b, auto* out) { bitmap_and_not(a, b, out); },
                  [](bool a, bool b) { return a && !b; });
}

TEST(Bitmaps, AreCounted) {
  for (const std::size_t rows : sizes)
    for (const std::size_t offset : offsets) {
      const Example some(rows, offset, 3);
      ASSERT_EQ(bitmap_count(some.view()),
                static_cast<std::size_t>(std::count(some.has.begin(), some.has.end(), true)));
    }
}

TEST(Bitmaps, CanBeCombinedInPlace) {
  const Example other(1000, 3, 4);
  std::vector<std::uint8_t> bits(bitmap_bytes(1000), 0xff);
  const BitmapView own{bits.data(), 1000};
  bitmap_and_not(own, other.view(), bits.data());
  for (std::size_t row = 0; row < 1000; ++row) ASSERT_EQ(own.has(row), !other.has[row]);
  bitmap_or(other.view(), own, bits.data());
  EXPECT_EQ(bitmap_count(own), 1000U);
}

TEST(Bitmaps, EndWithTheirLastRow) {
  const Example some(9, 7, 5);
  EXPECT_FALSE(some.view().has(9));
  EXPECT_FALSE(BitmapView{}.has(0));
  EXPECT_EQ(bitmap_bytes(0), 0U);
  EXPECT_EQ(bitmap_bytes(8), 1U);
  EXPECT_EQ(bitmap_bytes(9), 2U);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Bitmaps, RejectWhatDoesNotFit) {
  const Example a(9, 0, 6);
  const Example b(10, 0, 7);
  std::uint8_t out[2] = {};
  EXPECT_EQ(message_of([&] { bitmap_and(a.view(), b.view(), out); }),
            "expected bitmaps of the same length, got 9 and 10 rows");
  EXPECT_EQ(message_of([&] { bitmap_or(a.view(), a.view(), nullptr); }),
            "expected a buffer for 9 rows, got a null pointer");
  EXPECT_EQ(message_of([&] {
              static_cast<void>(bitmap_count({nullptr, 3}));
            }),
            "expected the bits of 3 rows, got a null pointer");
  BitmapView far = a.view();
  far.memory_space = MemorySpace::device;
  EXPECT_EQ(message_of([&] { bitmap_and(a.view(), far, out); }),
            "one bitmap is in host memory and the other in device memory: copy one of them");
}

}  // namespace
}  // namespace rtindex::test
