#include "kinds/optix/optix_tracer.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "engine/cuda/gpu_structure.hpp"
#include "kinds/optix/ray_answerer.hpp"
#include "kinds/optix/tracer_options.hpp"
#include "kinds/scene/rx_options.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/patch_column.hpp"

namespace rtindex::optix {

namespace {

using Memory = std::shared_ptr<DeviceMemory>;
using cuda::DeviceColumn;
using cuda::OnDevice;

template <class T>
cuda::DeviceArray<T> copied(const cuda::DeviceArray<T>& from, const cuda::Queue& queue) {
  cuda::DeviceArray<T> copy(queue, from.size());
  if (!from.empty())
    cuda::check(
        cudaMemcpyAsync(copy.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, queue),
        "copying on the GPU");
  return copy;
}

// The keys and their scene. They are released on the stream, which therefore outlives them.
struct Arrays {
  cuda::PooledStream stream;
  DeviceColumn column;
  std::unique_ptr<Scene> scene;
};

class OptixTracer final : public cuda::GpuStructure {
 public:
  // `on_host`: the same keys, if full keys must be compared on the host.
  OptixTracer(const SceneOptions& options, cuda::PooledStream stream, DeviceColumn column,
              std::unique_ptr<EncodedColumn> on_host, const Memory& memory,
              const cuda::MemoryMeter& meter)
      : GpuStructure(options.device, memory),
        options_(options),
        arrays_(std::make_unique<Arrays>(Arrays{std::move(stream), std::move(column), nullptr})),
        on_host_(std::move(on_host)) {
    arrays_->scene = std::make_unique<Scene>(options, arrays_->column,
                                             cuda::Queue(memory, arrays_->stream.get()));
    finish(meter);
  }
  ~OptixTracer() override { release(arrays_); }

  [[nodiscard]] bool keeps_order() const override { return true; }
  [[nodiscard]] bool counts_work() const override { return true; }
  [[nodiscard]] bool times_rays() const override { return true; }

  void require_answerable(const LookupBatch& batch) const override {
    require_few_row_rays(options_.rx, keys().span, batch);
  }

  // Only for update=refit: its boxes grow with every update, but nothing is built.
  [[nodiscard]] bool refit(const Changes& changes, std::uint64_t span) override {
    if (options_.rx.update != Update::refit || on_host_ != nullptr ||
        is_wide(span) != keys().is_wide())
      return false;
    if (!is_exact(options_.rx, span, coordinate_limit(options_.rx.primitive))) return false;
    const OnDevice current(device());
    wait_for_lookups();
    const cuda::Queue queue(memory(), arrays_->stream.get());
    const cuda::MemoryMeter meter;
    DeviceColumn changed = device_column(queue);
    changed.span = span;
    if (!cuda::patch_column(changed, changes, queue)) return false;
    arrays_->scene->refit(changed, queue);
    arrays_->column = std::move(changed);
    finish(meter);
    return true;
  }

  [[nodiscard]] std::size_t size() const override { return keys().size; }

  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override {
    const cuda::Queue queue(memory(), stream);
    DeviceColumn copy;
    copy.narrow = copied(keys().narrow, queue);
    copy.wide = copied(keys().wide, queue);
    copy.rows = copied(keys().rows, queue);
    copy.size = keys().size;
    copy.row_count = keys().row_count;
    copy.span = keys().span;
    return copy;
  }

  [[nodiscard]] EncodedColumn column() const override {
    const OnDevice current(device());
    const cuda::PooledStream stream;
    return cuda::downloaded(keys(), stream.get());
  }

  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const override {
    return arrays_->scene->build_profile();
  }

  [[nodiscard]] std::string describe() const override {
    return cuda::describe_gpu(device()) + describe_tracer(device()) +
           describe_scene(options_, *arrays_->scene, keys().size, keys().span);
  }

 private:
  [[nodiscard]] const DeviceColumn& keys() const { return arrays_->column; }

  [[nodiscard]] cuda::BatchTarget target() const override {
    return {*answerer_, keys().row_count, keys().span};
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_parts() const override {
    const Scene& scene = *arrays_->scene;
    std::vector<std::pair<std::string, std::size_t>> parts = {
        {"acceleration structure", scene.structure_bytes()},
        {"keys", keys().narrow.bytes() + keys().wide.bytes() + keys().rows.bytes()},
        {"row directory", scene.directory_bytes()}};
    if (scene.primitive_bytes() != 0)
      parts.emplace_back("primitive buffers", scene.primitive_bytes());
    if (on_host_) parts.emplace_back("keys on the host", on_host_->bytes());
    return parts;
  }

  // The end of a build or a refit.
  void finish(const cuda::MemoryMeter& meter) {
    const auto pipeline =
        [device = device(), primitive = options_.rx.primitive,
         flags = arrays_->scene->build_flags()](Programs programs) -> const Pipeline& {
      return Pipeline::get(device, programs, primitive, flags);
    };
    answerer_.emplace(
        RayAnswerer::Sources{options_.rx, pipeline(Programs::all), pipeline(Programs::points),
                             [pipeline]() -> const Pipeline& { return pipeline(Programs::edges); },
                             arrays_->scene->view(keys()), on_host_.get(), memory()});
    finish_build(arrays_->stream, meter);
  }

  SceneOptions options_;
  std::unique_ptr<Arrays> arrays_;
  std::unique_ptr<EncodedColumn> on_host_;
  std::optional<RayAnswerer> answerer_;
};

}  // namespace

std::unique_ptr<Structure> build_tracer(const SceneOptions& options, cuda::DeviceRows rows,
                                        const Memory& memory, const cuda::MemoryMeter& meter) {
  DeviceColumn column = cuda::in_row_order(std::move(rows.column), {memory, rows.stream.get()});
  return std::make_unique<OptixTracer>(options, std::move(rows.stream), std::move(column), nullptr,
                                       memory, meter);
}

std::unique_ptr<Structure> build_encoded(const SceneOptions& options, EncodedColumn column,
                                         const KeyCodec& codec, const KeyText& text,
                                         const BuildOptions& build) {
  require_exact(options.rx, column, text, coordinate_limit(options.rx.primitive));
  const OnDevice current(options.device);
  const Memory memory = cuda::current_memory(build.device_memory);
  cuda::PooledStream stream;
  const cuda::MemoryMeter meter;
  DeviceColumn on_device = cuda::uploaded(column, {memory, stream.get()});
  auto on_host =
      codec.has_residual() ? std::make_unique<EncodedColumn>(std::move(column)) : nullptr;
  return std::make_unique<OptixTracer>(options, std::move(stream), std::move(on_device),
                                       std::move(on_host), memory, meter);
}

}  // namespace rtindex::optix
