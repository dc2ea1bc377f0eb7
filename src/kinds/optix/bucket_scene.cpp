#include "kinds/optix/bucket_scene.hpp"

#include <algorithm>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"

namespace rtindex::optix {

namespace {

using List = cuda::DeviceArray<std::uint32_t>;

// The first list followed by the second.
List joined(const List& first, const List& second, const cuda::Queue& queue) {
  List both(queue, first.size() + second.size());
  const auto copy = [&](std::uint32_t* to, const List& from) {
    if (!from.empty())
      cuda::check(cudaMemcpyAsync(to, from.data(), from.bytes(), cudaMemcpyDeviceToDevice, queue),
                  "copying on the GPU");
  };
  copy(both.data(), first);
  copy(both.data() + first.size(), second);
  return both;
}

}  // namespace

BucketScene::BucketScene(const SceneOptions& options, const cuda::DeviceOrder& order,
                         const Buckets& buckets, const cuda::Queue& queue)
    : options_(options),
      space_{options.rx.coordinates},
      last_key_(order.last_key()),
      wide_(order.is_wide()) {
  if (buckets.count() != 0) find_buckets(order, buckets, queue);
  const auto make = [&](const Part& part, bool are_markers) {
    const BucketTriangles triangles{part.buckets.empty() ? nullptr : part.buckets.data(),
                                    are_markers, static_cast<std::uint32_t>(row_markers_)};
    return std::make_unique<Scene>(
        options, part.size,
        [&, triangles](std::size_t first, std::size_t count, void* to) {
          place_triangles(order, buckets, space_, triangles, first, count,
                          static_cast<Triangle*>(to), queue);
        },
        queue);
  };
  representatives_.scene = make(representatives_, false);
  markers_.scene = make(markers_, true);
}

void BucketScene::find_buckets(const cuda::DeviceOrder& order, const Buckets& buckets,
                               const cuda::Queue& queue) {
  space_.dropped = options_.rx.drop ? *options_.rx.drop
                                    : bits_to_drop(highest_differences(order, buckets, queue),
                                                   space_.coordinates, last_key_);
  space_.last_key = last_key_ >> space_.dropped;
  const auto widest = [&](BucketRole role) {
    return widest_gap(order, buckets, space_, role, queue);
  };
  const auto of_markers = [&](BucketRole role) {
    return has_markers(space_.coordinates, role, space_.last_key) ? widest(role) : 0;
  };
  space_.widest = {widest(BucketRole::representative), of_markers(BucketRole::row_marker),
                   of_markers(BucketRole::plane_marker)};
  representatives_.size = buckets.count();
  if (!order.unique() || space_.dropped != 0) {
    representatives_.buckets =
        first_buckets(order, buckets, space_, BucketRole::representative, queue);
    representatives_.size = representatives_.buckets.size();
    if (representatives_.size == buckets.count()) representatives_.buckets = List();
  }
  find_markers(order, buckets, queue);
  // Triangles are numbered with 32 bits.
  constexpr std::size_t max_triangles = 0xffffffffU;
  if (markers_.size > max_triangles)
    fail(ErrorKind::unsupported,
         "{} buckets need {} markers, and rx:optix holds at most {}: use a larger bucket",
         buckets.count(), markers_.size, max_triangles);
}

void BucketScene::find_markers(const cuda::DeviceOrder& order, const Buckets& buckets,
                               const cuda::Queue& queue) {
  const auto find = [&](BucketRole role) {
    if (!has_markers(space_.coordinates, role, space_.last_key)) return List();
    return first_buckets(order, buckets, space_, role, queue);
  };
  List rows = find(BucketRole::row_marker);
  row_markers_ = rows.size();
  const List planes = find(BucketRole::plane_marker);
  markers_.buckets = planes.empty() ? std::move(rows) : joined(rows, planes, queue);
  markers_.size = markers_.buckets.size();
}

BucketPart BucketScene::Part::view(std::size_t structure_size) const {
  return {scene->structures(), static_cast<std::uint32_t>(scene->structure_count()),
          static_cast<std::uint32_t>(structure_size), buckets.empty() ? nullptr : buckets.data()};
}

BucketView BucketScene::view() const {
  return {space_, last_key_, wide_, representatives_.view(options_.split),
          markers_.view(options_.split)};
}

SceneCosts BucketScene::costs() const {
  SceneCosts costs = representatives_.scene->costs();
  const SceneCosts& markers = markers_.scene->costs();
  costs.convert_ms += markers.convert_ms;
  costs.build_ms += markers.build_ms;
  costs.compact_ms += markers.compact_ms;
  costs.primitives += markers.primitives;
  costs.temporary = std::max(costs.temporary, markers.temporary);
  costs.uncompacted += markers.uncompacted;
  return costs;
}

}  // namespace rtindex::optix
