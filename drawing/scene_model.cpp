#include "drawing/scene_model.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "keys/codec.hpp"

namespace rtindex {

namespace {

// A range of row_rays=all may cross millions of rows; a picture cannot.
constexpr std::size_t max_drawn_rays = 256;

// The index that answers. An unset tracer becomes one that casts rays.
Spec with_rays(const Spec& spec) {
  if (spec.kind() != "auto" && spec.kind() != "rx")
    fail("{} casts no rays to draw: use rx:embree", spec.kind());
  if (spec.tracer() == "native") fail("rx:native casts no rays to draw: use rx:embree");
  if (spec.options().contains("bucket"))
    fail("cannot draw bucket={}: a picture shows one primitive per key; remove bucket",
         spec.option("bucket", ""));
  if (!spec.tracer().empty()) return spec;
  Spec chosen(available_ray_tracer().value_or("rx:embree"));
  for (const auto& [name, value] : spec.options()) chosen = chosen.with(name, value);
  return chosen;
}

bool is_whole_number(Type type) { return is_native(type) && !is_float(type); }

std::string decoded_text(const KeyCodec& codec, std::uint64_t key, TimeUnit unit) {
  if (codec.type() == Type::string || codec.type() == Type::composite || codec.empty() ||
      key > codec.span())
    return {};
  EncodedColumn one;
  one.keys = PackedKeys(1, codec.span());
  one.keys.set(0, key);
  one.row_count = 1;
  one.span = codec.span();
  const OwnedColumn column = codec.decode(one);
  const bool has_unit = unit != TimeUnit::unspecified;
  return (has_unit ? column.view().with_time_unit(unit) : column.view()).text(0);
}

std::vector<SceneKey> drawn_keys(const ColumnView& column, const KeyCodec& codec) {
  const EncodedColumn encoded = codec.encode(column);
  std::vector<SceneKey> keys;
  for (std::size_t i = 0; i < encoded.size(); ++i)
    keys.push_back({encoded.keys[i], encoded.row(i), column.text(encoded.row(i))});
  std::stable_sort(keys.begin(), keys.end(),
                   [](const SceneKey& a, const SceneKey& b) { return a.key < b.key; });
  return keys;
}

SceneRay point_scene_ray(const RxOptions& options, std::uint64_t key) {
  const Coordinates& coordinates = options.coordinates;
  const std::uint32_t position = coordinates.place_of(key);
  return {point_ray(coordinates, options.point, key), coordinates.row_of(key), position, position,
          options.point == RayKind::perpendicular};
}

std::vector<SceneRay> range_scene_rays(const RxOptions& options, Interval range,
                                       const std::vector<SceneKey>& keys) {
  const Coordinates& coordinates = options.coordinates;
  const std::uint64_t first = coordinates.row_of(range.lower);
  const std::uint64_t last = coordinates.row_of(range.upper);
  std::set<std::uint64_t> rows;
  if (options.row_rays == RowRays::all || last - first < 2) {  // as the tracers do
    if (last - first >= max_drawn_rays)
      fail(
          "a range crosses {} rows, and row_rays=all would draw a ray along each: use "
          "row_rays=occupied or more x bits",
          last - first + 1);
    for (std::uint64_t row = first; row <= last; ++row) rows.insert(row);
  }
  for (const SceneKey& key : keys)
    if (const std::uint64_t row = coordinates.row_of(key.key); row >= first && row <= last)
      rows.insert(row);
  std::vector<SceneRay> rays;
  rays.reserve(rows.size());
  for (const std::uint64_t row : rows)
    rays.push_back({range_ray(coordinates, options.range, range, row), row,
                    row == first ? coordinates.place_of(range.lower) : 0,
                    row == last ? coordinates.place_of(range.upper) : coordinates.last_place(),
                    false});
  return rays;
}

// A ray along one row from the edge of a range to a position, in the direction of the search.
SceneRay edge_scene_ray(const RxOptions& options, std::uint64_t row, std::uint32_t first,
                        std::uint32_t last, Edge edge) {
  const Coordinates& coordinates = options.coordinates;
  Ray ray = row_ray(coordinates, RayKind::offset, row, first, last);
  if (edge == Edge::last) {
    ray.origin.x = coordinates.gap_after(last);
    ray.direction.x = -1;
    ray.t_min = 0;
    ray.t_max = ray.origin.x - coordinates.gap_before(first);
  }
  return {ray, row, first, last, false};
}

// The rays that look for the first or last key of a range: along the row of the edge, then along
// the next occupied ones, up to the closest hit.
std::vector<SceneRay> edge_scene_rays(const RxOptions& options, Interval range, Edge edge,
                                      const std::vector<SceneKey>& keys) {
  const Coordinates& coordinates = options.coordinates;
  std::vector<std::uint64_t> all;  // as seen from the edge
  all.reserve(keys.size());
  for (const SceneKey& key : keys) all.push_back(key.key);
  if (edge == Edge::last) std::reverse(all.begin(), all.end());
  const std::uint64_t start = edge == Edge::first ? range.lower : range.upper;
  const std::uint64_t start_row = coordinates.row_of(start);
  std::vector<SceneRay> rays;
  for (const std::uint64_t key : all) {
    const std::uint64_t row = coordinates.row_of(key);
    const bool is_hit = range.lower <= key && key <= range.upper;
    if (!is_hit && row != start_row) continue;
    if (!rays.empty() && rays.back().row == row && !is_hit) continue;
    if (!rays.empty() && rays.back().row == row) rays.pop_back();
    const std::uint32_t end = is_hit               ? coordinates.place_of(key)
                              : edge == Edge::last ? 0
                                                   : coordinates.last_place();
    const std::uint32_t begin = row == start_row     ? coordinates.place_of(start)
                                : edge == Edge::last ? coordinates.last_place()
                                                     : 0;
    rays.push_back(edge_scene_ray(options, row, std::min(begin, end), std::max(begin, end), edge));
    if (is_hit) break;
  }
  return rays;
}

// The rows that the index found, in the order in which the ray meets them.
std::vector<std::uint32_t> answered_rows(const Index& index, const Query& query,
                                         const std::vector<SceneKey>& keys) {
  if (query.kind == QueryKind::nearest) {
    const std::uint32_t row = index.answer(query).any()[0];
    return row == miss_row ? std::vector<std::uint32_t>() : std::vector{row};
  }
  const Answers answers = index.answer(query, {.answers = Answer::rows});
  const auto found = answers.rows(0);
  std::vector<std::uint32_t> rows;
  for (const SceneKey& key : keys)
    if (std::find(found.begin(), found.end(), key.row) != found.end()) rows.push_back(key.row);
  return rows;
}

Interval encoded(const KeyCodec& codec, const ColumnView& lower, const ColumnView& upper,
                 RangeEnds ends) {
  Interval interval = empty_interval;
  std::uint8_t check = check_none;
  codec.encode_lookups(lower, upper, ends, 0, 1, &interval,
                       codec.has_residual() ? &check : nullptr);
  return interval;
}

// The rays of one side, or of both.
std::vector<SceneRay> neighbour_scene_rays(const SceneModel& model, const KeyCodec& codec,
                                           const Query& query) {
  const bool is_open = !query.neighbour.exact;
  std::vector<SceneRay> rays;
  const auto look = [&](Edge edge, const Interval& range) {
    if (range.empty()) return;
    for (const SceneRay& ray : edge_scene_rays(model.options, range, edge, model.keys))
      rays.push_back(ray);
  };
  if (query.neighbour.direction != Direction::forward)
    look(Edge::last, encoded(codec, {}, query.lower, {.upper_open = is_open}));
  if (query.neighbour.direction != Direction::backward)
    look(Edge::first, encoded(codec, query.lower, {}, {.lower_open = is_open}));
  return rays;
}

// "point 29", "range [23, 25]", "backward from 18".
std::string text_of(const Query& query) {
  const std::string key = query.lower.text(0);
  if (query.kind == QueryKind::equal) return "point " + key;
  if (query.kind == QueryKind::range)
    return fmt::format("range [{}, {}]", key, query.upper.text(0));
  if (query.neighbour.direction == Direction::nearest) return "nearest to " + key;
  return fmt::format("{} from {}", name_of(query.neighbour.direction), key);
}

// Of many keys the first, the last and some that lookups found: the axis has gaps for the others.
void hide_keys(SceneModel& model) {
  constexpr std::size_t max_keys = 60;
  constexpr std::size_t max_at_an_end = 10;
  constexpr std::size_t max_found = 10;
  const std::size_t count = model.keys.size();
  if (count <= max_keys) return;
  std::set<std::uint32_t> found;
  for (const SceneLookup& lookup : model.lookups)
    for (const std::uint32_t row : lookup.rows)
      if (found.size() < max_found) found.insert(row);
  std::vector<SceneKey> shown;
  for (std::size_t i = 0; i < count; ++i)
    if (i < max_at_an_end || i + max_at_an_end >= count || found.contains(model.keys[i].row))
      shown.push_back(std::move(model.keys[i]));
  model.hidden_keys = count - shown.size();
  model.keys = std::move(shown);
}

}  // namespace

std::optional<std::string> available_ray_tracer() {
  for (const IndexInfo& index : indexes()) {
    const std::string tracer = Spec(index.spec).tracer();
    if (index.available && !tracer.empty() && tracer != "native") return index.spec;
  }
  return std::nullopt;
}

SceneModel make_scene_model(const ColumnView& column, std::span<const Query> queries,
                            const Spec& spec) {
  if (column.size() > max_drawn_rows)
    fail("the column has {} rows: expected at most {}; draw a part of it", column.size(),
         max_drawn_rows);
  const Index index = build(column, with_rays(spec));
  const std::shared_ptr<const KeyCodec> codec = KeyCodec::for_column(column);
  SceneModel model;
  model.spec = index.spec();
  model.options = RxOptions::from(model.spec);
  model.keys = drawn_keys(column, *codec);
  if (model.keys.empty()) fail("nothing to draw: the column has no keys");
  model.smallest = model.keys.front().text;
  model.span = codec->span();
  model.whole_numbers = is_whole_number(codec->type());
  model.key_text = [codec, unit = column.time_unit()](std::uint64_t key) {
    return decoded_text(*codec, key, unit);
  };

  for (const Query& query : queries) {
    const bool point = query.kind == QueryKind::equal;
    SceneLookup drawn{fmt::format("Q{}", model.lookups.size() + 1),
                      text_of(query),
                      point ? model.options.point : model.options.range,
                      {},
                      answered_rows(index, query, model.keys)};
    if (query.kind == QueryKind::nearest) {
      drawn.closest = true;
      drawn.rays = neighbour_scene_rays(model, *codec, query);
    } else {
      const Interval interval = encoded(*codec, query.lower, point ? query.lower : query.upper, {});
      if (!interval.empty() && point)
        drawn.rays = {point_scene_ray(model.options, interval.lower)};
      else if (!interval.empty())
        drawn.rays = range_scene_rays(model.options, interval, model.keys);
    }
    model.lookups.push_back(std::move(drawn));
  }
  hide_keys(model);
  return model;
}

}  // namespace rtindex
