#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kinds/embree/triangle_scene.hpp"
#include "kinds/scene/buckets.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

// The buckets of a column in two Embree scenes: their representatives, and the markers of rows and
// planes.
class EmbreeBuckets {
 public:
  // The largest key of a bucket; called while the scenes are made, by many threads.
  using LargestKey = std::function<std::uint64_t(std::uint32_t bucket)>;

  EmbreeBuckets(const RxOptions& options, const Buckets& buckets, const LargestKey& whole_key,
                int threads);

  // The bucket that holds the first key >= `key`, as rays see it (find_bucket), or no_bucket. Adds
  // the number of rays that were cast.
  [[nodiscard]] std::uint32_t find(std::uint64_t key, std::uint64_t& rays) const;

  [[nodiscard]] int dropped_bits() const { return space_.dropped; }
  [[nodiscard]] std::size_t representatives() const { return representatives_.size; }
  [[nodiscard]] std::size_t row_markers() const { return row_markers_; }
  [[nodiscard]] std::size_t plane_markers() const { return markers_.size - row_markers_; }
  [[nodiscard]] std::size_t representative_bytes() const { return representatives_.bytes(); }
  [[nodiscard]] std::size_t marker_bytes() const { return markers_.bytes(); }
  [[nodiscard]] std::size_t peak_bytes() const;

 private:
  // Triangles and their buckets.
  struct Part {
    std::size_t size = 0;
    std::vector<std::uint32_t> buckets;    // of each triangle; empty: triangle i is bucket i
    std::unique_ptr<TriangleScene> scene;  // none where it would be empty

    [[nodiscard]] std::uint32_t closest(const Ray& ray) const;
    [[nodiscard]] std::size_t bytes() const;
  };

  BucketSpace space_;
  std::uint64_t last_key_ = 0;
  Part representatives_, markers_;
  std::size_t row_markers_ = 0;  // the first ones of all markers
};

}  // namespace rtindex
