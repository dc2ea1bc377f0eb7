#include "tracers/optix/optix_tracer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "execution/cuda/batch_runner.hpp"
#include "execution/cuda/device_counters.hpp"
#include "storage/cuda/device_columns.hpp"
#include "storage/cuda/device_pointers.hpp"
#include "storage/cuda/device_update.hpp"
#include "tracers/optix/ray_answerer.hpp"
#include "tracers/optix/tracer_options.hpp"
#include "tracers/row_rays.hpp"

namespace rtindex::optix {

namespace {

using Memory = std::shared_ptr<DeviceMemory>;
using cuda::DeviceColumn;
using cuda::OnDevice;

template <class T>
cuda::DeviceArray<T> copied(const cuda::DeviceArray<T>& from, const Memory& memory,
                            cudaStream_t stream) {
  cuda::DeviceArray<T> copy(memory, from.size(), stream);
  if (!from.empty())
    cuda::check(
        cudaMemcpyAsync(copy.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream),
        "copying on the GPU");
  return copy;
}

class OptixTracer final : public Structure {
 public:
  // `on_host`: the same keys, where full keys must be compared on the host.
  OptixTracer(const SceneOptions& options, cuda::OwnStream stream, DeviceColumn column,
              std::unique_ptr<EncodedColumn> on_host, const Memory& memory,
              const cuda::MemoryMeter& meter)
      : options_(options),
        memory_(memory),
        stream_(std::move(stream)),
        column_(std::move(column)),
        on_host_(std::move(on_host)),
        scene_(std::make_unique<Scene>(options, column_, memory, stream_.get())),
        pipeline_(&Pipeline::get(options.device, Programs::all, options.rx.primitive,
                                 scene_->build_flags())),
        point_pipeline_(&Pipeline::get(options.device, Programs::points, options.rx.primitive,
                                       scene_->build_flags())) {
    finish_build(meter);
  }

  ~OptixTracer() override {
    // Lookups that are under way on the caller's streams still read what is freed here.
    const OnDevice current(options_.device, std::nothrow);
    static_cast<void>(cudaDeviceSynchronize());
    scene_.reset();
    column_ = DeviceColumn{};
    cuda::give_back_unused();
  }

  void run(const LookupBatch& batch, const Request& request) const override {
    const OnDevice current(options_.device);
    const cuda::DeviceCounters counters(request.counters, memory_);
    cuda::LaunchTimes times(request.launch_ms);
    const RayAnswerer answerer({options_.rx, *pipeline_, *point_pipeline_, scene_->view(column_),
                                on_host_.get(), memory_, counters.get(), times});
    const cuda::BatchRunner runner({answerer, column_.is_wide(), column_.row_count, column_.span,
                                    memory_, built_, false, workspaces_});
    runner.run(batch, request);
    counters.finish(request.stream);
    times.finish(static_cast<cudaStream_t>(request.stream.handle));
  }

  [[nodiscard]] bool counts_work() const override { return true; }
  [[nodiscard]] bool times_rays() const override { return true; }

  void require_answerable(const LookupBatch& batch) const override {
    require_few_row_rays(options_.rx, column_.span, batch);
  }

  [[nodiscard]] Memory device_memory() const override { return memory_; }

  bool update(const Changes& changes, std::uint64_t span) override {
    if (on_host_ != nullptr || is_wide(span) != column_.is_wide()) return false;
    if (!is_exact(options_.rx, span, coordinate_limit(options_.rx.primitive))) return false;
    const OnDevice current(options_.device);
    cuda::check(cudaDeviceSynchronize(), "waiting for lookups before an update");
    const cudaStream_t stream = stream_.get();
    const cuda::MemoryMeter meter;
    DeviceColumn changed;
    changed.narrow = copied(column_.narrow, memory_, stream);
    changed.wide = copied(column_.wide, memory_, stream);
    changed.rows = copied(column_.rows, memory_, stream);
    changed.size = column_.size;
    changed.row_count = column_.row_count;
    changed.span = span;
    if (!cuda::patch_column(changed, changes, memory_, stream)) return false;
    if (options_.rx.update == Update::refit)
      scene_->refit(changed, stream);
    else
      scene_ = std::make_unique<Scene>(options_, changed, memory_, stream);
    column_ = std::move(changed);
    finish_build(meter);
    return true;
  }

  [[nodiscard]] EncodedColumn column() const override {
    const OnDevice current(options_.device);
    const cuda::OwnStream stream;
    built_.hold_back(stream.get());
    return cuda::downloaded(column_, stream.get());
  }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"acceleration structure", scene_->structure_bytes()},
                   {"keys", column_.narrow.bytes() + column_.wide.bytes() + column_.rows.bytes()},
                   {"row directory", scene_->directory_bytes()}};
    if (scene_->primitive_bytes() != 0)
      bytes.parts.emplace_back("primitive buffers", scene_->primitive_bytes());
    if (on_host_) bytes.parts.emplace_back("keys on the host", on_host_->bytes());
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = std::max(build_peak_, bytes.resident);
    return bytes;
  }

  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const override {
    return scene_->build_profile();
  }

  [[nodiscard]] std::string describe() const override {
    return describe_device(options_.device) +
           describe_scene(options_, *scene_, column_.size, column_.span);
  }

 private:
  void finish_build(const cuda::MemoryMeter& meter) {
    build_peak_ = meter.peak();
    built_.record(stream_.get());
    stream_.wait();
    cuda::trim_unused(build_peak_);
  }

  SceneOptions options_;
  Memory memory_;
  // The arrays are given back in the order of this stream, which therefore outlives them.
  cuda::OwnStream stream_;
  DeviceColumn column_;
  std::unique_ptr<EncodedColumn> on_host_;
  std::unique_ptr<Scene> scene_;
  const Pipeline* pipeline_;
  const Pipeline* point_pipeline_;
  std::size_t build_peak_ = 0;
  cuda::Event built_;
  mutable cuda::WorkspacePool workspaces_;
};

}  // namespace

cuda::BuiltOnDevice build_native(const Spec& resolved, const ColumnView& column,
                                 const BuildOptions& build) {
  const SceneOptions options = options_of(resolved);
  const OnDevice current(options.device);
  cuda::require_on_device(column, "keys");
  const Memory memory = cuda::current_memory(build.device_memory);
  cuda::OwnStream stream;
  if (column.memory_space() == MemorySpace::device) {
    const cuda::Event before;
    before.record(static_cast<cudaStream_t>(build.stream.handle));
    before.hold_back(stream.get());
  }
  const cuda::MemoryMeter meter;
  cuda::NativeColumn encoded = cuda::encode_native(column, std::nullopt, memory, stream.get());
  const double limit = coordinate_limit(options.rx.primitive);
  if (!is_exact(options.rx, encoded.column.span, limit))
    require_exact(
        options.rx, cuda::downloaded(encoded.column, stream.get()),
        [&](std::uint32_t row) { return cuda::element_text(column, row, stream.get()); }, limit);
  cuda::BuiltOnDevice built;
  built.codec = std::move(encoded.codec);
  built.structure = std::make_unique<OptixTracer>(
      options, std::move(stream), std::move(encoded.column), nullptr, memory, meter);
  return built;
}

std::unique_ptr<Structure> build_encoded(const Spec& resolved, EncodedColumn column,
                                         const KeyCodec& codec, const KeyText& text,
                                         const BuildOptions& build) {
  const SceneOptions options = options_of(resolved);
  require_exact(options.rx, column, text, coordinate_limit(options.rx.primitive));
  const OnDevice current(options.device);
  const Memory memory = cuda::current_memory(build.device_memory);
  cuda::OwnStream stream;
  const cuda::MemoryMeter meter;
  DeviceColumn on_device = cuda::uploaded(column, memory, stream.get());
  auto on_host =
      codec.has_residual() ? std::make_unique<EncodedColumn>(std::move(column)) : nullptr;
  return std::make_unique<OptixTracer>(options, std::move(stream), std::move(on_device),
                                       std::move(on_host), memory, meter);
}

}  // namespace rtindex::optix
