#pragma once

#include <cstdint>

#include "scene/rays.hpp"
#include "tracers/optix/abi.hpp"
#include "tracers/optix/launch_params.hpp"

// What our device programs call of OptiX. The driver's compiler knows these functions by name.
namespace rtindex::optix {

[[nodiscard]] __device__ inline unsigned launch_index() {
  unsigned x;
  asm("call (%0), _optix_get_launch_index_x, ();" : "=r"(x));
  return x;
}

[[nodiscard]] __device__ inline unsigned primitive_index() {
  unsigned index;
  asm("call (%0), _optix_read_primitive_idx, ();" : "=r"(index));
  return index;
}

// Whether the ray leaves the primitive here.
[[nodiscard]] __device__ inline bool leaves_primitive() {
  unsigned kind;
  unsigned back;
  asm("call (%0), _optix_get_hit_kind, ();" : "=r"(kind));
  asm("call (%0), _optix_get_backface_from_hit_kind, (%1);" : "=r"(back) : "r"(kind));
  return back == 1;
}

[[nodiscard]] __device__ inline float ray_begin() {
  float t;
  asm("call (%0), _optix_get_ray_tmin, ();" : "=f"(t));
  return t;
}

// The any-hit program does not go on after either of these.
__device__ inline void travel_on() { asm volatile("call _optix_ignore_intersection, ();"); }
__device__ inline void end_ray() { asm volatile("call _optix_terminate_ray, ();"); }

__device__ inline void report_hit(float t) {
  [[maybe_unused]] int accepted;
  asm volatile("call (%0), _optix_report_intersection_0, (%1, %2);"
               : "=r"(accepted)
               : "f"(t), "r"(0U));
}

[[nodiscard]] __device__ inline unsigned payload(unsigned number) {
  unsigned value;
  asm volatile("call (%0), _optix_get_payload, (%1);" : "=r"(value) : "r"(number));
  return value;
}

__device__ inline void set_payload(unsigned number, unsigned value) {
  asm volatile("call _optix_set_payload, (%0, %1);" : : "r"(number), "r"(value));
}

// A ray may carry one pointer, in its first two payload registers.
[[nodiscard]] __device__ inline void* carried() {
  return reinterpret_cast<void*>(static_cast<std::uint64_t>(payload(1)) << 32 | payload(0));
}

// Every hit is for the any-hit program.
inline constexpr unsigned ray_flags = ray_enforce_any_hit | ray_no_closest_hit;

// The call takes and returns 32 registers of payload, of which two are in use.
__device__ inline void trace(Traversable structure, const Ray& ray, void* carry) {
  const auto bits = reinterpret_cast<std::uint64_t>(carry);
  const auto low = static_cast<unsigned>(bits);
  const auto high = static_cast<unsigned>(bits >> 32);
  asm volatile(
      "{\n"
      ".reg .b32 out<32>;\n"
      "call (out0,out1,out2,out3,out4,out5,out6,out7,out8,out9,out10,out11,out12,out13,out14,out15,"
      "out16,out17,out18,out19,out20,out21,out22,out23,out24,out25,out26,out27,out28,out29,out30,"
      "out31), _optix_trace_typed_32, "
      "(%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,"
      "%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,"
      "%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13,%13);\n"
      "}"
      :
      : "r"(0U), "l"(structure), "f"(ray.origin.x), "f"(ray.origin.y), "f"(ray.origin.z),
        "f"(ray.direction.x), "f"(ray.direction.y), "f"(ray.direction.z), "f"(ray.t_min),
        "f"(ray.t_max), "f"(0.0F), "r"(255U), "r"(ray_flags), "r"(0U), "r"(0U), "r"(0U), "r"(2U),
        "r"(low), "r"(high)
      : "memory");
}

// The same for a ray that carries `point_payload` registers there and back.
__device__ inline void trace(Traversable structure, const Ray& ray,
                             unsigned (&carry)[point_payload]) {
  static_assert(point_payload == 5);
  asm volatile(
      "{\n"
      ".reg .b32 out<27>;\n"
      "call (%0,%1,%2,%3,%4,out0,out1,out2,out3,out4,out5,out6,out7,out8,out9,out10,out11,out12,"
      "out13,out14,out15,out16,out17,out18,out19,out20,out21,out22,out23,out24,out25,out26), "
      "_optix_trace_typed_32, "
      "(%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%18,%18,%19,%20,%21,%22,%23,%24,"
      "%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,"
      "%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18,%18);\n"
      "}"
      : "=r"(carry[0]), "=r"(carry[1]), "=r"(carry[2]), "=r"(carry[3]), "=r"(carry[4])
      : "r"(0U), "l"(structure), "f"(ray.origin.x), "f"(ray.origin.y), "f"(ray.origin.z),
        "f"(ray.direction.x), "f"(ray.direction.y), "f"(ray.direction.z), "f"(ray.t_min),
        "f"(ray.t_max), "f"(0.0F), "r"(255U), "r"(ray_flags), "r"(0U), "r"(point_payload),
        "r"(carry[0]), "r"(carry[1]), "r"(carry[2]), "r"(carry[3]), "r"(carry[4])
      : "memory");
}

}  // namespace rtindex::optix
