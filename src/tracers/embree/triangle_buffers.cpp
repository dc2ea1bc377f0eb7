#include "tracers/embree/triangle_buffers.hpp"

#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t corner_grain = std::size_t{1} << 16;

static_assert(sizeof(Triangle) == 9 * sizeof(float));

}  // namespace

TriangleBuffers::TriangleBuffers(std::size_t size) : triangles_(size), corners_(3 * size) {
  parallel_for(corners_.size(), corner_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t corner = first; corner < first + count; ++corner)
      corners_[corner] = static_cast<std::uint32_t>(corner);
  });
}

RTCGeometry TriangleBuffers::geometry(RTCDevice device) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                             triangles_.data(), 0, sizeof(Point), 3 * size());
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, corners_.data(),
                             0, 3 * sizeof(std::uint32_t), size());
  return geometry;
}

}  // namespace rtindex
