#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"
#include "kinds/embree/device.hpp"
#include "kinds/embree/query.hpp"
#include "kinds/embree/triangle_scene.hpp"
#include "kinds/scene/rays.hpp"
#include "kinds/scene/row_directory.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

// The primitives of a column in an Embree scene.
class EmbreeScene {
 public:
  // `column` must outlive the scene and must not move.
  EmbreeScene(const RxOptions& options, const EncodedColumn& column, int threads);
  ~EmbreeScene();
  EmbreeScene(const EmbreeScene&) = delete;
  EmbreeScene& operator=(const EmbreeScene&) = delete;

  static constexpr std::uint32_t no_primitive = RTC_INVALID_GEOMETRY_ID;

  // Finds all primitives that the ray hits.
  void trace(const Ray& ray, EmbreeQuery& query) const;
  // Finds all primitives in a range, by a ray along each row, until `done` is set. An empty
  // directory means that all rows of the range are cast.
  void trace_range(const RowDirectory& directory, Interval range, EmbreeQuery& query,
                   const bool& done) const;
  // The closest of the primitives that the ray hits, that have one of its keys and that on_hit()
  // accepts, or no_primitive. On a long ray it may be one shortly behind the closest one.
  [[nodiscard]] std::uint32_t closest(const Ray& ray, EmbreeQuery& query) const;
  // Moves these primitives to their new keys in the column and refits the tree.
  void refit(std::span<const std::uint32_t> primitives);
  // After a refit that threw: moves them to their old keys, which are in the column again.
  void undo_refit(std::span<const std::uint32_t> primitives) noexcept;

  [[nodiscard]] std::size_t buffer_bytes() const;
  [[nodiscard]] std::size_t structure_bytes() const { return device_.bytes(); }
  [[nodiscard]] std::size_t peak_structure_bytes() const { return device_.peak_bytes(); }

 private:
  void trace_row(std::uint64_t row, Interval range, EmbreeQuery& query) const;
  void set_primitive(std::size_t primitive);
  void add_geometry();
  void commit_refit();
  [[nodiscard]] RTCGeometry make_triangles();
  [[nodiscard]] RTCGeometry make_user_geometry();
  [[nodiscard]] std::optional<float> enters_sphere(RTCRayN* ray, unsigned n,
                                                   std::uint64_t key) const;

  // The scene and the key of a callback's primitive.
  template <class Arguments>
  static const EmbreeScene& scene_of(const Arguments* arguments) {
    return *static_cast<const EmbreeScene*>(arguments->geometryUserPtr);
  }
  template <class Arguments>
  std::uint64_t key_of(const Arguments* arguments) const {
    return column_->keys[arguments->primID];
  }

  // Callbacks of both kinds of queries: an accepted hit ends trace() and shortens the ray of
  // closest().
  static void filter_triangle(const RTCFilterFunctionNArguments* arguments);
  static void bound_primitive(const RTCBoundsFunctionArguments* arguments);
  static void test_box_of_key(const RTCOccludedFunctionNArguments* arguments);
  static void test_sphere(const RTCOccludedFunctionNArguments* arguments);
  static void find_box(const RTCIntersectFunctionNArguments* arguments);
  static void find_sphere(const RTCIntersectFunctionNArguments* arguments);
  template <class TOf>
  static void find_key(const RTCIntersectFunctionNArguments* arguments, const TOf& t_of);

  RxOptions options_;
  float sphere_radius_;  // in the scale of the scene
  const EncodedColumn* column_;
  EmbreeDevice device_;
  RTCScene scene_ = nullptr;
  TriangleBuffers triangles_;
};

}  // namespace rtindex
