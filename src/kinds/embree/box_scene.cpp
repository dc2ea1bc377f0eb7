#include "kinds/embree/box_scene.hpp"

namespace rtindex {

BoxScene::BoxScene(std::size_t size, void* owner, const Callbacks& callbacks,
                   const Options& options)
    : device_(options.threads), scene_(rtcNewScene(device_.get())) {
  try {
    device_.check("making a scene");
    rtcSetSceneFlags(scene_, options.compact ? RTC_SCENE_FLAG_COMPACT : RTC_SCENE_FLAG_NONE);
    // HIGH may split a box, and its two halves would count twice.
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
    if (size != 0) {
      RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_USER);
      rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(size));
      rtcSetGeometryUserData(geometry, owner);
      rtcSetGeometryBoundsFunction(geometry, callbacks.bounds, owner);
      rtcSetGeometryOccludedFunction(geometry, callbacks.test);
      rtcCommitGeometry(geometry);
      rtcAttachGeometryByID(scene_, geometry, 0);
      rtcReleaseGeometry(geometry);
      device_.check("adding the boxes");
    }
    device_.commit(scene_);
  } catch (...) {
    rtcReleaseScene(scene_);
    throw;
  }
}

BoxScene::~BoxScene() { rtcReleaseScene(scene_); }

void BoxScene::trace(const Ray& ray, EmbreeQuery& query) const {
  if (query.counters != nullptr) ++query.counters->rays;
  RTCRay traced = embree_ray(ray);
  occluded(scene_, query.base, traced);
}

}  // namespace rtindex
