// The bare program on the GPU: one perpendicular ray per key through a scene in 3d mode (23+23+18
// bits), and the sum of the values at the primitives that it hits.

#include "optix_overhead/bare_params.hpp"

extern "C" {
__constant__ rtindex::bench::BareParams params;
}

namespace {

__device__ unsigned payload(unsigned number) {
  unsigned value;
  asm volatile("call (%0), _optix_get_payload, (%1);" : "=r"(value) : "r"(number));
  return value;
}

__device__ void set_payload(unsigned number, unsigned value) {
  asm volatile("call _optix_set_payload, (%0, %1);" : : "r"(number), "r"(value));
}

// A ray along z through (x, y, z) that carries a sum of two words and a number of hits.
__device__ void trace(float x, float y, float z, unsigned& low, unsigned& high, unsigned& hits) {
  constexpr unsigned flags =
      rtindex::optix::ray_enforce_any_hit | rtindex::optix::ray_no_closest_hit;
  asm volatile(
      "{\n"
      ".reg .b32 out<29>;\n"
      "call (%0,%1,%2,out0,out1,out2,out3,out4,out5,out6,out7,out8,out9,out10,out11,out12,out13,"
      "out14,out15,out16,out17,out18,out19,out20,out21,out22,out23,out24,out25,out26,out27,out28), "
      "_optix_trace_typed_32, "
      "(%3,%4,%5,%6,%7,%8,%8,%9,%8,%9,%8,%10,%11,%3,%3,%3,%12,%3,%3,%3,"
      "%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3,%3);\n"
      "}"
      : "=r"(low), "=r"(high), "=r"(hits)
      : "r"(0U), "l"(params.scene), "f"(x), "f"(y), "f"(z - 0.5F), "f"(0.0F), "f"(1.0F), "r"(255U),
        "r"(flags), "r"(3U)
      : "memory");
}

}  // namespace

extern "C" __global__ void __raygen__bare() {
  unsigned lookup;
  asm("call (%0), _optix_get_launch_index_x, ();" : "=r"(lookup));
  const std::uint32_t key = params.keys[lookup];
  unsigned low;
  unsigned high;
  unsigned hits;
  trace(static_cast<float>(key & 0x7fffffU), static_cast<float>(key >> 23), 0.0F, low, high, hits);
  params.sums[lookup] = hits == 0 ? ~std::uint64_t{0} : std::uint64_t{high} << 32 | low;
}

extern "C" __global__ void __anyhit__bare() {
  unsigned primitive;
  asm("call (%0), _optix_read_primitive_idx, ();" : "=r"(primitive));
  const std::uint64_t sum =
      (std::uint64_t{payload(1)} << 32 | payload(0)) + params.values[primitive];
  set_payload(0, static_cast<unsigned>(sum));
  set_payload(1, static_cast<unsigned>(sum >> 32));
  set_payload(2, payload(2) + 1);
  asm volatile("call _optix_ignore_intersection, ();");
}
