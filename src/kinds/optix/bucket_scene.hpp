#pragma once

#include <cstddef>
#include <memory>

#include "kinds/optix/bucket_kernels.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/optix/scene.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::optix {

// The buckets of a column in acceleration structures: those of their representatives, and those of
// the markers of rows and planes.
class BucketScene {
 public:
  BucketScene(const SceneOptions& options, const cuda::DeviceOrder& order, const Buckets& buckets,
              const cuda::Queue& queue);

  [[nodiscard]] BucketView view() const;
  [[nodiscard]] unsigned build_flags() const { return representatives_.scene->build_flags(); }
  [[nodiscard]] int dropped_bits() const { return space_.dropped; }
  [[nodiscard]] std::size_t representatives() const { return representatives_.size; }
  [[nodiscard]] std::size_t row_markers() const { return row_markers_; }
  [[nodiscard]] std::size_t plane_markers() const { return markers_.size - row_markers_; }
  [[nodiscard]] std::size_t representative_bytes() const { return representatives_.bytes(); }
  [[nodiscard]] std::size_t marker_bytes() const { return markers_.bytes(); }
  // Of the structures of representatives and markers together.
  [[nodiscard]] SceneCosts costs() const;

 private:
  struct Part {
    std::size_t size = 0;
    cuda::DeviceArray<std::uint32_t> buckets;  // by triangle; empty: triangle i is bucket i
    std::unique_ptr<Scene> scene;

    [[nodiscard]] BucketPart view(std::size_t structure_size) const;
    [[nodiscard]] std::size_t bytes() const { return buckets.bytes() + scene->structure_bytes(); }
  };

  void find_buckets(const cuda::DeviceOrder& order, const Buckets& buckets,
                    const cuda::Queue& queue);
  void find_markers(const cuda::DeviceOrder& order, const Buckets& buckets,
                    const cuda::Queue& queue);

  SceneOptions options_;
  BucketSpace space_;
  std::uint64_t last_key_ = 0;
  bool wide_ = false;
  Part representatives_, markers_;
  std::size_t row_markers_ = 0;  // the first ones of all markers
};

}  // namespace rtindex::optix
