#include "kinds/optix/optix_backend.hpp"

#include <utility>

#include "engine/cuda/device_backend.hpp"
#include "kinds/optix/optix_options.hpp"
#include "kinds/optix/optix_tracer.hpp"
#include "kinds/optix/tracer_options.hpp"

namespace rtindex::optix {

namespace {

// Rays find a key, or with buckets a position among sorted keys.
class OptixBackend final : public cuda::DeviceBackend {
 public:
  OptixBackend() : DeviceBackend("rx", "optix", "the paper's own system", declared_options()) {}

  [[nodiscard]] std::optional<std::string> unavailable() const override { return unusable(); }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{}, {}", DeviceBackend::describe(), rtcore_text(0));
  }
  [[nodiscard]] bool keeps_key_order(const Spec& spec) const override {
    return RxOptions::from(spec).is_bucketed();
  }
  [[nodiscard]] bool holds(const Spec& spec, std::uint64_t span) const override {
    const RxOptions rx = options_of(spec).rx;
    return is_exact(rx, span, coordinate_limit(rx.primitive));
  }
  [[nodiscard]] Spec complete(const Spec& spec) const override {
    cuda::require_gpu(spec);
    return complete_options(spec, name(), options());
  }

  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText& key_text,
                                                 const BuildOptions& options) const override {
    if (RxOptions::from(spec).is_bucketed())
      return DeviceBackend::build(spec, std::move(column), codec, key_text, options);
    return build_encoded(options_of(spec), std::move(column), codec, key_text, options);
  }

  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>& memory) const override {
    if (RxOptions::from(spec).is_bucketed())
      return DeviceBackend::load(spec, file, codec, rows, memory);
    return Backend::load(spec, file, codec, rows, memory);
  }

 protected:
  // Rays find rows, not positions in the order of full keys.
  [[nodiscard]] bool encodes_on_device(const Spec& spec) const override {
    return RxOptions::from(spec).is_bucketed();
  }
  [[nodiscard]] std::unique_ptr<Structure> build_keys(
      const Spec& spec, cuda::DeviceRows rows, cuda::SegmentUse use,
      const std::shared_ptr<DeviceMemory>& memory, const cuda::MemoryMeter& meter) const override {
    if (RxOptions::from(spec).is_bucketed())
      return DeviceBackend::build_keys(spec, std::move(rows), use, memory, meter);
    return build_tracer(options_of(spec), std::move(rows), memory, meter);
  }

  [[nodiscard]] cuda::DeviceOptions device_options(const Spec& spec) const override {
    const SceneOptions scene = options_of(spec);
    cuda::DeviceOptions options = cuda::sorted_options(spec);
    options.layout = cuda::Layout::split;
    options.locator = [scene](cuda::DeviceOrder& order, const cuda::Queue& queue) {
      return make_bucket_locator(scene, order, queue);
    };
    options.holds = [this, spec](std::uint64_t span) { return holds(spec, span); };
    options.refuse = [rx = scene.rx](const EncodedColumn& column, const KeyText& key_text) {
      require_exact(rx, column, key_text, coordinate_limit(rx.primitive));
    };
    return options;
  }
};

}  // namespace

const Backend& optix_backend() {
  static const OptixBackend backend;
  return backend;
}

}  // namespace rtindex::optix
