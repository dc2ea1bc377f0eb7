#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/array.hpp"
#include "kinds/embree/device.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex {

// Triangles in the memory that Embree reads them from; they must not move while a scene refers to
// them.
class TriangleBuffers {
 public:
  // An Embree triangle names its corners by 32-bit numbers.
  static constexpr std::size_t max_triangles = 0xffffffffU / 3;

  TriangleBuffers() = default;
  explicit TriangleBuffers(std::size_t size);

  [[nodiscard]] Triangle& operator[](std::size_t i) { return triangles_[i]; }
  [[nodiscard]] std::size_t size() const { return triangles_.size(); }
  [[nodiscard]] std::size_t bytes() const { return triangles_.bytes() + corners_.bytes(); }

  // A new geometry of all of them, not yet committed.
  [[nodiscard]] RTCGeometry geometry(RTCDevice device);

 private:
  Array<Triangle> triangles_;
  Array<std::uint32_t> corners_;  // 0, 1, 2, ...: Embree requires indexed triangles
};

// Triangles in an Embree scene, for the closest hit of a ray.
class TriangleScene {
 public:
  static constexpr std::uint32_t no_triangle = RTC_INVALID_GEOMETRY_ID;

  struct Options {
    bool compact = false;
    int threads = 0;  // 0: all
  };

  // `triangle(i)` is called for every i below `count`, by many threads.
  TriangleScene(std::size_t count, const std::function<Triangle(std::size_t)>& triangle,
                const Options& options);
  ~TriangleScene();
  TriangleScene(const TriangleScene&) = delete;
  TriangleScene& operator=(const TriangleScene&) = delete;

  // The triangle of the ray's closest hit, or no_triangle.
  [[nodiscard]] std::uint32_t closest(const Ray& ray) const;

  [[nodiscard]] std::size_t bytes() const { return triangles_.bytes() + device_.bytes(); }
  [[nodiscard]] std::size_t peak_bytes() const { return triangles_.bytes() + device_.peak_bytes(); }

 private:
  EmbreeDevice device_;
  TriangleBuffers triangles_;
  RTCScene scene_ = nullptr;
};

}  // namespace rtindex
