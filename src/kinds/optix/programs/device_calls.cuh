#pragma once

#include <cstdint>

#include "kinds/optix/abi.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/scene/rays.hpp"

// The OptiX functions of our device programs. The driver's compiler resolves them by name.
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

// Whether the ray leaves the primitive at this hit.
[[nodiscard]] __device__ inline bool is_exit() {
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

// Neither of these returns to the any-hit program.
__device__ inline void ignore_hit() { asm volatile("call _optix_ignore_intersection, ();"); }
__device__ inline void terminate_ray() { asm volatile("call _optix_terminate_ray, ();"); }

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

// The pointer in the first two payload registers.
[[nodiscard]] __device__ inline void* payload_pointer() {
  return reinterpret_cast<void*>(static_cast<std::uint64_t>(payload(1)) << 32 | payload(0));
}

// Rays run the any-hit program for every hit, and no other.
inline constexpr unsigned ray_flags = ray_enforce_any_hit | ray_no_closest_hit;

// Traces a ray whose payload is a pointer. The call has 32 registers as inputs and outputs, of
// which two are in use.
__device__ inline void trace(Traversable structure, const Ray& ray, void* payload) {
  const auto bits = reinterpret_cast<std::uint64_t>(payload);
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

// Traces a ray whose payload are `point_payload` registers, there and back.
__device__ inline void trace(Traversable structure, const Ray& ray,
                             unsigned (&payload)[point_payload]) {
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
      : "=r"(payload[0]), "=r"(payload[1]), "=r"(payload[2]), "=r"(payload[3]), "=r"(payload[4])
      : "r"(0U), "l"(structure), "f"(ray.origin.x), "f"(ray.origin.y), "f"(ray.origin.z),
        "f"(ray.direction.x), "f"(ray.direction.y), "f"(ray.direction.z), "f"(ray.t_min),
        "f"(ray.t_max), "f"(0.0F), "r"(255U), "r"(ray_flags), "r"(0U), "r"(point_payload),
        "r"(payload[0]), "r"(payload[1]), "r"(payload[2]), "r"(payload[3]), "r"(payload[4])
      : "memory");
}

// The primitive of the closest hit, or `none`. The closest-hit program stores it in the first
// payload register, the only one of 32 in use.
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
