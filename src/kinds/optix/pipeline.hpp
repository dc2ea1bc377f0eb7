#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/cuda/queue.hpp"
#include "base/cuda/runtime.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/optix/library.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex::optix {

// Modules of device programs: for every task; for perpendicular rays of point lookups, which carry
// their hits in registers; for the first or last key of a range, by closest hits; for intervals, in
// two scenes of boxes; for box queries, in a scene of points; and for buckets, by the closest hits
// of triangles.
enum class Programs : std::uint8_t { all, points, edges, intervals, boxes, buckets };

// Device programs compiled for one GPU and one kind of primitive.
class Pipeline {
 public:
  // Created once per process and kept: the driver takes most of a second to compile one.
  // `build_flags` are those of the structures that its rays traverse.
  [[nodiscard]] static const Pipeline& get(int device, Programs programs, Primitive primitive,
                                           unsigned build_flags);

  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Launches so many threads: BucketParams for Programs::buckets, LaunchParams for all others.
  template <class Params>
  void launch(Params params, std::size_t threads, const cuda::Queue& queue) const;

 private:
  Pipeline(int device, Programs programs, Primitive primitive, unsigned build_flags);
  ~Pipeline() = default;  // never called: see get()

  void make_programs(Programs programs, Primitive primitive, unsigned build_flags);
  void make_table();

  Context context_;
  // OptiX: a pipeline is launched by one thread at a time, and its launches do not overlap.
  mutable std::mutex launching_;
  cuda::Event launched_;
  PipelineRef pipeline_ = nullptr;
  Program programs_[3] = {};  // raygen, miss, hit
  BindingTable table_{};
};

}  // namespace rtindex::optix
