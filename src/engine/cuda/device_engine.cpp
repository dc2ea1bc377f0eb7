#include "engine/cuda/device_engine.hpp"

#include <limits>
#include <utility>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/device_segments.hpp"

namespace rtindex::cuda {

Kind device_kind(std::string kind, std::string tracer, std::string description,
                 std::vector<SpecOption> options,
                 std::function<DeviceSearchers(const Spec&)> searchers) {
  return {.kind = std::move(kind),
          .tracer = std::move(tracer),
          .device = "cuda",
          .options = std::move(options),
          .describe =
              [description = std::move(description)] {
                return fmt::format("{}, on {}", description, gpus().front().name);
              },
          .unavailable = [] { return unusable(); },
          .complete_options =
              [](const Spec& spec, const Kind& own) {
                require_gpu(spec);
                return with_defaults(spec, own.name(), own.options);
              },
          .bind =
              [searchers = std::move(searchers)](const Spec& spec,
                                                 std::shared_ptr<DeviceMemory> memory) {
                return device_engine(spec.device_number(), std::move(memory), searchers(spec));
              }};
}

Engine device_engine(int device, std::shared_ptr<DeviceMemory> memory,
                     const DeviceSearchers& searchers) {
  const OnDevice current(device);
  const GpuContext gpu{device, current_memory(memory)};
  return {.segments = std::make_shared<DeviceSegmentBuilder>(gpu, searchers),
          .batches = std::make_shared<DeviceBatchRunner>(gpu),
          .memory_space = MemorySpace::device,
          .device_memory = std::move(memory),
          .keeps_key_order = searchers.positions != nullptr && searchers.keeps_order,
          .indexes_points = searchers.holds_points,
          .holds = searchers.holds,
          .default_delta = std::size_t{1} << 21,
          // One delta beside the main segment: a lookup searches both in one kernel.
          .merge_factor = std::numeric_limits<std::size_t>::max()};
}

Gather gather_of(const Spec& spec) {
  const std::string gather = gather_option.text(spec);
  return gather == "on" ? Gather::on : gather == "off" ? Gather::off : Gather::automatic;
}

void require_gpu(const Spec& spec) {
  const auto count = static_cast<int>(gpus().size());
  if (spec.device_number() >= count)
    fail(ErrorKind::unavailable, "'{}' names GPU {}: this machine has {}, numbered from 0",
         spec.text(), spec.device_number(), count);
}

}  // namespace rtindex::cuda
