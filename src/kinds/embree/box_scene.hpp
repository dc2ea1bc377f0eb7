#pragma once

#include <cstddef>
#include <limits>

#include "kinds/embree/device.hpp"
#include "kinds/embree/query.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex {

// Returns the bounds of a primitive to Embree.
inline void set_bounds(const RTCBoundsFunctionArguments* arguments, const Aabb& box) {
  RTCBounds& bounds = *arguments->bounds_o;
  bounds.lower_x = box.lower.x;
  bounds.lower_y = box.lower.y;
  bounds.lower_z = box.lower.z;
  bounds.upper_x = box.upper.x;
  bounds.upper_y = box.upper.y;
  bounds.upper_z = box.upper.z;
}

// Tests a box that a ray may hit: where matches(query) holds, on_hit() gets `element`. Embree also
// tests boxes near the ray.
template <class Matches>
void test_box(const RTCOccludedFunctionNArguments* arguments, std::uint32_t element,
              const Matches& matches) {
  if (arguments->valid[0] == 0) return;
  EmbreeQuery& query = query_of(arguments->context);
  if (query.counters != nullptr) ++query.counters->tested;
  if (!matches(query)) return;
  if (query.counters != nullptr) ++query.counters->hits;
  if (query.on_hit(query.receiver, element))
    RTCRayN_tfar(arguments->ray, arguments->N, 0) = -std::numeric_limits<float>::infinity();
}

// Boxes in an Embree scene. Callbacks of their owner compute and test them.
class BoxScene {
 public:
  struct Callbacks {
    RTCBoundsFunction bounds;
    RTCOccludedFunctionN test;
  };
  struct Options {
    bool compact = false;
    int threads = 0;  // 0: all
  };

  // `owner` is passed to the callbacks; it must outlive the scene and must not move.
  BoxScene(std::size_t size, void* owner, const Callbacks& callbacks, const Options& options);
  ~BoxScene();
  BoxScene(const BoxScene&) = delete;
  BoxScene& operator=(const BoxScene&) = delete;

  // Tests all boxes that the ray hits, until on_hit() returns true.
  void trace(const Ray& ray, EmbreeQuery& query) const;

  [[nodiscard]] std::size_t bytes() const { return device_.bytes(); }
  [[nodiscard]] std::size_t peak_bytes() const { return device_.peak_bytes(); }

 private:
  EmbreeDevice device_;
  RTCScene scene_ = nullptr;
};

}  // namespace rtindex
