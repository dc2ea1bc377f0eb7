#pragma once

#include "scene/rays.hpp"
#include "tracers/optix/abi.hpp"

// What a device program calls of OptiX to know the closest hit of a ray.
namespace rtindex::optix {

// The hit program leaves the primitive in the first register of the payload.
__device__ inline void leave_primitive(unsigned primitive) {
  asm volatile("call _optix_set_payload, (%0, %1);" : : "r"(0U), "r"(primitive));
}

// The primitive that the ray meets first, or `none`. The call takes and returns 32 registers of
// payload, of which one is in use.
[[nodiscard]] __device__ inline unsigned trace_closest(Traversable structure, const Ray& ray,
                                                       unsigned none) {
  unsigned found;
  constexpr unsigned flags = ray_no_any_hit;
  asm volatile(
      "{\n"
      ".reg .b32 out<32>;\n"
      "call (%0,out1,out2,out3,out4,out5,out6,out7,out8,out9,out10,out11,out12,out13,out14,out15,"
      "out16,out17,out18,out19,out20,out21,out22,out23,out24,out25,out26,out27,out28,out29,out30,"
      "out31), _optix_trace_typed_32, "
      "(%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,"
      "%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,"
      "%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14,%14);\n"
      "}"
      : "=r"(found)
      : "r"(0U), "l"(structure), "f"(ray.origin.x), "f"(ray.origin.y), "f"(ray.origin.z),
        "f"(ray.direction.x), "f"(ray.direction.y), "f"(ray.direction.z), "f"(ray.t_min),
        "f"(ray.t_max), "f"(0.0F), "r"(255U), "r"(flags), "r"(0U), "r"(0U), "r"(0U), "r"(1U),
        "r"(none)
      : "memory");
  return found;
}

}  // namespace rtindex::optix
