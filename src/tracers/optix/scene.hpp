#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "tracers/optix/launch_params.hpp"
#include "tracers/optix/library.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex::optix {

class Stopwatch;

// How a scene is made on one GPU.
struct SceneOptions {
  RxOptions rx;
  int device = 0;
  std::size_t split = 0;  // keys of one acceleration structure at most
};

// Milliseconds and bytes of a build, in the paper's parts.
struct SceneCosts {
  double convert_ms = 0, build_ms = 0, compact_ms = 0, update_ms = 0;
  std::size_t temporary = 0;    // the largest working memory of a build
  std::size_t uncompacted = 0;  // structures as they were built
};

// The primitives of a column in acceleration structures, and what rays need beside them.
class Scene {
 public:
  Scene(const SceneOptions& options, const cuda::DeviceColumn& column,
        const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

  // The keys of the column have changed: structures keep their shape and take the new places.
  void refit(const cuda::DeviceColumn& column, cudaStream_t stream);

  [[nodiscard]] SceneView view(const cuda::DeviceColumn& column) const;
  [[nodiscard]] unsigned build_flags() const;
  [[nodiscard]] const SceneCosts& costs() const { return costs_; }
  [[nodiscard]] std::size_t structure_count() const { return parts_.size(); }
  [[nodiscard]] std::size_t structure_bytes() const;
  [[nodiscard]] std::size_t primitive_bytes() const;
  [[nodiscard]] std::size_t directory_bytes() const { return directory_.bytes(); }
  [[nodiscard]] std::size_t occupied_row_count() const { return directory_.size(); }

 private:
  // One structure. Primitives stay only where they are needed for a refit.
  struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
    cuda::DeviceBytes primitives;
    cuda::DeviceBytes radius;
    cuda::DeviceBytes structure;
    Traversable handle = 0;
  };

  void build(Part& part, const cuda::DeviceColumn& column, Stopwatch& watch, cudaStream_t stream);
  void compact(Part& part, std::size_t bytes, cudaStream_t stream);
  void run_build(Part& part, int operation, const Emit* emit, cudaStream_t stream);
  void make_directory(const cuda::DeviceColumn& column, cudaStream_t stream);
  void upload_handles(cudaStream_t stream);

  SceneOptions options_;
  std::shared_ptr<DeviceMemory> memory_;
  Context context_;
  std::vector<Part> parts_;
  cuda::DeviceArray<Traversable> handles_;
  cuda::DeviceArray<std::uint64_t> directory_;
  bool uses_directory_ = false;
  SceneCosts costs_;
};

}  // namespace rtindex::optix
