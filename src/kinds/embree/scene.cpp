#include "kinds/embree/scene.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "kinds/embree/box_scene.hpp"
#include "kinds/embree/device.hpp"

namespace rtindex {

namespace {

constexpr std::size_t primitive_grain = std::size_t{1} << 14;

}  // namespace

EmbreeScene::EmbreeScene(const RxOptions& options, const EncodedColumn& column, int threads)
    : options_(options), column_(&column), device_(threads) {
  if (options.primitive == Primitive::triangle && column.size() > TriangleBuffers::max_triangles)
    fail(ErrorKind::unsupported,
         "rx:embree holds at most {} triangles and the column has {} keys: use primitive=aabb",
         TriangleBuffers::max_triangles, column.size());
  scene_ = rtcNewScene(device_.get());
  try {
    device_.check("making a scene");
    int flags = RTC_SCENE_FLAG_NONE;
    if (options.compact) flags |= RTC_SCENE_FLAG_COMPACT;
    if (options.update == Update::refit) flags |= RTC_SCENE_FLAG_DYNAMIC;
    rtcSetSceneFlags(scene_, static_cast<RTCSceneFlags>(flags));
    // HIGH may split a primitive, and its two halves would count twice.
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
    if (column.size() != 0) add_geometry();
    device_.commit(scene_);
  } catch (...) {
    rtcReleaseScene(scene_);
    throw;
  }
}

EmbreeScene::~EmbreeScene() { rtcReleaseScene(scene_); }

void EmbreeScene::add_geometry() {
  RTCGeometry geometry = nullptr;
  switch (options_.primitive) {
    case Primitive::triangle: geometry = make_triangles(); break;
    case Primitive::sphere: geometry = make_spheres(); break;
    case Primitive::aabb: geometry = make_boxes(); break;
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_, geometry, 0);
  rtcReleaseGeometry(geometry);
  device_.check("adding the primitives");
}

void EmbreeScene::set_primitive(std::size_t primitive) {
  const std::uint64_t key = column_->keys[primitive];
  if (options_.primitive == Primitive::triangle)
    triangles_[primitive] = triangle_at(options_.coordinates, key);
  else if (options_.primitive == Primitive::sphere)
    spheres_[primitive] = {options_.coordinates.point_of(key),
                           sphere_radius * options_.coordinates.scale};
}

RTCGeometry EmbreeScene::make_triangles() {
  const std::size_t size = column_->size();
  triangles_ = TriangleBuffers(size);
  parallel_for(size, primitive_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) set_primitive(i);
  });
  RTCGeometry geometry = triangles_.geometry(device_.get());
  rtcSetGeometryOccludedFilterFunction(geometry, filter_triangle);
  rtcSetGeometryIntersectFilterFunction(geometry, filter_triangle);
  return geometry;
}

RTCGeometry EmbreeScene::make_spheres() {
  spheres_ = Array<Sphere>(column_->size());
  parallel_for(column_->size(), primitive_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) set_primitive(i);
  });
  RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_SPHERE_POINT);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                             spheres_.data(), 0, sizeof(Sphere), column_->size());
  rtcSetGeometryOccludedFilterFunction(geometry, filter_sphere);
  rtcSetGeometryIntersectFilterFunction(geometry, filter_sphere);
  return geometry;
}

RTCGeometry EmbreeScene::make_boxes() {
  RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(column_->size()));
  rtcSetGeometryUserData(geometry, this);
  rtcSetGeometryBoundsFunction(geometry, bound_box, this);
  rtcSetGeometryOccludedFunction(geometry, test_key);
  rtcSetGeometryIntersectFunction(geometry, find_box);
  return geometry;
}

void EmbreeScene::filter_triangle(const RTCFilterFunctionNArguments* arguments) {
  EmbreeQuery& query = query_of(arguments->context);
  if (query.counters != nullptr) ++query.counters->hits;
  const unsigned primitive = RTCHitN_primID(arguments->hit, arguments->N, 0);
  const bool counts =
      query.compare == nullptr || query.ray_keys.contains(query.compare->keys[primitive]);
  // After a rejected hit the ray continues to the next one.
  arguments->valid[0] = counts && query.on_hit(query.receiver, primitive) ? -1 : 0;
}

void EmbreeScene::filter_sphere(const RTCFilterFunctionNArguments* arguments) {
  const unsigned n = arguments->N;
  const float along = RTCHitN_Ng_x(arguments->hit, n, 0) * RTCRayN_dir_x(arguments->ray, n, 0) +
                      RTCHitN_Ng_y(arguments->hit, n, 0) * RTCRayN_dir_y(arguments->ray, n, 0) +
                      RTCHitN_Ng_z(arguments->hit, n, 0) * RTCRayN_dir_z(arguments->ray, n, 0);
  // The ray hits each sphere twice; only the entry counts.
  if (along < 0) {
    filter_triangle(arguments);
    return;
  }
  EmbreeQuery& query = query_of(arguments->context);
  if (query.counters != nullptr) ++query.counters->hits;
  arguments->valid[0] = 0;
}

void EmbreeScene::bound_box(const RTCBoundsFunctionArguments* arguments) {
  const auto* scene = static_cast<const EmbreeScene*>(arguments->geometryUserPtr);
  set_bounds(arguments,
             box_at(scene->options_.coordinates, scene->column_->keys[arguments->primID]));
}

// Boxes of neighbouring keys touch from 2^22 on: the keys decide, not the coordinates.
void EmbreeScene::test_key(const RTCOccludedFunctionNArguments* arguments) {
  const auto* scene = static_cast<const EmbreeScene*>(arguments->geometryUserPtr);
  test_box(arguments, arguments->primID, [&](const EmbreeQuery& query) {
    return query.ray_keys.contains(scene->column_->keys[arguments->primID]);
  });
}

// A box is hit at the coordinate of its key along x, the direction of all rays of closest().
void EmbreeScene::find_box(const RTCIntersectFunctionNArguments* arguments) {
  if (arguments->valid[0] == 0) return;
  const auto* scene = static_cast<const EmbreeScene*>(arguments->geometryUserPtr);
  EmbreeQuery& query = query_of(arguments->context);
  if (query.counters != nullptr) ++query.counters->tested;
  const unsigned n = arguments->N;
  RTCRayN* const ray = RTCRayHitN_RayN(arguments->rayhit, n);
  const std::uint64_t key = scene->column_->keys[arguments->primID];
  if (!query.ray_keys.contains(key)) return;
  const Coordinates& coordinates = scene->options_.coordinates;
  const float t = (coordinates.x_of(coordinates.place_of(key)) - RTCRayN_org_x(ray, n, 0)) *
                  RTCRayN_dir_x(ray, n, 0);
  if (t > RTCRayN_tfar(ray, n, 0)) return;
  if (query.counters != nullptr) ++query.counters->hits;
  if (!query.on_hit(query.receiver, arguments->primID)) return;
  RTCRayN_tfar(ray, n, 0) = t;
  RTCHitN* const hit = RTCRayHitN_HitN(arguments->rayhit, n);
  RTCHitN_geomID(hit, n, 0) = arguments->geomID;
  RTCHitN_primID(hit, n, 0) = arguments->primID;
}

std::uint32_t EmbreeScene::closest(const Ray& ray, EmbreeQuery& query) const {
  query.compare = column_;
  if (query.counters != nullptr) ++query.counters->rays;
  RTCRayHit found{};
  found.ray = embree_ray(ray);
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  found.hit.primID = no_primitive;
  intersect(scene_, query.base, found);
  return found.hit.geomID == RTC_INVALID_GEOMETRY_ID ? no_primitive : found.hit.primID;
}

void EmbreeScene::trace(const Ray& ray, EmbreeQuery& query) const {
  query.compare = ray.t_decides ? nullptr : column_;
  if (query.counters != nullptr) ++query.counters->rays;
  RTCRay traced = embree_ray(ray);
  occluded(scene_, query.base, traced);
}

void EmbreeScene::trace_row(std::uint64_t row, Interval range, EmbreeQuery& query) const {
  query.ray_keys = keys_in_row(options_.coordinates, range, row);
  trace(range_ray(options_.coordinates, options_.range, range, row), query);
}

void EmbreeScene::trace_range(const RowDirectory& directory, Interval range, EmbreeQuery& query,
                              const bool& done) const {
  if (column_->size() == 0) return;
  const std::uint64_t first = options_.coordinates.row_of(range.lower);
  const std::uint64_t last = options_.coordinates.row_of(range.upper);
  if (directory.size() == 0 || last - first < few_rows) {
    for (std::uint64_t row = first; row <= last && !done; ++row) trace_row(row, range, query);
    return;
  }
  for (std::size_t i = directory.find(first); i < directory.size() && directory[i] <= last && !done;
       ++i)
    trace_row(directory[i], range, query);
}

void EmbreeScene::refit(std::span<const std::uint32_t> primitives) {
  parallel_for(primitives.size(), primitive_grain, [&](std::size_t first, std::size_t count) {
    for (const std::uint32_t primitive : primitives.subspan(first, count)) set_primitive(primitive);
  });
  commit_refit();
  device_.check("refitting the acceleration structure");
}

void EmbreeScene::undo_refit(std::span<const std::uint32_t> primitives) noexcept {
  for (const std::uint32_t primitive : primitives) set_primitive(primitive);
  commit_refit();
  static_cast<void>(rtcGetDeviceError(device_.get()));
}

void EmbreeScene::commit_refit() {
  RTCGeometry geometry = rtcGetGeometry(scene_, 0);
  rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
  if (options_.primitive != Primitive::aabb)
    rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(geometry);
  rtcCommitScene(scene_);
}

std::size_t EmbreeScene::buffer_bytes() const { return triangles_.bytes() + spheres_.bytes(); }

}  // namespace rtindex
