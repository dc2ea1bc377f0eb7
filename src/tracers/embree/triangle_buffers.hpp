#pragma once

#include <cstddef>
#include <cstdint>

#include "base/array.hpp"
#include "scene/primitives.hpp"
#include "tracers/embree/api.hpp"

namespace rtindex {

// Triangles in the memory that Embree reads them from; they must not move while a scene has them.
class TriangleBuffers {
 public:
  // An Embree triangle names its corners by 32-bit numbers.
  static constexpr std::size_t most = 0xffffffffU / 3;

  TriangleBuffers() = default;
  explicit TriangleBuffers(std::size_t size);

  [[nodiscard]] Triangle& operator[](std::size_t i) { return triangles_[i]; }
  [[nodiscard]] std::size_t size() const { return triangles_.size(); }
  [[nodiscard]] std::size_t bytes() const { return triangles_.bytes() + corners_.bytes(); }

  // A new geometry of all of them, not yet committed.
  [[nodiscard]] RTCGeometry geometry(RTCDevice device);

 private:
  Array<Triangle> triangles_;
  Array<std::uint32_t> corners_;  // Embree wants triangles indexed: 0, 1, 2, ...
};

}  // namespace rtindex
