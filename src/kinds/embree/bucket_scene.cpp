#include "kinds/embree/bucket_scene.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace rtindex {

namespace {

void require_room(std::size_t triangles) {
  if (triangles > TriangleBuffers::max_triangles)
    fail(ErrorKind::unsupported,
         "rx:embree holds at max_gap {} triangles and these buckets need {}: use a larger bucket",
         TriangleBuffers::max_triangles, triangles);
}

// Calls visit(largest key of a bucket, that of the next one).
template <class Visit>
void for_each_pair(const Buckets& buckets, const EmbreeBuckets::LargestKey& largest_key,
                   Visit&& visit) {
  std::uint64_t before = largest_key(0);
  for (std::uint32_t bucket = 1; bucket < buckets.count(); ++bucket) {
    const std::uint64_t key = largest_key(bucket);
    visit(before, key);
    before = key;
  }
}

BucketSpace space_of(const RxOptions& options, const Buckets& buckets,
                     const EmbreeBuckets::LargestKey& largest_key) {
  BucketSpace space{options.coordinates};
  const std::uint64_t last_key = largest_key(buckets.count() - 1);
  if (options.drop) {
    space.dropped = *options.drop;
  } else {
    HighestDifferences differences{};
    for_each_pair(buckets, largest_key, [&](std::uint64_t before, std::uint64_t key) {
      if (before != key) ++differences[highest_difference(before, key)];
    });
    space.dropped = bits_to_drop(differences, space.coordinates, last_key);
  }
  space.last_key = last_key >> space.dropped;
  const auto widest = [&](BucketRole role) {
    std::uint32_t max_gap = steps_on_axis(space.coordinates, role, largest_key(0) >> space.dropped);
    for_each_pair(buckets, largest_key, [&](std::uint64_t before, std::uint64_t key) {
      max_gap = std::max(max_gap, gap_before(space.coordinates, role, before >> space.dropped,
                                             key >> space.dropped));
    });
    return max_gap;
  };
  const auto of_markers = [&](BucketRole role) {
    return has_markers(space.coordinates, role, space.last_key) ? widest(role) : 0;
  };
  space.widest = {widest(BucketRole::representative), of_markers(BucketRole::row_marker),
                  of_markers(BucketRole::plane_marker)};
  return space;
}

}  // namespace

EmbreeBuckets::EmbreeBuckets(const RxOptions& options, const Buckets& buckets,
                             const LargestKey& whole_key, int threads) {
  if (buckets.count() == 0) return;
  space_ = space_of(options, buckets, whole_key);
  last_key_ = whole_key(buckets.count() - 1);
  const Coordinates& coordinates = space_.coordinates;
  const auto largest_key = [&](std::uint32_t bucket) {
    return whole_key(bucket) >> space_.dropped;
  };
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
  if (has_markers(coordinates, BucketRole::row_marker, space_.last_key))
    add_firsts(BucketRole::row_marker, markers_.buckets);
  row_markers_ = markers_.buckets.size();
  if (has_markers(coordinates, BucketRole::plane_marker, space_.last_key))
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
      space_, key,
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
