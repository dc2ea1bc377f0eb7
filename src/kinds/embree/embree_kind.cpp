#include <utility>

#include "engine/ordered_kind.hpp"
#include "kinds/embree/device.hpp"
#include "kinds/embree/embree_options.hpp"
#include "kinds/embree/embree_searchers.hpp"
#include "kinds/registry.hpp"

namespace rtindex {

namespace {

Engine bind_embree(const Spec& spec) {
  const EmbreeOptions options = EmbreeOptions::from(spec);
  const bool is_bucketed = options.rx.is_bucketed();
  Engine engine =
      host_engine(is_bucketed ? bucketed_searchers(options) : embree_searchers(options));
  engine.keeps_key_order = is_bucketed;
  engine.indexes_points = !is_bucketed;
  engine.holds = [rx = options.rx](std::uint64_t span) {
    return is_exact(rx, span, embree_coordinate_limit);
  };
  engine.refits = options.rx.update == Update::refit;
  return engine;
}

}  // namespace

Kind embree_kind() {
  return {
      .kind = "rx",
      .tracer = "embree",
      .device = "cpu",
      .options = EmbreeOptions::declared(),
      .describe =
          [] { return std::string(embree_version()) + ": the paper's scene and rays on the CPU"; },
      .complete_options = RxOptions::complete,
      .bind = [](const Spec& spec, const auto&) { return bind_embree(spec); }};
}

}  // namespace rtindex
