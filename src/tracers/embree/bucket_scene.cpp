#include "tracers/embree/bucket_scene.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace rtindex {

namespace {

void require_room(std::size_t triangles) {
  if (triangles > TriangleBuffers::most)
    fail("rx:embree holds at most {} triangles and these buckets need {}: use a larger bucket",
         TriangleBuffers::most, triangles);
}

}  // namespace

EmbreeBuckets::EmbreeBuckets(const RxOptions& options, const Buckets& buckets,
                             const LargestKey& largest_key, int threads)
    : options_(options) {
  if (buckets.count() == 0) return;
  const Coordinates& coordinates = options.coordinates;
  last_key_ = largest_key(buckets.count() - 1);
  const auto add_firsts = [&](BucketRole role, std::vector<std::uint32_t>& list) {
    std::uint64_t before = 0;
    for (std::uint32_t bucket = 0; bucket < buckets.count(); ++bucket) {
      const std::uint64_t key = largest_key(bucket);
      if (bucket == 0 || is_first(coordinates, role, before, key)) list.push_back(bucket);
      before = key;
    }
  };
  add_firsts(BucketRole::representative, representatives_.buckets);
  representatives_.size = representatives_.buckets.size();
  if (representatives_.size == buckets.count()) representatives_.buckets = {};
  if (has_markers(coordinates, BucketRole::row_marker, last_key_))
    add_firsts(BucketRole::row_marker, markers_.buckets);
  row_markers_ = markers_.buckets.size();
  if (has_markers(coordinates, BucketRole::plane_marker, last_key_))
    add_firsts(BucketRole::plane_marker, markers_.buckets);
  markers_.size = markers_.buckets.size();
  require_room(std::max(representatives_.size, markers_.size));

  const TriangleScene::Options scene_options{options.compact, threads};
  representatives_.scene = std::make_unique<TriangleScene>(
      representatives_.size,
      [&](std::size_t i) {
        const auto& named = representatives_.buckets;
        const std::uint32_t bucket = named.empty() ? static_cast<std::uint32_t>(i) : named[i];
        return bucket_triangle(coordinates, BucketRole::representative, largest_key(bucket));
      },
      scene_options);
  if (markers_.size == 0) return;
  markers_.scene = std::make_unique<TriangleScene>(
      markers_.size,
      [&](std::size_t i) {
        const BucketRole role =
            i < row_markers_ ? BucketRole::row_marker : BucketRole::plane_marker;
        return bucket_triangle(coordinates, role, largest_key(markers_.buckets[i]));
      },
      scene_options);
}

std::uint32_t EmbreeBuckets::Part::closest(const Ray& ray) const {
  if (scene == nullptr) return no_bucket;
  const std::uint32_t triangle = scene->closest(ray);
  if (triangle == TriangleScene::no_triangle) return no_bucket;
  return buckets.empty() ? triangle : buckets[triangle];
}

std::size_t EmbreeBuckets::Part::bytes() const {
  return buckets.capacity() * sizeof(std::uint32_t) + (scene ? scene->bytes() : 0);
}

std::uint32_t EmbreeBuckets::find(std::uint64_t key, std::uint64_t& rays) const {
  if (representatives_.size == 0 || key > last_key_) return no_bucket;
  return find_bucket(
      options_.coordinates, key, last_key_,
      [&](const Ray& ray) {
        ++rays;
        return representatives_.closest(ray);
      },
      [&](const Ray& ray) {
        ++rays;
        return markers_.closest(ray);
      });
}

std::size_t EmbreeBuckets::peak_bytes() const {
  std::size_t bytes = representative_bytes() + marker_bytes();
  if (representatives_.scene)
    bytes += representatives_.scene->peak_bytes() - representatives_.scene->bytes();
  return bytes;
}

}  // namespace rtindex
