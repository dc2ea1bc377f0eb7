#include "counted_work/counted_bytes.hpp"

#include <atomic>
#include <cstddef>

namespace {

std::atomic<std::uint64_t> compared = 0;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" int memcmp(const void* left, const void* right, std::size_t size) noexcept {
  const auto* const a = static_cast<const volatile unsigned char*>(left);
  const auto* const b = static_cast<const volatile unsigned char*>(right);
  for (std::size_t i = 0; i < size; ++i)
    if (const int order = int{a[i]} - int{b[i]}; order != 0) {
      compared += i + 1;
      return order;
    }
  compared += size;
  return 0;
}
#endif

namespace rtindex::test {

std::uint64_t compared_bytes() { return compared; }

}  // namespace rtindex::test
