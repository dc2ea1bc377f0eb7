#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "scene/rays.hpp"
#include "tracers/embree/device.hpp"
#include "tracers/embree/triangle_buffers.hpp"

namespace rtindex {

// Triangles in an Embree scene that tells which of them a ray meets first.
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
