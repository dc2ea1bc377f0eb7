#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/optix/library.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex::cuda {
class Stopwatch;
}

namespace rtindex::optix {

// How a scene is made on one GPU.
struct SceneOptions {
  RxOptions rx;
  int device = 0;
  std::size_t split = 0;  // keys of one acceleration structure at most
};

// Milliseconds and bytes of a build, in the paper's parts.
struct SceneCosts {
  double convert_ms = 0, build_ms = 0, compact_ms = 0, update_ms = 0;
  std::size_t primitives = 0;   // vertices, centres or boxes, of all structures
  std::size_t temporary = 0;    // the largest working memory of a build
  std::size_t uncompacted = 0;  // structures as they were built

  // Adds the costs of another scene of the same index.
  void add(const SceneCosts& other);
  // As Index::build_profile() has them.
  [[nodiscard]] std::vector<std::pair<std::string, double>> parts(
      std::size_t structure_bytes) const;
};

// The primitives of a column in acceleration structures, and the directory of its rows.
class Scene {
 public:
  // Writes primitives [first, first + count) to the input of an acceleration structure, on the
  // stream of the build.
  using WritePrimitives = std::function<void(std::size_t first, std::size_t count, void* to)>;

  Scene(const SceneOptions& options, const cuda::DeviceColumn& column, const cuda::Queue& queue);
  // Over `count` primitives that are not the keys of a column; cannot be refitted.
  Scene(const SceneOptions& options, std::size_t primitives, const WritePrimitives& write,
        const cuda::Queue& queue);

  // Moves the primitives to changed keys; structures keep their shape. Allocates all memory first:
  // if there is too little, nothing has changed.
  void refit(const cuda::DeviceColumn& column, const cuda::Queue& queue);

  [[nodiscard]] SceneView view(const cuda::DeviceColumn& column) const;
  [[nodiscard]] unsigned build_flags() const;
  [[nodiscard]] const SceneCosts& costs() const { return costs_; }
  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const {
    return costs_.parts(structure_bytes());
  }
  // In device memory: each of `split` primitives, the last of fewer.
  [[nodiscard]] const Traversable* structures() const { return handles_.data(); }
  [[nodiscard]] std::size_t structure_count() const { return parts_.size(); }
  [[nodiscard]] std::size_t structure_bytes() const;
  [[nodiscard]] std::size_t primitive_bytes() const;
  [[nodiscard]] std::size_t directory_bytes() const { return directory_.bytes(); }
  [[nodiscard]] std::size_t occupied_row_count() const { return directory_.size(); }

 private:
  // One acceleration structure. Primitives are kept only for refits.
  struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
    cuda::DeviceBytes primitives;
    cuda::DeviceBytes radius;
    cuda::DeviceBytes structure;
    Traversable handle = 0;
  };

  void build(Part& part, const WritePrimitives& write, cuda::Stopwatch& watch,
             const cuda::Queue& queue);
  void compact(Part& part, std::size_t bytes, const cuda::Queue& queue);
  // The input of a structure, and the memory of its build.
  struct Input;
  [[nodiscard]] BuildSizes sizes_of(const Input& input) const;
  void run_build(Part& part, const Input& input, int operation, const cuda::DeviceBytes& temporary,
                 const Emit* emit, cudaStream_t stream);
  // The rows that hold keys, if ranges need them.
  [[nodiscard]] cuda::DeviceArray<std::uint64_t> directory_of(const cuda::DeviceColumn& column,
                                                              const cuda::Queue& queue) const;
  [[nodiscard]] bool uses_directory(const cuda::DeviceColumn& column) const;
  void upload_handles(const cuda::Queue& queue);

  SceneOptions options_;
  Context context_;
  std::vector<Part> parts_;
  cuda::DeviceArray<Traversable> handles_;
  cuda::DeviceArray<std::uint64_t> directory_;
  SceneCosts costs_;
};

}  // namespace rtindex::optix
