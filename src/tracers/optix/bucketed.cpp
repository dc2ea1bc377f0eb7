#include "tracers/optix/bucketed.hpp"

#include "tracers/optix/bucket_locator.hpp"
#include "tracers/optix/tracer_options.hpp"

namespace rtindex::optix {

cuda::DeviceOptions bucketed_options(const Spec& resolved) {
  const SceneOptions scene = options_of(resolved);
  cuda::DeviceOptions options = cuda::ordered_options(resolved);
  options.layout = cuda::Layout::split;
  options.locator = [scene](cuda::DeviceOrder& order, const std::shared_ptr<DeviceMemory>& memory,
                            cudaStream_t stream) {
    return make_bucket_locator(scene, order, memory, stream);
  };
  options.holds = [rx = scene.rx](std::uint64_t span) {
    return is_exact(rx, span, coordinate_limit(rx.primitive));
  };
  options.refuse = [rx = scene.rx](const EncodedColumn& column, const KeyText& key_text) {
    require_exact(rx, column, key_text, coordinate_limit(rx.primitive));
  };
  return options;
}

std::unique_ptr<Structure> build_bucketed(const Spec& resolved, const EncodedColumn& column,
                                          const KeyCodec& codec, const KeyText& key_text,
                                          const BuildOptions& build) {
  const cuda::DeviceOptions options = bucketed_options(resolved);
  options.refuse(column, key_text);
  return cuda::build_encoded(options, column, codec, build);
}

}  // namespace rtindex::optix
