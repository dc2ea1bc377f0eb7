#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kinds/optix/abi.hpp"

namespace rtindex::optix {

// The table of functions that the driver fills in; those that we do not call have no name.
struct FunctionTable {
  using Unused = void (*)();

  const char* (*error_name)(Result);
  const char* (*error_text)(Result);
  Result (*create_context)(void* cuda_context, const ContextOptions*, Context*);
  Result (*destroy_context)(Context);
  Result (*get_property)(Context, int property, void* value, std::size_t bytes);
  Unused context_settings[7];
  Result (*create_module)(Context, const ModuleOptions*, const PipelineOptions*, const char* input,
                          std::size_t input_bytes, char* log, std::size_t* log_bytes, Module*);
  Unused module_tasks[2];
  Result (*destroy_module)(Module);
  Result (*get_builtin_module)(Context, const ModuleOptions*, const PipelineOptions*,
                               const BuiltinOptions*, Module*);
  Unused execute_task;
  Result (*create_programs)(Context, const ProgramDescription*, unsigned count,
                            const ProgramOptions*, char* log, std::size_t* log_bytes, Program*);
  Result (*destroy_program)(Program);
  Unused get_stack_size;
  Result (*create_pipeline)(Context, const PipelineOptions*, const LinkOptions*, const Program*,
                            unsigned count, char* log, std::size_t* log_bytes, PipelineRef*);
  Result (*destroy_pipeline)(PipelineRef);
  Unused set_stack_size;
  Result (*compute_sizes)(Context, const AccelBuildOptions*, const BuildInput*, unsigned count,
                          BuildSizes*);
  Result (*build)(Context, cudaStream_t, const AccelBuildOptions*, const BuildInput*,
                  unsigned count, DevicePointer temporary, std::size_t temporary_bytes,
                  DevicePointer output, std::size_t output_bytes, Traversable*, const Emit*,
                  unsigned emit_count);
  Unused relocation[3];
  Result (*compact)(Context, cudaStream_t, Traversable, DevicePointer output,
                    std::size_t output_bytes, Traversable*);
  Unused structures[8];
  Result (*pack_record)(Program, void* header);
  Result (*launch)(PipelineRef, cudaStream_t, DevicePointer params, std::size_t params_bytes,
                   const BindingTable*, unsigned width, unsigned height, unsigned depth);
  Unused denoiser[8];
};

static_assert(sizeof(FunctionTable) == 48 * sizeof(void*));
static_assert(offsetof(FunctionTable, create_module) == 12 * sizeof(void*));
static_assert(offsetof(FunctionTable, build) == 25 * sizeof(void*));
static_assert(offsetof(FunctionTable, launch) == 39 * sizeof(void*));

}  // namespace rtindex::optix
