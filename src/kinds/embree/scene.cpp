#include "kinds/embree/scene.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "kinds/embree/box_scene.hpp"
#include "kinds/embree/device.hpp"

namespace rtindex {

namespace {

constexpr std::size_t primitive_grain = std::size_t{1} << 14;

}  // namespace

EmbreeScene::EmbreeScene(const RxOptions& options, const EncodedColumn& column, int threads)
    : options_(options),
      sphere_radius_(sphere_radius * options.coordinates.scale),
      column_(&column),
      device_(threads) {
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
    case Primitive::sphere:
    case Primitive::aabb: geometry = make_user_geometry(); break;
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_, geometry, 0);
  rtcReleaseGeometry(geometry);
  device_.check("adding the primitives");
}

void EmbreeScene::set_primitive(std::size_t primitive) {
  if (options_.primitive == Primitive::triangle)
    triangles_[primitive] = triangle_at(options_.coordinates, column_->keys[primitive]);
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

// Spheres are user geometry, too. Embree's own are kept in the tree of curves, whose boxes may be
// rotated: far from the origin these lose hits (3.13.5 with AVX2, 2^20 random 64-bit keys: about
// one in 400,000, also with RTC_SCENE_FLAG_ROBUST).
RTCGeometry EmbreeScene::make_user_geometry() {
  const bool is_sphere = options_.primitive == Primitive::sphere;
  RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(column_->size()));
  rtcSetGeometryUserData(geometry, this);
  rtcSetGeometryBoundsFunction(geometry, bound_primitive, this);
  rtcSetGeometryOccludedFunction(geometry, is_sphere ? test_sphere : test_box_of_key);
  rtcSetGeometryIntersectFunction(geometry, is_sphere ? find_sphere : find_box);
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

// Also of a sphere, with room for the rounding of Embree's tests.
void EmbreeScene::bound_primitive(const RTCBoundsFunctionArguments* arguments) {
  const EmbreeScene& scene = scene_of(arguments);
  set_bounds(arguments, box_at(scene.options_.coordinates, scene.key_of(arguments)));
}

// Boxes of neighbouring keys touch from 2^22 on: the keys decide, not the coordinates.
void EmbreeScene::test_box_of_key(const RTCOccludedFunctionNArguments* arguments) {
  test_box(arguments, arguments->primID, [&](const EmbreeQuery& query) {
    return query.ray_keys.contains(scene_of(arguments).key_of(arguments));
  });
}

void EmbreeScene::test_sphere(const RTCOccludedFunctionNArguments* arguments) {
  test_box(arguments, arguments->primID, [&](const EmbreeQuery& query) {
    const std::uint64_t key = scene_of(arguments).key_of(arguments);
    return scene_of(arguments).enters_sphere(arguments->ray, arguments->N, key) &&
           (query.compare == nullptr || query.ray_keys.contains(key));
  });
}

// Where the ray enters the sphere of a key, as its t, if it does so between its ends. It also
// leaves the sphere: only the entry counts.
std::optional<float> EmbreeScene::enters_sphere(RTCRayN* ray, unsigned n, std::uint64_t key) const {
  const Point p = options_.coordinates.point_of(key);
  const double x = double{p.x} - double{RTCRayN_org_x(ray, n, 0)};
  const double y = double{p.y} - double{RTCRayN_org_y(ray, n, 0)};
  const double z = double{p.z} - double{RTCRayN_org_z(ray, n, 0)};
  // Directions are unit vectors along an axis.
  const double along = x * double{RTCRayN_dir_x(ray, n, 0)} + y * double{RTCRayN_dir_y(ray, n, 0)} +
                       z * double{RTCRayN_dir_z(ray, n, 0)};
  const double half_squared =  // of the chord
      double{sphere_radius_} * double{sphere_radius_} - (x * x + y * y + z * z - along * along);
  if (half_squared <= 0) return std::nullopt;
  const auto t = static_cast<float>(along - std::sqrt(half_squared));
  if (t <= RTCRayN_tnear(ray, n, 0) || t >= RTCRayN_tfar(ray, n, 0)) return std::nullopt;
  return t;
}

// A box is hit at the coordinate of its key along x, the direction of all rays of closest().
void EmbreeScene::find_box(const RTCIntersectFunctionNArguments* arguments) {
  find_key(arguments, [&](std::uint64_t key) -> std::optional<float> {
    RTCRayN* const ray = RTCRayHitN_RayN(arguments->rayhit, arguments->N);
    const Coordinates& coordinates = scene_of(arguments).options_.coordinates;
    const float t =
        (coordinates.x_of(coordinates.place_of(key)) - RTCRayN_org_x(ray, arguments->N, 0)) *
        RTCRayN_dir_x(ray, arguments->N, 0);
    if (t > RTCRayN_tfar(ray, arguments->N, 0)) return std::nullopt;
    return t;
  });
}

void EmbreeScene::find_sphere(const RTCIntersectFunctionNArguments* arguments) {
  find_key(arguments, [&](std::uint64_t key) {
    return scene_of(arguments).enters_sphere(RTCRayHitN_RayN(arguments->rayhit, arguments->N),
                                             arguments->N, key);
  });
}

// Reports the hit of a key of the ray at t_of(key), if the ray hits it there.
template <class TOf>
void EmbreeScene::find_key(const RTCIntersectFunctionNArguments* arguments, const TOf& t_of) {
  if (arguments->valid[0] == 0) return;
  EmbreeQuery& query = query_of(arguments->context);
  if (query.counters != nullptr) ++query.counters->tested;
  const std::uint64_t key = scene_of(arguments).key_of(arguments);
  if (!query.ray_keys.contains(key)) return;
  const std::optional<float> t = t_of(key);
  if (!t) return;
  if (query.counters != nullptr) ++query.counters->hits;
  if (!query.on_hit(query.receiver, arguments->primID)) return;
  const unsigned n = arguments->N;
  RTCRayN_tfar(RTCRayHitN_RayN(arguments->rayhit, n), n, 0) = *t;
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
  if (options_.primitive == Primitive::triangle)
    rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(geometry);
  rtcCommitScene(scene_);
}

std::size_t EmbreeScene::buffer_bytes() const { return triangles_.bytes(); }

}  // namespace rtindex
