#include "kinds/embree/triangle_scene.hpp"

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

namespace {

constexpr std::size_t vertex_grain = std::size_t{1} << 14;

}  // namespace

TriangleScene::TriangleScene(std::size_t count,
                             const std::function<Triangle(std::size_t)>& triangle,
                             const Options& options)
    : device_(options.threads), triangles_(count) {
  parallel_for(count, vertex_grain, [&](std::size_t first, std::size_t size) {
    for (std::size_t i = first; i < first + size; ++i) triangles_[i] = triangle(i);
  });
  scene_ = rtcNewScene(device_.get());
  try {
    device_.check("making a scene");
    rtcSetSceneFlags(scene_, options.compact ? RTC_SCENE_FLAG_COMPACT : RTC_SCENE_FLAG_NONE);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
    if (count != 0) {
      RTCGeometry geometry = triangles_.geometry(device_.get());
      rtcCommitGeometry(geometry);
      rtcAttachGeometryByID(scene_, geometry, 0);
      rtcReleaseGeometry(geometry);
      device_.check("adding the triangles");
    }
    device_.commit(scene_);
  } catch (...) {
    rtcReleaseScene(scene_);
    throw;
  }
}

TriangleScene::~TriangleScene() { rtcReleaseScene(scene_); }

std::uint32_t TriangleScene::closest(const Ray& ray) const {
  RTCRayHit hit{};
  hit.ray = embree_ray(ray);
  hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  hit.hit.primID = no_triangle;
  EmbreeContext context;
  init_context(context);
  intersect(scene_, context, hit);
  return hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? no_triangle : hit.hit.primID;
}

}  // namespace rtindex
