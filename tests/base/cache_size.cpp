#include "base/cache_size.hpp"

#include <gtest/gtest.h>

namespace rtindex {
namespace {

TEST(CacheSize, IsPlausible) {
  EXPECT_GE(core_cache_bytes(), std::size_t{64} << 10);
  EXPECT_LE(core_cache_bytes(), std::size_t{1} << 30);
}

}  // namespace
}  // namespace rtindex
