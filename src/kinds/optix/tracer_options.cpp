#include "kinds/optix/tracer_options.hpp"

#include <algorithm>
#include <limits>

#include "base/bytes.hpp"
#include "base/cuda/runtime.hpp"
#include "base/error.hpp"
#include "kinds/optix/optix_options.hpp"

namespace rtindex::optix {

namespace {

// Without RT cores OptiX builds 2^28 triangles in half a second, but did not finish within a minute
// with its maximum of 2^29 (driver 580, H200).
constexpr std::size_t max_in_software = std::size_t{1} << 28;

std::size_t split_of(const Spec& spec, int device) {
  const DeviceContext& context = context_of(device);
  const std::size_t max_keys = context.max_primitives;
  const std::size_t usual =
      context.rtcore_version == 0 ? std::min(max_keys, max_in_software) : max_keys;
  const auto split =
      static_cast<std::size_t>(split_option.whole(spec).value_or(static_cast<std::int64_t>(usual)));
  if (split > max_keys)
    fail("invalid split={}: expected 1 to {}, the keys that one structure holds", split, max_keys);
  return split;
}

}  // namespace

Spec complete_options(const Spec& spec, const Kind& kind) {
  const std::size_t split = split_of(spec, spec.device_number());
  return split_option.set(RxOptions::complete(spec, kind), std::to_string(split));
}

double coordinate_limit(Primitive primitive) {
  constexpr double start_limit = 0x1p40;
  return primitive == Primitive::triangle ? std::numeric_limits<float>::max() : start_limit;
}

SceneOptions options_of(const Spec& resolved) {
  const int device = resolved.device_number();
  return {RxOptions::from(resolved), device, split_of(resolved, device)};
}

std::string describe_tracer(int device) {
  return fmt::format("tracer: OptiX ABI {}, {}\n", abi_version, rtcore_text(device));
}

std::string describe_scene(const SceneOptions& options, const Scene& scene, std::size_t keys,
                           std::uint64_t span) {
  const RxOptions& rx = options.rx;
  const std::uint64_t spanned = rx.coordinates.row_of(span) + 1;
  const SceneCosts& costs = scene.costs();
  std::string text =
      fmt::format("scene: {} {}s in {} structures, {} rows\n", keys, name_of(rx.primitive),
                  scene.structure_count(),
                  scene.occupied_row_count() != 0
                      ? fmt::format("{} (of {} spanned)", scene.occupied_row_count(), spanned)
                      : fmt::format("{}", spanned));
  text += fmt::format("rays: {} for points, from {} for ranges, row_rays={}\n", name_of(rx.point),
                      name_of(rx.range), rx.row_rays == RowRays::all ? "all" : "occupied");
  text += fmt::format("compaction: {}\n", rx.update == Update::refit
                                              ? "off (update=refit needs an uncompacted structure)"
                                          : rx.compact ? "on"
                                                       : "off");
  text += fmt::format("build: {} working memory, {} uncompacted, {} final\n",
                      human_bytes(costs.temporary), human_bytes(costs.uncompacted),
                      human_bytes(scene.structure_bytes()));
  text += fmt::format("times: convert {:.3f} ms, build {:.3f} ms, compact {:.3f} ms\n",
                      costs.convert_ms, costs.build_ms, costs.compact_ms);
  if (costs.update_ms != 0) text += fmt::format("last refit: {:.3f} ms\n", costs.update_ms);
  return text + (rx.update == Update::refit
                     ? "updates: refit in place (a rebuild where a row turns null or a key leaves "
                       "the range)\n"
                     : "updates: rebuild\n");
}

}  // namespace rtindex::optix
