#pragma once

#include <cstdint>

namespace rtindex::cuda {

// Loads with a hint to keep the line in the L2 cache, for small arrays that every lookup reads
// beside large ones.
[[nodiscard]] __device__ inline std::uint64_t policy_to_stay() {
  std::uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

[[nodiscard]] __device__ inline ulonglong2 load_to_stay(const ulonglong2* at) {
#if __CUDA_ARCH__ >= 800
  ulonglong2 value;
  asm volatile("ld.global.nc.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;"
               : "=l"(value.x), "=l"(value.y)
               : "l"(at), "l"(policy_to_stay()));
  return value;
#else
  return __ldg(at);
#endif
}

[[nodiscard]] __device__ inline std::uint32_t load_to_stay(const std::uint32_t* at) {
#if __CUDA_ARCH__ >= 800
  std::uint32_t value;
  asm volatile("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;"
               : "=r"(value)
               : "l"(at), "l"(policy_to_stay()));
  return value;
#else
  return __ldg(at);
#endif
}

}  // namespace rtindex::cuda
