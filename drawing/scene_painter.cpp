#include "drawing/scene_painter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/marks.hpp"
#include "drawing/overlays.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex {

namespace {

constexpr std::size_t max_named_rays = 6;  // of one lookup
constexpr std::size_t max_hit_marks = 6;   // at one position; more of them are counted

bool contains(const std::vector<std::uint32_t>& rows, std::uint32_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

class ScenePainter {
 public:
  ScenePainter(Svg& svg, const SceneModel& model, const SceneLayout& layout)
      : svg_(svg), model_(model), layout_(layout), rays_(drawn_rays(model, layout)) {}

  void paint_planes() {
    if (layout_.planes() < 2) return;
    for (std::size_t plane = 0; plane < layout_.planes(); ++plane) {
      PixelBox box;
      const SceneLine* first = nullptr;
      for (const SceneLine& line : layout_.lines()) {
        if (line.plane != plane) continue;
        const PixelBox own{line.shift - 8, line.y - line.above,
                           line.shift + layout_.axis().length(), line.y + line.below};
        if (first == nullptr) box = own;
        box.include(own);
        first = &line;
      }
      svg_.element("rect", {{"x", box.left - 16},
                            {"y", box.top},
                            {"width", box.right - box.left + 32},
                            {"height", box.bottom - box.top},
                            {"rx", 12},
                            {"fill", panel}});
      svg_.text(box.right + 8, box.top + 18, fmt::format("z = {}", coordinate_z(*first)),
                {{"fill", soft_ink}, {"font-size", 12}, {"text-anchor", "end"}});
    }
  }

  void paint_volumes() {
    svg_.open("g", {{"class", "bvh"}, {"stroke", volume}, {"fill", volume}});
    for (const BoundingVolume& node : bounding_volumes(layout_)) {
      svg_.element("rect", {{"x", node.box.left},
                            {"y", node.box.top},
                            {"width", node.box.right - node.box.left},
                            {"height", node.box.bottom - node.box.top},
                            {"rx", std::max(5, 13 - 2 * node.depth)},
                            {"fill-opacity", 0.035},
                            {"stroke-width", std::max(0.8, 2.4 - 0.45 * node.depth)},
                            {"stroke-opacity", 0.85}});
    }
    svg_.close();
  }

  void paint_axes() {
    for (std::size_t i = 0; i < layout_.lines().size(); ++i) {
      const SceneLine& line = layout_.lines()[i];
      const double length = layout_.axis().length();
      const double left = line.shift - 0.16 * layout_.unit();
      const double right = line.shift + length + 0.16 * layout_.unit();
      const double y = axis_y(line);
      svg_.element("path", {{"d", path_through({{left, line.y}, {right, line.y}}, false)},
                            {"stroke", hairline},
                            {"stroke-width", 1.4}});
      svg_.element("path", {{"d", path_through({{left, y}, {right, y}}, false)},
                            {"stroke", faint_ink},
                            {"stroke-width", 1.4}});
      for (const double middle : layout_.axis().breaks())
        for (const double height : {line.y, y}) paint_break({middle + line.shift, height});
      for (const auto& [position, width] : layout_.positions()) paint_tick(line, position, y);
      paint_row_name(i);
    }
  }

  void paint_primitives() {
    for (const Pile& pile : layout_.piles()) {
      for (std::size_t i = pile.count; i-- > 0;) {
        const SceneKey& key = model_.keys[pile.first + i];
        const PixelPoint moved = layout_.fan(pile, i);
        svg_.open("g", {{"class", name_of(model_.options.primitive)},
                        {"data-row", key.row},
                        {"data-key", key.text},
                        {"fill", row_colour(key.row).fill},
                        {"stroke", row_colour(key.row).line},
                        {"stroke-width", pile.count > max_hit_marks ? 0.8 : 1.7},
                        {"stroke-linejoin", "round"},
                        {"fill-opacity", is_hit(key.row) ? 0.95 : 0.62},
                        {"transform", fmt::format("translate({:.2f} {:.2f})", moved.x, moved.y)}});
        paint_primitive(layout_.lines()[pile.line], key);
        svg_.close();
      }
      for (std::size_t i = 0; i < pile.count; ++i)
        paint_label(svg_, layout_.label_at(pile, i), layout_.label_width(),
                    model_.keys[pile.first + i].row);
    }
  }

  void paint_rays() {
    std::vector<std::size_t> named(model_.lookups.size(), 0);
    for (const DrawnRay& ray : rays_) {
      const std::string_view colour = ray_colour(ray.lookup);
      svg_.open("g", {{"class", "ray"}, {"data-lookup", model_.lookups[ray.lookup].name}});
      if (!ray.perpendicular) paint_before_and_after(ray, colour);
      paint_line(svg_, ray.begin, paint_arrow(svg_, ray.begin, ray.tip, colour), colour);
      paint_origin(svg_, ray.origin, colour);
      if (named[ray.lookup]++ < max_named_rays) paint_name(ray, colour);
      svg_.close();
    }
  }

  void paint_hits() {
    for (const DrawnRay& ray : rays_)
      for (const Pile& pile : layout_.piles())
        if (pile.line == ray.line && pile.position >= ray.first && pile.position <= ray.last)
          paint_hits(ray, pile);
  }

 private:
  void paint_hits(const DrawnRay& ray, const Pile& pile) {
    const SceneLookup& lookup = model_.lookups[ray.lookup];
    std::vector<std::size_t> hits;  // in the pile
    for (std::size_t i = pile.count; i-- > 0;)
      if (contains(lookup.rows, model_.keys[pile.first + i].row)) hits.push_back(i);
    const bool crowded = hits.size() > max_hit_marks;
    if (crowded) hits = {pile.count / 2};
    for (const std::size_t i : hits)
      paint_hit(svg_, hit_at(ray, pile, i), ray_colour(ray.lookup), lookup.name,
                model_.keys[pile.first + i].row);
    if (!crowded) return;
    const PixelPoint at = hit_at(ray, pile, hits.front());
    paint_text({at.x + 9, at.y + (ray.perpendicular ? -7 : 19)}, fmt::format("{} hits", pile.count),
               ray_colour(ray.lookup), "start");
  }

  // Hits in a pile lie side by side on a ray along x, one behind the other on a ray along z.
  [[nodiscard]] PixelPoint hit_at(const DrawnRay& ray, const Pile& pile, std::size_t i) const {
    if (!ray.perpendicular)
      return {layout_.axis()(static_cast<double>(pile.position)) +
                  layout_.lines()[pile.line].shift + layout_.fan(pile, i).x,
              ray.tip.y};
    if (pile.count < 2) return ray.crossing;
    const auto last = static_cast<double>(pile.count - 1);
    const double along = (static_cast<double>(i) / last - 0.5) * std::min(0.6, 0.25 * last);
    return {ray.crossing.x + along * (ray.tip.x - ray.origin.x),
            ray.crossing.y + along * (ray.tip.y - ray.origin.y)};
  }

  [[nodiscard]] double axis_y(const SceneLine& line) const {
    return line.y + layout_.primitive_bottom() + axis_gap;
  }

  [[nodiscard]] std::string coordinate_z(const SceneLine& line) const {
    const Coordinates& coordinates = model_.options.coordinates;
    return fmt::format("{:.0f}", coordinates.z_of(line.row) / coordinates.scale);
  }

  [[nodiscard]] bool is_hit(std::uint32_t row) const {
    return model_.lookups.empty() ||
           std::any_of(model_.lookups.begin(), model_.lookups.end(),
                       [row](const auto& lookup) { return contains(lookup.rows, row); });
  }

  void paint_break(PixelPoint at) {
    svg_.element("path", {{"d", path_through({{at.x - 5, at.y}, {at.x + 5, at.y}}, false)},
                          {"stroke", "#ffffff"},
                          {"stroke-width", 4}});
    for (const double x : {at.x - 4, at.x + 4})
      svg_.element("path", {{"d", path_through({{x - 3, at.y + 6}, {x + 3, at.y - 6}}, false)},
                            {"stroke", faint_ink},
                            {"stroke-width", 1.4}});
  }

  void paint_tick(const SceneLine& line, std::int64_t position, double y) {
    const std::string text = layout_.tick_text(line, position);
    if (text.empty()) return;
    const double x = layout_.axis()(static_cast<double>(position)) + line.shift;
    svg_.element("path", {{"d", path_through({{x, y}, {x, y + 5}}, false)},
                          {"stroke", faint_ink},
                          {"stroke-width", 1.4}});
    const bool is_key =
        std::any_of(layout_.piles().begin(), layout_.piles().end(), [&](const Pile& pile) {
          return pile.position == position && layout_.lines()[pile.line].row == line.row;
        });
    Attributes attributes = {{"fill", is_key ? ink : faint_ink},
                             {"font-size", tick_size},
                             {"class", "tick"},
                             {"text-anchor", layout_.slanted_ticks() ? "end" : "middle"}};
    if (layout_.slanted_ticks())
      attributes.emplace_back("transform", fmt::format("rotate(-42 {:.2f} {:.2f})", x + 4, y + 15));
    svg_.text(layout_.slanted_ticks() ? x + 4 : x, layout_.slanted_ticks() ? y + 15 : y + 20, text,
              attributes);
  }

  void paint_row_name(std::size_t i) {
    if (layout_.lines().size() < 2) return;
    const SceneLine& line = layout_.lines()[i];
    const Coordinates& coordinates = model_.options.coordinates;
    const double x = std::min(0.0, layout_.bounds().left) + line.shift - 52;
    const float y = coordinates.y_of(line.row) / coordinates.scale;
    svg_.text(x, line.y + 5, fmt::format("y = {:.0f}", y),
              {{"fill", soft_ink}, {"font-size", 14}, {"text-anchor", "end"}});
    if (i == 0) return;
    const SceneLine& before = layout_.lines()[i - 1];
    if (line.row != before.row + 1 && line.plane == before.plane)
      svg_.text(x - 14, (line.y + before.y) / 2 + 5, "⋮",
                {{"fill", faint_ink}, {"font-size", 18}, {"text-anchor", "middle"}});
  }

  void paint_primitive(const SceneLine& line, const SceneKey& key) {
    const Coordinates& coordinates = model_.options.coordinates;
    const std::vector<Point> c = corners_of(model_.options, key.key);
    switch (model_.options.primitive) {
      case Primitive::triangle: paint_face(line, c, 1); break;
      case Primitive::sphere: {
        const PixelPoint centre = layout_.project(line, coordinates.point_of(key.key));
        const double radius = static_cast<double>(sphere_radius) * layout_.unit();
        svg_.element("circle", {{"cx", centre.x}, {"cy", centre.y}, {"r", radius}});
        svg_.element("ellipse", {{"cx", centre.x - 0.32 * radius},
                                 {"cy", centre.y - 0.42 * radius},
                                 {"rx", 0.34 * radius},
                                 {"ry", 0.22 * radius},
                                 {"fill", "#ffffff"},
                                 {"fill-opacity", 0.7},
                                 {"stroke", "none"}});
        break;
      }
      case Primitive::aabb:
        paint_face(line, {c[3], c[2], c[6], c[7]}, 0.55);
        paint_face(line, {c[1], c[5], c[6], c[2]}, 0.75);
        paint_face(line, {c[0], c[1], c[2], c[3]}, 0.9);
        break;
    }
  }

  void paint_face(const SceneLine& line, const std::vector<Point>& corners, double opacity) {
    std::vector<PixelPoint> points;
    points.reserve(corners.size());
    for (const Point& corner : corners) points.push_back(layout_.project(line, corner));
    Attributes attributes = {{"d", path_through(points, true)}};
    if (opacity < 1) attributes.emplace_back("fill-opacity", opacity);
    svg_.element("path", attributes);
  }

  // What belongs to a ray but cannot hit.
  void paint_before_and_after(const DrawnRay& ray, std::string_view colour) {
    if (ray.starts_later()) {
      svg_.element("path", {{"d", path_through({ray.origin, ray.begin}, false)},
                            {"stroke", colour},
                            {"stroke-width", 2.6},
                            {"stroke-linecap", "round"},
                            {"stroke-dasharray", "0.1 6"}});
      svg_.element(
          "path",
          {{"d",
            path_through({{ray.begin.x, ray.begin.y - 7}, {ray.begin.x, ray.begin.y + 7}}, false)},
           {"stroke", colour},
           {"stroke-width", 2.6},
           {"stroke-linecap", "round"}});
    }
    if (ray.slack_tip.x - ray.tip.x > 1)
      svg_.element("path", {{"d", path_through({ray.slack_begin, ray.slack_tip}, false)},
                            {"stroke", colour},
                            {"stroke-width", 1},
                            {"stroke-opacity", 0.6}});
  }

  void paint_name(const DrawnRay& ray, std::string_view colour) {
    if (ray.runs_left)
      return paint_text({ray.origin.x + 8, ray.origin.y + 5}, model_.lookups[ray.lookup].name,
                        colour, "start");
    paint_text({ray.origin.x - 8, ray.origin.y + (ray.perpendicular ? 12 : 5)},
               model_.lookups[ray.lookup].name, colour, "end");
  }

  // Bold, with a white edge.
  void paint_text(PixelPoint at, std::string_view text, std::string_view colour,
                  std::string_view anchor) {
    svg_.text(at.x, at.y, text,
              {{"fill", colour},
               {"font-size", 15},
               {"font-weight", 700},
               {"text-anchor", anchor},
               {"stroke", "#ffffff"},
               {"stroke-width", 3.5},
               {"stroke-linejoin", "round"},
               {"paint-order", "stroke"}});
  }

  Svg& svg_;
  const SceneModel& model_;
  const SceneLayout& layout_;
  std::vector<DrawnRay> rays_;
};

}  // namespace

void paint_scene(Svg& svg, const SceneModel& model, const SceneLayout& layout, bool bvh) {
  ScenePainter painter(svg, model, layout);
  painter.paint_planes();
  if (bvh) painter.paint_volumes();
  painter.paint_axes();
  svg.open("g", {{"fill", "none"}});
  painter.paint_primitives();
  painter.paint_rays();
  painter.paint_hits();
  svg.close();
}

}  // namespace rtindex
