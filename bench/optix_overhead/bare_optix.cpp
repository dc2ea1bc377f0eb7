#include "optix_overhead/bare_optix.hpp"

#include <array>
#include <string_view>

#include "kinds/optix/library.hpp"

namespace rtindex::optix {
// The PTX of bare_programs.cu, which the build embeds.
[[nodiscard]] std::string_view bare_programs();
}  // namespace rtindex::optix

namespace rtindex::bench {

namespace {

using namespace rtindex::optix;  // NOLINT(google-build-using-namespace): OptiX calls throughout

struct alignas(record_alignment) ProgramRecord {
  std::array<char, record_header_bytes> header;
};
constexpr unsigned program_count = 3;  // raygen, miss, hit

DevicePointer pointer(const DeviceBuffer& buffer) {
  return reinterpret_cast<DevicePointer>(buffer.data());
}

}  // namespace

BareOptix::BareOptix(const std::uint32_t* keys, std::size_t count)
    : context_(context_of(0).context),
      records_(program_count * sizeof(ProgramRecord)),
      params_(sizeof(BareParams)) {
  build(keys, count);
  link();
}

void BareOptix::build(const std::uint32_t* keys, std::size_t count) {
  const DeviceBuffer triangles(count * sizeof(Triangle));
  make_triangles(keys, count, triangles.as<Triangle>());
  const DevicePointer vertices = pointer(triangles);
  const unsigned flags = geometry_single_any_hit;
  BuildInput input{};
  input.type = input_triangles;
  input.triangles.vertex_buffers = &vertices;
  input.triangles.vertices = static_cast<unsigned>(3 * count);
  input.triangles.vertex_format = vertex_float3;
  input.triangles.vertex_stride = sizeof(Point);
  input.triangles.flags = &flags;
  input.triangles.records = 1;
  const AccelBuildOptions options{.flags = build_fast_trace, .operation = operation_build};
  BuildSizes sizes{};
  optix::check(functions().compute_sizes(context_, &options, &input, 1, &sizes), "computing sizes");
  const DeviceBuffer temporary(sizes.temporary);
  structure_ = std::make_unique<DeviceBuffer>(sizes.output);
  optix::check(
      functions().build(context_, nullptr, &options, &input, 1, pointer(temporary), sizes.temporary,
                        pointer(*structure_), sizes.output, &scene_, nullptr, 0),
      "building the bare scene");
  cuda::check(cudaDeviceSynchronize(), "building the bare scene");
}

void BareOptix::link() {
  PipelineOptions options{};
  options.graph = graph_single_structure;
  options.payload_values = 3;
  options.attribute_values = 2;
  options.params_name = "params";
  options.primitive_types = uses_triangles;
  const ModuleOptions compile{.registers = 0, .optimization = optimize_most, .debug = debug_none};
  std::array<char, 2048> log{};
  std::size_t size = log.size();
  const std::string_view text = bare_programs();
  Module module = nullptr;
  optix::check(functions().create_module(context_, &compile, &options, text.data(), text.size(),
                                         log.data(), &size, &module),
               "compiling the bare programs", log.data());
  ProgramDescription descriptions[program_count] = {};
  descriptions[0].kind = program_raygen;
  descriptions[0].single = {module, "__raygen__bare"};
  descriptions[1].kind = program_miss;
  descriptions[2].kind = program_hit;
  descriptions[2].hit = {};
  descriptions[2].hit.any_module = module;
  descriptions[2].hit.any_entry = "__anyhit__bare";
  const ProgramOptions program_options{};
  Program programs[program_count] = {};
  size = log.size();
  optix::check(functions().create_programs(context_, descriptions, program_count, &program_options,
                                           log.data(), &size, programs),
               "choosing the bare programs", log.data());
  const LinkOptions link{.trace_depth = 1};
  size = log.size();
  optix::check(functions().create_pipeline(context_, &options, &link, programs, program_count,
                                           log.data(), &size, &pipeline_),
               "linking the bare programs", log.data());
  ProgramRecord records[program_count] = {};
  for (unsigned i = 0; i < program_count; ++i)
    optix::check(functions().pack_record(programs[i], records[i].header.data()),
                 "naming the bare programs");
  cuda::check(cudaMemcpy(records_.data(), records, sizeof(records), cudaMemcpyHostToDevice),
              "copying to the GPU");
  table_.raygen = pointer(records_);
  table_.miss = table_.raygen + sizeof(ProgramRecord);
  table_.hit = table_.miss + sizeof(ProgramRecord);
  table_.miss_stride = table_.hit_stride = sizeof(ProgramRecord);
  table_.miss_count = table_.hit_count = 1;
}

void BareOptix::sum(
    const std::uint32_t* keys, std::size_t count, const std::uint32_t* values,
    std::uint64_t* sums) const {  // NOLINT(readability-non-const-parameter): programs write it
  const BareParams params{scene_, keys, values, sums};
  cuda::check(cudaMemcpyAsync(params_.data(), &params, sizeof(params), cudaMemcpyHostToDevice),
              "copying to the GPU");
  optix::check(functions().launch(pipeline_, nullptr, pointer(params_), sizeof(params), &table_,
                                  static_cast<unsigned>(count), 1, 1),
               "tracing rays");
}

}  // namespace rtindex::bench
