#include <algorithm>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "kinds/optix/bucket_kernels.hpp"
#include "kinds/optix/bucket_scene.hpp"
#include "kinds/optix/optix_tracer.hpp"
#include "kinds/optix/pipeline.hpp"
#include "kinds/optix/tracer_options.hpp"

namespace rtindex::optix {

namespace {

using cuda::DeviceLookups;
using cuda::Run;

class BucketLocator final : public cuda::PositionSearcher {
 public:
  BucketLocator(const SceneOptions& options, const cuda::DeviceOrder& order,
                const cuda::Queue& queue)
      : options_(options),
        order_(&order),
        buckets_{options.rx.bucket, static_cast<std::uint32_t>(order.size())},
        memory_(queue.memory()),
        scene_(options, order, buckets_, queue),
        pipeline_(&Pipeline::get(options.device, Programs::buckets, Primitive::triangle,
                                 scene_.build_flags())) {
    finds_first_rows_ = false;
    casts_rays_ = true;
    build_profile_ = scene_.costs().parts(scene_.representative_bytes() + scene_.marker_bytes());
  }

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override {
    cast(lookups, rows, 1, false, stream);
    search_rows(*order_, buckets_, lookups, rows, stream);
  }
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    cast(lookups, &runs->begin, 2, false, stream);
    search_points(*order_, buckets_, lookups, runs, stream);
  }
  void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    cast(lookups, &runs->begin, 2, true, stream);
    search_ranges(*order_, buckets_, lookups, runs, stream);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {{"acceleration structure", scene_.representative_bytes()},
            {"markers", scene_.marker_bytes()}};
  }

  [[nodiscard]] std::string describe() const override {
    const SceneCosts costs = scene_.costs();
    return describe_tracer(options_.device) +
           fmt::format(
               "buckets: {} of {} sorted keys, {} representatives, {} row markers, {} plane "
               "markers\n"
               "{}rays: 1 to 3 for the end of a lookup, along x, y and z{}\n"
               "build: {} working memory, {} uncompacted, {} final\n"
               "times: convert {:.3f} ms, build {:.3f} ms, compact {:.3f} ms\n",
               buckets_.count(), buckets_.size, scene_.representatives(), scene_.row_markers(),
               scene_.plane_markers(), dropped_text(scene_.dropped_bits()), structures_text(),
               human_bytes(costs.temporary), human_bytes(costs.uncompacted),
               human_bytes(scene_.representative_bytes() + scene_.marker_bytes()), costs.convert_ms,
               costs.build_ms, costs.compact_ms);
  }

 private:
  static_assert(sizeof(Run) == 2 * sizeof(std::uint32_t));

  // The number of acceleration structures that a ray may traverse.
  [[nodiscard]] std::string structures_text() const {
    const BucketView view = scene_.view();
    const std::uint32_t max_structures =
        std::max(view.representatives.structure_count, view.markers.structure_count);
    return max_structures < 2 ? ""
                              : fmt::format(", each through up to {} structures", max_structures);
  }

  // Writes the bucket of each lookup, or of both its ends, to the output of the lookup, from where
  // the search reads it.
  void cast(const DeviceLookups& lookups, std::uint32_t* buckets, std::uint32_t stride,
            bool both_ends, cudaStream_t stream) const {
    // An empty column has no scene, and its search reads no bucket.
    if (buckets_.keys == 0) return;
    BucketParams params{};
    params.scene = scene_.view();
    params.lookups = lookups;
    params.both_ends = both_ends;
    params.stride = stride;
    params.buckets = buckets;
    pipeline_->launch(params, both_ends ? 2 * lookups.count : lookups.count, {memory_, stream});
  }

  SceneOptions options_;
  const cuda::DeviceOrder* order_;
  Buckets buckets_;
  std::shared_ptr<DeviceMemory> memory_;
  BucketScene scene_;
  const Pipeline* pipeline_;
};

}  // namespace

std::unique_ptr<cuda::PositionSearcher> make_bucket_locator(const SceneOptions& options,
                                                            const cuda::DeviceOrder& order,
                                                            const cuda::Queue& queue) {
  return std::make_unique<BucketLocator>(options, order, queue);
}

}  // namespace rtindex::optix
