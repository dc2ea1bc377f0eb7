#include "kinds/optix/optix_tracer.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/cuda/device_searcher.hpp"
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

// The keys and their scene. They are released on the stream, which therefore outlives them.
struct Arrays {
  cuda::PooledStream stream;
  DeviceColumn column;
  std::unique_ptr<Scene> scene;
};

class OptixTracer final : public cuda::DeviceSearcher {
 public:
  // `on_host`: a copy of the keys, if full keys must be compared on the host.
  OptixTracer(const SceneOptions& options, const cuda::GpuContext& gpu, cuda::PooledStream stream,
              DeviceColumn column, std::unique_ptr<EncodedColumn> on_host,
              const cuda::MemoryMeter& meter)
      : DeviceSearcher(gpu),
        options_(options),
        arrays_(std::make_unique<Arrays>(Arrays{std::move(stream), std::move(column), nullptr})),
        on_host_(std::move(on_host)) {
    size_ = keys().size;
    capabilities_ = {.key_order = true, .counters = true, .ray_times = true};
    if (options.rx.update == Update::refit && on_host_ == nullptr)
      capabilities_.max_refit_key = max_refit_key();
    arrays_->scene = std::make_unique<Scene>(options, arrays_->column,
                                             cuda::Queue(memory(), arrays_->stream.get()));
    finish(meter);
  }
  ~OptixTracer() override { release(arrays_); }

  void require_answerable(const LookupBatch& batch) const override {
    require_few_row_rays(options_.rx, keys().span, batch);
  }

  [[nodiscard]] Encoding encoding() const override { return {keys().row_count, keys().span}; }
  [[nodiscard]] SegmentTraits traits(std::size_t) const override {
    return {.casts_rays = true, .folds_hits = true, .compares_full_keys = on_host_ != nullptr};
  }
  [[nodiscard]] cuda::FoundRows answer_on_device(Method, const cuda::SearchedLookups& searched,
                                                 const cuda::DeviceRequest& request,
                                                 cuda::RowsWanted wanted,
                                                 cudaStream_t stream) const override {
    return answerer_->answer(searched, request, wanted, stream);
  }
  void find_edges_on_device(const cuda::SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                            std::uint64_t* found_keys, cudaStream_t stream) const override {
    answerer_->find_edges(searched, edge, rows, found_keys, stream);
  }

  // A refit grows the boxes but does not rebuild the tree.
  void refit(const Changes& changes, std::uint64_t span) override {
    const OnDevice current(gpu().device);
    wait_for_lookups();
    const cuda::Queue queue(memory(), arrays_->stream.get());
    const cuda::MemoryMeter meter;
    DeviceColumn changed = device_column(queue);
    changed.span = span;
    if (!cuda::patch_column(changed, changes, queue))
      fail("a row of the update has no key: update rows that have one");
    arrays_->scene->refit(changed, queue);
    arrays_->column = std::move(changed);
    finish(meter);
  }

  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override {
    return cuda::copy_of(keys(), {memory(), stream});
  }

  [[nodiscard]] std::string describe() const override {
    return cuda::describe_gpu(gpu().device) + describe_tracer(gpu().device) +
           describe_scene(options_, *arrays_->scene, keys().size, keys().span);
  }

 private:
  [[nodiscard]] const DeviceColumn& keys() const { return arrays_->column; }

  // Keys keep their width and stay exact.
  [[nodiscard]] std::uint64_t max_refit_key() const {
    const std::uint64_t exact =
        max_exact_span(options_.rx, coordinate_limit(options_.rx.primitive));
    return keys().is_wide()
               ? exact
               : std::min<std::uint64_t>(exact, std::numeric_limits<std::uint32_t>::max());
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_entries() const override {
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
        [device = gpu().device, primitive = options_.rx.primitive,
         flags = arrays_->scene->build_flags()](Programs programs) -> const Pipeline& {
      return Pipeline::get(device, programs, primitive, flags);
    };
    answerer_.emplace(RayAnswerer::Sources{
        options_.rx, pipeline(Programs::all), pipeline(Programs::points),
        [pipeline]() -> const Pipeline& { return pipeline(Programs::edges); },
        arrays_->scene->view(keys()), IntervalView{}, on_host_.get(), memory()});
    build_profile_ = arrays_->scene->build_profile();
    finish_build(arrays_->stream, meter);
  }

  SceneOptions options_;
  std::unique_ptr<Arrays> arrays_;
  std::unique_ptr<EncodedColumn> on_host_;
  std::optional<RayAnswerer> answerer_;
};

}  // namespace

std::unique_ptr<Searcher> build_tracer(const SceneOptions& options, cuda::DeviceRows rows,
                                       const cuda::GpuContext& gpu,
                                       const cuda::MemoryMeter& meter) {
  DeviceColumn column = cuda::in_row_order(std::move(rows.column), {gpu.memory, rows.stream.get()});
  return std::make_unique<OptixTracer>(options, gpu, std::move(rows.stream), std::move(column),
                                       nullptr, meter);
}

std::unique_ptr<Searcher> build_tracer(const SceneOptions& options, EncodedColumn column,
                                       const KeyCodec& codec, const cuda::GpuContext& gpu) {
  const OnDevice current(gpu.device);
  cuda::PooledStream stream;
  const cuda::MemoryMeter meter;
  DeviceColumn on_device = cuda::uploaded(column, {gpu.memory, stream.get()});
  auto on_host =
      codec.has_residual() ? std::make_unique<EncodedColumn>(std::move(column)) : nullptr;
  return std::make_unique<OptixTracer>(options, gpu, std::move(stream), std::move(on_device),
                                       std::move(on_host), meter);
}

}  // namespace rtindex::optix
