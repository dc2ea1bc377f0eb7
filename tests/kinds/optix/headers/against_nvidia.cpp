// Our declarations against NVIDIA's headers of OptiX 8.0, where they are at hand.
#include <optix_function_table.h>
#include <optix_types.h>

#include <gtest/gtest.h>

#include "kinds/optix/abi.hpp"
#include "kinds/optix/function_table.hpp"

namespace rtindex::optix {
namespace {

#define SAME_SIZE(ours, theirs) EXPECT_EQ(sizeof(ours), sizeof(theirs)) << #theirs
#define SAME_PLACE(ours, member, theirs, their_member) \
  EXPECT_EQ(offsetof(ours, member), offsetof(theirs, their_member)) << #theirs "." #their_member
#define SAME_VALUE(ours, theirs)                                                            \
  EXPECT_EQ(static_cast<unsigned long long>(ours), static_cast<unsigned long long>(theirs)) \
      << #theirs

TEST(OptixHeaders, HaveTheSameAbi) { EXPECT_EQ(abi_version, OPTIX_ABI_VERSION); }

TEST(OptixHeaders, HaveTheSameFunctionsAtTheSameOffsets) {
  using Theirs = OptixFunctionTable;
  SAME_SIZE(FunctionTable, Theirs);
  SAME_PLACE(FunctionTable, error_name, Theirs, optixGetErrorName);
  SAME_PLACE(FunctionTable, error_text, Theirs, optixGetErrorString);
  SAME_PLACE(FunctionTable, create_context, Theirs, optixDeviceContextCreate);
  SAME_PLACE(FunctionTable, destroy_context, Theirs, optixDeviceContextDestroy);
  SAME_PLACE(FunctionTable, get_property, Theirs, optixDeviceContextGetProperty);
  SAME_PLACE(FunctionTable, create_module, Theirs, optixModuleCreate);
  SAME_PLACE(FunctionTable, destroy_module, Theirs, optixModuleDestroy);
  SAME_PLACE(FunctionTable, get_builtin_module, Theirs, optixBuiltinISModuleGet);
  SAME_PLACE(FunctionTable, create_programs, Theirs, optixProgramGroupCreate);
  SAME_PLACE(FunctionTable, destroy_program, Theirs, optixProgramGroupDestroy);
  SAME_PLACE(FunctionTable, create_pipeline, Theirs, optixPipelineCreate);
  SAME_PLACE(FunctionTable, destroy_pipeline, Theirs, optixPipelineDestroy);
  SAME_PLACE(FunctionTable, compute_sizes, Theirs, optixAccelComputeMemoryUsage);
  SAME_PLACE(FunctionTable, build, Theirs, optixAccelBuild);
  SAME_PLACE(FunctionTable, compact, Theirs, optixAccelCompact);
  SAME_PLACE(FunctionTable, pack_record, Theirs, optixSbtRecordPackHeader);
  SAME_PLACE(FunctionTable, launch, Theirs, optixLaunch);
}

TEST(OptixHeaders, HaveTheSameBuildInputs) {
  SAME_SIZE(BuildInput, OptixBuildInput);
  SAME_PLACE(BuildInput, triangles, OptixBuildInput, triangleArray);
  SAME_PLACE(BuildInput, spheres, OptixBuildInput, sphereArray);
  SAME_PLACE(BuildInput, boxes, OptixBuildInput, customPrimitiveArray);
  using Triangles = OptixBuildInputTriangleArray;
  SAME_PLACE(TriangleInput, vertex_buffers, Triangles, vertexBuffers);
  SAME_PLACE(TriangleInput, vertices, Triangles, numVertices);
  SAME_PLACE(TriangleInput, vertex_format, Triangles, vertexFormat);
  SAME_PLACE(TriangleInput, vertex_stride, Triangles, vertexStrideInBytes);
  SAME_PLACE(TriangleInput, index_buffer, Triangles, indexBuffer);
  SAME_PLACE(TriangleInput, flags, Triangles, flags);
  SAME_PLACE(TriangleInput, records, Triangles, numSbtRecords);
  SAME_PLACE(TriangleInput, primitive_offset, Triangles, primitiveIndexOffset);
  SAME_PLACE(TriangleInput, transform_format, Triangles, transformFormat);
  using Spheres = OptixBuildInputSphereArray;
  SAME_SIZE(SphereInput, Spheres);
  SAME_PLACE(SphereInput, centre_buffers, Spheres, vertexBuffers);
  SAME_PLACE(SphereInput, centre_stride, Spheres, vertexStrideInBytes);
  SAME_PLACE(SphereInput, spheres, Spheres, numVertices);
  SAME_PLACE(SphereInput, radius_buffers, Spheres, radiusBuffers);
  SAME_PLACE(SphereInput, single_radius, Spheres, singleRadius);
  SAME_PLACE(SphereInput, flags, Spheres, flags);
  SAME_PLACE(SphereInput, records, Spheres, numSbtRecords);
  using Boxes = OptixBuildInputCustomPrimitiveArray;
  SAME_SIZE(BoxInput, Boxes);
  SAME_PLACE(BoxInput, box_buffers, Boxes, aabbBuffers);
  SAME_PLACE(BoxInput, boxes, Boxes, numPrimitives);
  SAME_PLACE(BoxInput, stride, Boxes, strideInBytes);
  SAME_PLACE(BoxInput, flags, Boxes, flags);
  SAME_PLACE(BoxInput, records, Boxes, numSbtRecords);
}

TEST(OptixHeaders, HaveTheSameOptions) {
  SAME_SIZE(ContextOptions, OptixDeviceContextOptions);
  SAME_SIZE(AccelBuildOptions, OptixAccelBuildOptions);
  SAME_PLACE(AccelBuildOptions, operation, OptixAccelBuildOptions, operation);
  SAME_SIZE(BuildSizes, OptixAccelBufferSizes);
  SAME_PLACE(BuildSizes, temporary, OptixAccelBufferSizes, tempSizeInBytes);
  SAME_PLACE(BuildSizes, update_temporary, OptixAccelBufferSizes, tempUpdateSizeInBytes);
  SAME_SIZE(Emit, OptixAccelEmitDesc);
  SAME_PLACE(Emit, type, OptixAccelEmitDesc, type);
  SAME_SIZE(ModuleOptions, OptixModuleCompileOptions);
  SAME_PLACE(ModuleOptions, optimization, OptixModuleCompileOptions, optLevel);
  SAME_PLACE(ModuleOptions, debug, OptixModuleCompileOptions, debugLevel);
  SAME_PLACE(ModuleOptions, bound_values, OptixModuleCompileOptions, boundValues);
  SAME_SIZE(PipelineOptions, OptixPipelineCompileOptions);
  SAME_PLACE(PipelineOptions, graph, OptixPipelineCompileOptions, traversableGraphFlags);
  SAME_PLACE(PipelineOptions, payload_values, OptixPipelineCompileOptions, numPayloadValues);
  SAME_PLACE(PipelineOptions, attribute_values, OptixPipelineCompileOptions, numAttributeValues);
  SAME_PLACE(PipelineOptions, params_name, OptixPipelineCompileOptions,
             pipelineLaunchParamsVariableName);
  SAME_PLACE(PipelineOptions, primitive_types, OptixPipelineCompileOptions, usesPrimitiveTypeFlags);
  SAME_SIZE(LinkOptions, OptixPipelineLinkOptions);
  SAME_SIZE(BuiltinOptions, OptixBuiltinISOptions);
  SAME_PLACE(BuiltinOptions, build_flags, OptixBuiltinISOptions, buildFlags);
  SAME_SIZE(ProgramDescription, OptixProgramGroupDesc);
  using Programs = OptixProgramGroupDesc;
  SAME_PLACE(ProgramDescription, kind, Programs, kind);
  SAME_PLACE(ProgramDescription, single, Programs, raygen);
  SAME_PLACE(ProgramDescription, single, Programs, miss);
  SAME_PLACE(ProgramDescription, hit.closest_module, Programs, hitgroup.moduleCH);
  SAME_PLACE(ProgramDescription, hit.closest_entry, Programs, hitgroup.entryFunctionNameCH);
  SAME_PLACE(ProgramDescription, hit.any_module, Programs, hitgroup.moduleAH);
  SAME_PLACE(ProgramDescription, hit.any_entry, Programs, hitgroup.entryFunctionNameAH);
  SAME_PLACE(ProgramDescription, hit.intersection_module, Programs, hitgroup.moduleIS);
  SAME_PLACE(ProgramDescription, hit.intersection_entry, Programs, hitgroup.entryFunctionNameIS);
  SAME_SIZE(ProgramOptions, OptixProgramGroupOptions);
  SAME_SIZE(BindingTable, OptixShaderBindingTable);
  SAME_PLACE(BindingTable, raygen, OptixShaderBindingTable, raygenRecord);
  SAME_PLACE(BindingTable, miss, OptixShaderBindingTable, missRecordBase);
  SAME_PLACE(BindingTable, miss_stride, OptixShaderBindingTable, missRecordStrideInBytes);
  SAME_PLACE(BindingTable, miss_count, OptixShaderBindingTable, missRecordCount);
  SAME_PLACE(BindingTable, hit, OptixShaderBindingTable, hitgroupRecordBase);
  SAME_PLACE(BindingTable, hit_stride, OptixShaderBindingTable, hitgroupRecordStrideInBytes);
  SAME_PLACE(BindingTable, hit_count, OptixShaderBindingTable, hitgroupRecordCount);
}

TEST(OptixHeaders, HaveTheSameConstants) {
  SAME_VALUE(Result::success, OPTIX_SUCCESS);
  SAME_VALUE(Result::host_out_of_memory, OPTIX_ERROR_HOST_OUT_OF_MEMORY);
  SAME_VALUE(Result::unsupported_abi, OPTIX_ERROR_UNSUPPORTED_ABI_VERSION);
  SAME_VALUE(Result::table_size_mismatch, OPTIX_ERROR_FUNCTION_TABLE_SIZE_MISMATCH);
  SAME_VALUE(Result::device_out_of_memory, OPTIX_ERROR_DEVICE_OUT_OF_MEMORY);
  SAME_VALUE(property_max_primitives, OPTIX_DEVICE_PROPERTY_LIMIT_MAX_PRIMITIVES_PER_GAS);
  SAME_VALUE(property_rtcore_version, OPTIX_DEVICE_PROPERTY_RTCORE_VERSION);
  SAME_VALUE(structure_alignment, OPTIX_ACCEL_BUFFER_BYTE_ALIGNMENT);
  SAME_VALUE(input_triangles, OPTIX_BUILD_INPUT_TYPE_TRIANGLES);
  SAME_VALUE(input_boxes, OPTIX_BUILD_INPUT_TYPE_CUSTOM_PRIMITIVES);
  SAME_VALUE(input_spheres, OPTIX_BUILD_INPUT_TYPE_SPHERES);
  SAME_VALUE(vertex_float3, OPTIX_VERTEX_FORMAT_FLOAT3);
  SAME_VALUE(geometry_single_any_hit, OPTIX_GEOMETRY_FLAG_REQUIRE_SINGLE_ANYHIT_CALL);
  SAME_VALUE(build_allow_update, OPTIX_BUILD_FLAG_ALLOW_UPDATE);
  SAME_VALUE(build_allow_compaction, OPTIX_BUILD_FLAG_ALLOW_COMPACTION);
  SAME_VALUE(build_fast_trace, OPTIX_BUILD_FLAG_PREFER_FAST_TRACE);
  SAME_VALUE(operation_build, OPTIX_BUILD_OPERATION_BUILD);
  SAME_VALUE(operation_update, OPTIX_BUILD_OPERATION_UPDATE);
  SAME_VALUE(emit_compacted_size, OPTIX_PROPERTY_TYPE_COMPACTED_SIZE);
  SAME_VALUE(optimize_most, OPTIX_COMPILE_OPTIMIZATION_LEVEL_3);
  SAME_VALUE(debug_none, OPTIX_COMPILE_DEBUG_LEVEL_NONE);
  SAME_VALUE(graph_single_structure, OPTIX_TRAVERSABLE_GRAPH_FLAG_ALLOW_SINGLE_GAS);
  SAME_VALUE(uses_boxes, OPTIX_PRIMITIVE_TYPE_FLAGS_CUSTOM);
  SAME_VALUE(uses_spheres, OPTIX_PRIMITIVE_TYPE_FLAGS_SPHERE);
  EXPECT_EQ(uses_triangles, static_cast<unsigned>(OPTIX_PRIMITIVE_TYPE_FLAGS_TRIANGLE));
  SAME_VALUE(builtin_sphere, OPTIX_PRIMITIVE_TYPE_SPHERE);
  SAME_VALUE(program_raygen, OPTIX_PROGRAM_GROUP_KIND_RAYGEN);
  SAME_VALUE(program_miss, OPTIX_PROGRAM_GROUP_KIND_MISS);
  SAME_VALUE(program_hit, OPTIX_PROGRAM_GROUP_KIND_HITGROUP);
  SAME_VALUE(record_header_bytes, OPTIX_SBT_RECORD_HEADER_SIZE);
  SAME_VALUE(record_alignment, OPTIX_SBT_RECORD_ALIGNMENT);
  SAME_VALUE(ray_no_any_hit, OPTIX_RAY_FLAG_DISABLE_ANYHIT);
  SAME_VALUE(ray_enforce_any_hit, OPTIX_RAY_FLAG_ENFORCE_ANYHIT);
  SAME_VALUE(ray_no_closest_hit, OPTIX_RAY_FLAG_DISABLE_CLOSESTHIT);
}

}  // namespace
}  // namespace rtindex::optix
