#include "base/cache_sizes.hpp"

#include <gtest/gtest.h>

namespace rtindex {
namespace {

TEST(CacheSizes, ArePlausible) {
  EXPECT_GE(cache_sizes().core, std::size_t{64} << 10);
  EXPECT_LE(cache_sizes().core, std::size_t{1} << 30);
  EXPECT_GE(cache_sizes().last_level, std::size_t{1} << 20);
  EXPECT_LE(cache_sizes().last_level, std::size_t{1} << 34);
}

}  // namespace
}  // namespace rtindex
