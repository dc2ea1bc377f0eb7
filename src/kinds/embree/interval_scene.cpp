#include "kinds/embree/interval_scene.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t box_grain = std::size_t{1} << 14;

}  // namespace

IntervalScene::IntervalScene(const RxOptions& options, const EncodedColumn& column, int threads)
    : coordinates_(options.coordinates), device_(threads) {
  make_boxes(column);
  scene_ = rtcNewScene(device_.get());
  try {
    device_.check("making a scene");
    rtcSetSceneFlags(scene_, options.compact ? RTC_SCENE_FLAG_COMPACT : RTC_SCENE_FLAG_NONE);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
    if (boxes() != 0) add_geometry();
    rtcCommitScene(scene_);
    device_.check("building the acceleration structure");
  } catch (...) {
    rtcReleaseScene(scene_);
    throw;
  }
}

IntervalScene::~IntervalScene() { rtcReleaseScene(scene_); }

void IntervalScene::make_boxes(const EncodedColumn& column) {
  const auto split = [&](std::size_t i, Interval(&boxes)[max_interval_boxes]) {
    return static_cast<std::size_t>(
        boxes_of(coordinates_, {column.keys[i], column.ends[i]}, boxes));
  };
  // The first box of each block of intervals.
  const std::size_t blocks = (column.size() + box_grain - 1) / box_grain;
  Array<std::size_t> first_boxes(blocks + 1);
  first_boxes[0] = 0;
  parallel_for(column.size(), box_grain, [&](std::size_t first, std::size_t count) {
    Interval boxes[max_interval_boxes];
    std::size_t total = 0;
    for (std::size_t i = first; i < first + count; ++i) total += split(i, boxes);
    first_boxes[first / box_grain + 1] = total;
  });
  for (std::size_t i = 0; i < blocks; ++i) first_boxes[i + 1] += first_boxes[i];
  const std::size_t total = first_boxes[blocks];
  if (total > std::numeric_limits<std::uint32_t>::max())
    fail(ErrorKind::unsupported,
         "rx:embree holds at most 2^32 - 1 boxes and the intervals take {}: use rx:native or more "
         "x bits",
         total);
  intervals_ = Array<std::uint32_t>(total);
  first_keys_ = PackedKeys(total, column.span);
  last_keys_ = PackedKeys(total, column.span);
  parallel_for(column.size(), box_grain, [&](std::size_t first, std::size_t count) {
    std::size_t box = first_boxes[first / box_grain];
    for (std::size_t i = first; i < first + count; ++i) {
      Interval boxes[max_interval_boxes];
      const std::size_t size = split(i, boxes);
      for (std::size_t k = 0; k < size; ++k, ++box) {
        intervals_[box] = static_cast<std::uint32_t>(i);
        first_keys_.set(box, boxes[k].lower);
        last_keys_.set(box, boxes[k].upper);
      }
    }
  });
}

void IntervalScene::add_geometry() {
  RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes()));
  rtcSetGeometryUserData(geometry, this);
  rtcSetGeometryBoundsFunction(geometry, bound_box, this);
  rtcSetGeometryOccludedFunction(geometry, test_box);
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_, geometry, 0);
  rtcReleaseGeometry(geometry);
  device_.check("adding the boxes");
}

void IntervalScene::bound_box(const RTCBoundsFunctionArguments* arguments) {
  const auto* scene = static_cast<const IntervalScene*>(arguments->geometryUserPtr);
  const Box box = box_between(scene->coordinates_, scene->keys_of(arguments->primID));
  RTCBounds& bounds = *arguments->bounds_o;
  bounds.lower_x = box.lower.x;
  bounds.lower_y = box.lower.y;
  bounds.lower_z = box.lower.z;
  bounds.upper_x = box.upper.x;
  bounds.upper_y = box.upper.y;
  bounds.upper_z = box.upper.z;
}

// Boxes of neighbouring keys touch from 2^22 on: the keys decide, not the coordinates.
void IntervalScene::test_box(const RTCOccludedFunctionNArguments* arguments) {
  if (arguments->valid[0] == 0) return;
  const auto* scene = static_cast<const IntervalScene*>(arguments->geometryUserPtr);
  EmbreeQuery& query = query_of(arguments->context);
  if (query.counters != nullptr) ++query.counters->tested;
  if (!scene->keys_of(arguments->primID).contains(query.ray_keys.lower)) return;
  if (query.counters != nullptr) ++query.counters->hits;
  if (query.on_hit(query.receiver, scene->intervals_[arguments->primID]))
    RTCRayN_tfar(arguments->ray, arguments->N, 0) = -std::numeric_limits<float>::infinity();
}

void IntervalScene::trace(std::uint64_t key, EmbreeQuery& query) const {
  query.ray_keys = {key, key};
  if (query.counters != nullptr) ++query.counters->rays;
  RTCRay ray = embree_ray(perpendicular_ray(coordinates_, key));
  occluded(scene_, query.base, ray);
}

}  // namespace rtindex
