#pragma once

#include <cstddef>
#include <cstdint>

// Our declarations of the part of NVIDIA's libnvoptix.so.1 that we use: ABI 87, OptiX 8.0.
// tests/optix compares sizes, constants and the offsets of fields with NVIDIA's headers.
namespace rtindex::optix {

inline constexpr int abi_version = 87;
// The oldest driver of CUDA 13, which the library is built with. Drivers have the ABI since 535.
inline constexpr int oldest_driver = 580;

using DevicePointer = unsigned long long;
using Traversable = unsigned long long;

struct ContextHandle;
struct ModuleHandle;
struct ProgramHandle;
struct PipelineHandle;
using Context = ContextHandle*;
using Module = ModuleHandle*;
using Program = ProgramHandle*;
using PipelineRef = PipelineHandle*;

enum class Result : int {
  success = 0,
  host_out_of_memory = 7002,
  unsupported_abi = 7801,
  table_size_mismatch = 7802,
  device_out_of_memory = 7807,
};

inline constexpr int property_max_primitives = 0x2003;
inline constexpr int property_rtcore_version = 0x2005;

// Acceleration structures.
inline constexpr std::size_t structure_alignment = 128;
inline constexpr int input_triangles = 0x2141;
inline constexpr int input_boxes = 0x2142;
inline constexpr int input_spheres = 0x2146;
inline constexpr int vertex_float3 = 0x2121;
inline constexpr unsigned geometry_single_any_hit = 2;
inline constexpr unsigned build_allow_update = 1;
inline constexpr unsigned build_allow_compaction = 2;
inline constexpr unsigned build_fast_trace = 4;
inline constexpr int operation_build = 0x2161;
inline constexpr int operation_update = 0x2162;
inline constexpr int emit_compacted_size = 0x2181;

// Modules and pipelines.
inline constexpr int optimize_most = 0x2343;
inline constexpr int debug_none = 0x2350;
inline constexpr unsigned graph_single_structure = 1;
inline constexpr unsigned uses_boxes = 1;
inline constexpr unsigned uses_spheres = 64;
inline constexpr unsigned uses_triangles = 0x80000000U;
inline constexpr int builtin_sphere = 0x2506;
inline constexpr int program_raygen = 0x2421;
inline constexpr int program_miss = 0x2422;
inline constexpr int program_hit = 0x2424;
inline constexpr std::size_t record_header_bytes = 32;
inline constexpr std::size_t record_alignment = 16;

// Rays.
inline constexpr unsigned ray_no_any_hit = 1;
inline constexpr unsigned ray_enforce_any_hit = 2;
inline constexpr unsigned ray_no_closest_hit = 8;

struct ContextOptions {
  void (*log)(unsigned level, const char* tag, const char* message, void* data) = nullptr;
  void* log_data = nullptr;
  int log_level = 0;
  int validation = 0;
};

// The unused end of a triangle input (micromaps) is zero.
struct TriangleInput {
  const DevicePointer* vertex_buffers;
  unsigned vertices;
  int vertex_format;
  unsigned vertex_stride;
  DevicePointer index_buffer;
  unsigned index_triplets;
  int index_format;
  unsigned index_stride;
  DevicePointer pre_transform;
  const unsigned* flags;
  unsigned records;
  DevicePointer record_offsets;
  unsigned record_offset_size;
  unsigned record_offset_stride;
  unsigned primitive_offset;
  int transform_format;
};

struct SphereInput {
  const DevicePointer* centre_buffers;
  unsigned centre_stride;
  unsigned spheres;
  const DevicePointer* radius_buffers;
  unsigned radius_stride;
  int single_radius;
  const unsigned* flags;
  unsigned records;
  DevicePointer record_offsets;
  unsigned record_offset_size;
  unsigned record_offset_stride;
  unsigned primitive_offset;
};

struct BoxInput {
  const DevicePointer* box_buffers;
  unsigned boxes;
  unsigned stride;
  const unsigned* flags;
  unsigned records;
  DevicePointer record_offsets;
  unsigned record_offset_size;
  unsigned record_offset_stride;
  unsigned primitive_offset;
};

struct BuildInput {
  int type;
  union {
    char all[1024];
    TriangleInput triangles;
    SphereInput spheres;
    BoxInput boxes;
  };
};

struct AccelBuildOptions {
  unsigned flags;
  int operation;
  std::uint16_t motion_keys;
  std::uint16_t motion_flags;
  float motion_begin;
  float motion_end;
};

struct BuildSizes {
  std::size_t output;
  std::size_t temporary;
  std::size_t update_temporary;
};

struct Emit {
  DevicePointer result;
  int type;
};

struct ModuleOptions {
  int registers;
  int optimization;
  int debug;
  const void* bound_values;
  unsigned bound_value_count;
  unsigned payload_type_count;
  const void* payload_types;
};

struct PipelineOptions {
  int motion_blur;
  unsigned graph;
  int payload_values;
  int attribute_values;
  unsigned exceptions;
  const char* params_name;
  unsigned primitive_types;
  int opacity_micromaps;
};

struct LinkOptions {
  unsigned trace_depth;
};

struct BuiltinOptions {
  int type;
  int motion_blur;
  unsigned build_flags;
  unsigned curve_endcaps;
};

struct ProgramDescription {
  int kind;
  unsigned flags;
  union {
    struct {
      Module module;
      const char* entry;
    } single;
    struct {
      Module closest_module;
      const char* closest_entry;
      Module any_module;
      const char* any_entry;
      Module intersection_module;
      const char* intersection_entry;
    } hit;
  };
};

struct ProgramOptions {
  const void* payload_type;
};

struct BindingTable {
  DevicePointer raygen;
  DevicePointer exception;
  DevicePointer miss;
  unsigned miss_stride;
  unsigned miss_count;
  DevicePointer hit;
  unsigned hit_stride;
  unsigned hit_count;
  DevicePointer callables;
  unsigned callable_stride;
  unsigned callable_count;
};

static_assert(sizeof(ContextOptions) == 24);
static_assert(offsetof(TriangleInput, index_buffer) == 24 && offsetof(TriangleInput, flags) == 56 &&
              offsetof(TriangleInput, record_offsets) == 72 &&
              offsetof(TriangleInput, transform_format) == 92);
static_assert(sizeof(SphereInput) == 72 && offsetof(SphereInput, flags) == 32);
static_assert(sizeof(BoxInput) == 56 && offsetof(BoxInput, flags) == 16);
static_assert(sizeof(BuildInput) == 1032 && offsetof(BuildInput, all) == 8);
static_assert(sizeof(AccelBuildOptions) == 20 && sizeof(BuildSizes) == 24 && sizeof(Emit) == 16);
static_assert(sizeof(ModuleOptions) == 40 && sizeof(PipelineOptions) == 40);
static_assert(sizeof(LinkOptions) == 4 && sizeof(BuiltinOptions) == 16);
static_assert(sizeof(ProgramDescription) == 56 && sizeof(ProgramOptions) == 8);
static_assert(sizeof(BindingTable) == 64);

}  // namespace rtindex::optix
