#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>
#include <rtindex/query.hpp>
#include <rtindex/spec.hpp>

#include "kinds/scene/rays.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

// Larger columns make unreadable pictures.
inline constexpr std::size_t max_drawn_rows = 200;

// One primitive of the scene.
struct SceneKey {
  std::uint64_t key;  // encoded
  std::uint32_t row;
  std::string text;
};

// One ray of a lookup, and the first and last position of its row that it covers.
struct SceneRay {
  Ray ray;
  std::uint64_t row;
  std::uint32_t first, last;
  bool perpendicular;

  [[nodiscard]] bool runs_left() const { return ray.direction.x < 0; }
};

struct SceneLookup {
  std::string name;  // "Q1"
  std::string text;  // "range [23, 25]"
  RayKind kind;
  std::vector<SceneRay> rays;       // none if the lookup is outside the column's keys
  std::vector<std::uint32_t> rows;  // the rows that the index returned, along the ray
  bool closest = false;             // the rays end at their closest hit
};

// The content of a picture: the scene of a column, the rays of the lookups, and the rows that an
// index found by casting them.
struct SceneModel {
  Spec spec;
  RxOptions options;
  std::vector<SceneKey> keys;   // by key, then by row
  std::size_t hidden_keys = 0;  // not among these: there are too many to draw
  std::vector<SceneLookup> lookups;
  std::string smallest;  // the key at coordinate 0
  std::uint64_t span = 0;
  bool whole_numbers = false;  // neighbouring encoded keys are neighbouring numbers
  // The text of an encoded key that no row holds; empty if it is unknown.
  std::function<std::string(std::uint64_t)> key_text;
};

// The first available index that casts rays, if any.
[[nodiscard]] std::optional<std::string> available_ray_tracer();

// Builds the index, answers the lookups and collects what to draw. Throws if the column is too
// large, or if the index casts no rays.
[[nodiscard]] SceneModel make_scene_model(const ColumnView& column, std::span<const Query> queries,
                                          const Spec& spec);

}  // namespace rtindex
