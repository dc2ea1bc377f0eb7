#include "kinds/optix/pipeline.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"
#include "base/cuda/stopwatch.hpp"
#include "kinds/optix/ray_kernels.hpp"

namespace rtindex::optix {

// The PTX of programs/*.cu, which the build embeds.
[[nodiscard]] std::string_view device_programs();
[[nodiscard]] std::string_view point_programs();
[[nodiscard]] std::string_view edge_programs();
[[nodiscard]] std::string_view interval_programs();
[[nodiscard]] std::string_view box_programs();
[[nodiscard]] std::string_view bucket_programs();

namespace {

// OptiX rejects launches of more than 2^30 threads.
constexpr std::size_t max_threads = std::size_t{1} << 29;

constexpr ModuleOptions module_options{
    .registers = 0, .optimization = optimize_most, .debug = debug_none};

// The PTX of a module and the names of the programs of a pipeline.
struct ProgramText {
  std::string_view text;
  const char* raygen;
  const char* any_hit;      // null: none
  const char* closest_hit;  // null: none
  const char* box;
  unsigned payload;  // registers that a ray carries
};

ProgramText text_of(Programs programs) {
  if (programs == Programs::points)
    return {point_programs(), "__raygen__point",       "__anyhit__point",
            nullptr,          "__intersection__point", point_payload};
  if (programs == Programs::edges)
    return {edge_programs(), "__raygen__edge",       "__anyhit__edge",
            nullptr,         "__intersection__edge", 2};
  if (programs == Programs::intervals)
    return {interval_programs(),        "__raygen__interval",
            "__anyhit__interval",       nullptr,
            "__intersection__interval", 2};
  if (programs == Programs::boxes)
    return {box_programs(), "__raygen__box", "__anyhit__box", nullptr, "__intersection__box", 2};
  if (programs == Programs::buckets)
    return {bucket_programs(), "__raygen__find_bucket",
            nullptr,           "__closesthit__leave_primitive",
            nullptr,           1};
  return {device_programs(), "__raygen__lookup",    "__anyhit__take",
          nullptr,           "__intersection__box", 2};
}

PipelineOptions pipeline_options(Programs programs, Primitive primitive) {
  PipelineOptions options{};
  options.graph = graph_single_structure;
  options.payload_values = static_cast<int>(text_of(programs).payload);
  options.attribute_values = 2;
  options.params_name = "launch_params";
  options.primitive_types = primitive == Primitive::triangle ? uses_triangles
                            : primitive == Primitive::sphere ? uses_spheres
                                                             : uses_boxes;
  return options;
}

// The buffer for the log of OptiX.
struct Log {
  std::array<char, 2048> text{};
  std::size_t size = text.size();
};

struct alignas(record_alignment) Record {
  std::array<char, record_header_bytes> header;
};

}  // namespace

const Pipeline& Pipeline::get(int device, Programs programs, Primitive primitive,
                              unsigned build_flags) {
  using Which = std::tuple<int, Programs, Primitive, unsigned>;
  static std::mutex mutex;
  static auto& made = *new std::map<Which, const Pipeline*>();
  const std::lock_guard lock(mutex);
  // Only the built-in program of spheres depends on how structures are built.
  const unsigned flags = primitive == Primitive::sphere ? build_flags : 0;
  const Pipeline*& pipeline = made[{device, programs, primitive, flags}];
  if (pipeline == nullptr) pipeline = new Pipeline(device, programs, primitive, flags);
  return *pipeline;
}

Pipeline::Pipeline(int device, Programs programs, Primitive primitive, unsigned build_flags)
    : context_(context_of(device).context) {
  const cuda::OnDevice current(device);
  make_programs(programs, primitive, build_flags);
  const PipelineOptions options = pipeline_options(programs, primitive);
  const LinkOptions link{.trace_depth = 1};
  Log log;
  check(functions().create_pipeline(context_, &options, &link, programs_, 3, log.text.data(),
                                    &log.size, &pipeline_),
        "linking the device programs", log.text.data());
  make_table();
}

void Pipeline::make_programs(Programs programs, Primitive primitive, unsigned build_flags) {
  const FunctionTable& call = functions();
  const PipelineOptions options = pipeline_options(programs, primitive);
  const ProgramText from = text_of(programs);
  Module ours = nullptr;
  Module spheres = nullptr;
  Log log;
  check(call.create_module(context_, &module_options, &options, from.text.data(), from.text.size(),
                           log.text.data(), &log.size, &ours),
        "compiling the device programs", log.text.data());
  if (primitive == Primitive::sphere) {
    const BuiltinOptions builtin{.type = builtin_sphere, .build_flags = build_flags};
    check(call.get_builtin_module(context_, &module_options, &options, &builtin, &spheres),
          "getting the intersection program of spheres");
  }
  ProgramDescription descriptions[3] = {};
  descriptions[0].kind = program_raygen;
  descriptions[0].single = {ours, from.raygen};
  descriptions[1].kind = program_miss;
  descriptions[2].kind = program_hit;
  descriptions[2].hit = {};
  if (from.any_hit != nullptr) {
    descriptions[2].hit.any_module = ours;
    descriptions[2].hit.any_entry = from.any_hit;
  }
  if (from.closest_hit != nullptr) {
    descriptions[2].hit.closest_module = ours;
    descriptions[2].hit.closest_entry = from.closest_hit;
  }
  if (primitive == Primitive::sphere) {
    descriptions[2].hit.intersection_module = spheres;
  } else if (primitive == Primitive::aabb) {
    descriptions[2].hit.intersection_module = ours;
    descriptions[2].hit.intersection_entry = from.box;
  }
  const ProgramOptions program_options{};
  log = Log{};
  check(call.create_programs(context_, descriptions, 3, &program_options, log.text.data(),
                             &log.size, programs_),
        "choosing the device programs", log.text.data());
}

void Pipeline::make_table() {
  Record records[3] = {};
  for (int i = 0; i < 3; ++i)
    check(functions().pack_record(programs_[i], records[i].header.data()),
          "naming the device programs");
  void* memory = nullptr;
  cuda::check(cudaMalloc(&memory, sizeof(records)), "making a pipeline");
  cuda::check(cudaMemcpy(memory, records, sizeof(records), cudaMemcpyHostToDevice),
              "copying to the GPU");
  // The copy may still be under way, and launches come from streams that do not wait for it.
  cuda::check(cudaStreamSynchronize(nullptr), "copying to the GPU");
  const auto at = reinterpret_cast<DevicePointer>(memory);
  table_.raygen = at;
  table_.miss = at + sizeof(Record);
  table_.hit = at + 2 * sizeof(Record);
  table_.miss_stride = table_.hit_stride = sizeof(Record);
  table_.miss_count = table_.hit_count = 1;
}

template <class Params>
void Pipeline::launch(Params params, std::size_t threads, const cuda::Queue& queue) const {
  cuda::LaunchTimes& times = *params.lookups.times;
  params.lookups.times = nullptr;  // in host memory
  for (std::size_t first = 0; first < threads; first += max_threads) {
    params.first = first;
    const cuda::DeviceBytes stored(queue, sizeof(params));
    store_params(params, stored.data(), queue);
    const auto here = static_cast<unsigned>(std::min(threads - first, max_threads));
    const std::lock_guard lock(launching_);
    launched_.wait_on(queue);
    times.measure(queue, [&] {
      check(functions().launch(pipeline_, queue, reinterpret_cast<DevicePointer>(stored.data()),
                               sizeof(params), &table_, here, 1, 1),
            "tracing rays");
    });
    launched_.record(queue);
  }
}

template void Pipeline::launch(LaunchParams, std::size_t, const cuda::Queue&) const;
template void Pipeline::launch(BucketParams, std::size_t, const cuda::Queue&) const;

}  // namespace rtindex::optix
