#include "drawing/overlays.hpp"

#include <algorithm>
#include <span>

namespace rtindex {

namespace {

constexpr double widest_step = 15;
constexpr double name_room = 30;  // left of an origin, for the lookup's name

Point point_at(const Ray& ray, float t) {
  return {ray.origin.x + t * ray.direction.x, ray.origin.y + t * ray.direction.y,
          ray.origin.z + t * ray.direction.z};
}

DrawnRay place_ray(const SceneModel& model, const SceneLayout& layout, std::size_t lookup,
                   const SceneRay& ray) {
  const Coordinates& coordinates = model.options.coordinates;
  DrawnRay drawn;
  drawn.lookup = lookup;
  drawn.line = layout.line_of(ray.row);
  drawn.first = ray.first;
  drawn.last = ray.last;
  drawn.perpendicular = ray.perpendicular;
  drawn.runs_left = ray.runs_left();
  const SceneLine& line = layout.lines()[drawn.line];
  drawn.origin = layout.project(line, ray.ray.origin);
  drawn.slack_begin = layout.project(line, point_at(ray.ray, ray.ray.t_min));
  drawn.slack_tip = layout.project(line, point_at(ray.ray, ray.ray.t_max));
  const double right_edge = line.shift + layout.axis().length() + 0.4 * layout.unit();
  drawn.slack_tip.x = std::min(drawn.slack_tip.x, right_edge);
  drawn.begin = drawn.slack_begin;
  drawn.tip = drawn.slack_tip;
  drawn.crossing = layout.project(line, point_at(ray.ray, ray.ray.t_max / 2));
  if (!ray.perpendicular && !ray.ray.t_decides && !drawn.runs_left) {
    Point end = ray.ray.origin;
    end.x = std::max(coordinates.gap_before(ray.first), ray.ray.origin.x);
    drawn.begin = layout.project(line, end);
    end.x = coordinates.gap_after(ray.last);
    drawn.tip = layout.project(line, end);
  }
  return drawn;
}

void move(DrawnRay& ray, double x, double y) {
  for (PixelPoint* point :
       {&ray.origin, &ray.slack_begin, &ray.begin, &ray.crossing, &ray.tip, &ray.slack_tip}) {
    point->x += x;
    point->y += y;
  }
}

// The room of a ray with its name along x.
struct Extent {
  double left, right;
};

Extent extent(const DrawnRay& ray) {
  if (ray.perpendicular) return {ray.crossing.x, ray.crossing.x + 1};
  if (ray.runs_left) return {ray.slack_tip.x, ray.origin.x + name_room};
  return {ray.origin.x - name_room, ray.slack_tip.x};
}

// Assigns each ray of a line to the first lane in which it overlaps no other, then spreads the
// lanes.
void spread(std::vector<DrawnRay*> rays, double room) {
  std::sort(rays.begin(), rays.end(),
            [](const DrawnRay* a, const DrawnRay* b) { return extent(*a).left < extent(*b).left; });
  const bool perpendicular = !rays.empty() && rays.front()->perpendicular;
  std::vector<double> lane_ends;
  std::vector<std::size_t> lanes;
  for (const DrawnRay* ray : rays) {
    const auto [left, right] = extent(*ray);
    std::size_t lane = 0;
    while (lane < lane_ends.size() && lane_ends[lane] > left) ++lane;
    if (lane == lane_ends.size()) lane_ends.push_back(0);
    lane_ends[lane] = right;
    lanes.push_back(lane);
  }
  if (lane_ends.size() < 2) return;
  const auto last = static_cast<double>(lane_ends.size() - 1);
  const double step = std::min(perpendicular ? name_room : widest_step, room / last);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const double offset = (static_cast<double>(lanes[i]) - last / 2) * step;
    move(*rays[i], perpendicular ? offset : 0, perpendicular ? 0 : offset);
  }
}

constexpr std::size_t leaf_size = 2;

double middle(const PixelBox& box, bool by_x) {
  return by_x ? box.left + box.right : box.top + box.bottom;
}

PixelBox around(std::span<const PixelBox> boxes) {
  PixelBox all = boxes.front();
  for (const PixelBox& box : boxes) all.include(box);
  return all;
}

// Adds the volume of these boxes and its descendants; returns its box.
PixelBox add_volume(std::span<PixelBox> boxes, int depth, std::vector<BoundingVolume>& volumes) {
  if (boxes.size() == 1 && depth > 0) return boxes.front();
  const std::size_t node = volumes.size();
  volumes.push_back({{}, depth});
  PixelBox box = around(boxes);
  if (boxes.size() > leaf_size) {
    const bool by_x = box.right - box.left >= box.bottom - box.top;
    const std::size_t half = (boxes.size() + 1) / 2;
    std::sort(boxes.begin(), boxes.end(), [by_x](const PixelBox& a, const PixelBox& b) {
      return middle(a, by_x) < middle(b, by_x);
    });
    box.include(add_volume(boxes.first(half), depth + 1, volumes));
    box.include(add_volume(boxes.subspan(half), depth + 1, volumes));
  }
  volumes[node].box = box.grown(volume_margin);
  return volumes[node].box;
}

}  // namespace

std::vector<DrawnRay> drawn_rays(const SceneModel& model, const SceneLayout& layout) {
  std::vector<DrawnRay> rays;
  for (std::size_t lookup = 0; lookup < model.lookups.size(); ++lookup)
    for (const SceneRay& ray : model.lookups[lookup].rays)
      rays.push_back(place_ray(model, layout, lookup, ray));
  for (std::size_t line = 0; line < layout.lines().size(); ++line) {
    std::vector<DrawnRay*> parallel;
    std::vector<DrawnRay*> perpendicular;
    for (DrawnRay& ray : rays)
      if (ray.line == line) (ray.perpendicular ? perpendicular : parallel).push_back(&ray);
    spread(parallel, 0.3 * layout.unit());
    spread(perpendicular, 0.5 * layout.unit());
  }
  return rays;
}

std::vector<BoundingVolume> bounding_volumes(const SceneLayout& layout) {
  std::vector<PixelBox> boxes;
  for (const Pile& pile : layout.piles()) {
    boxes.push_back(layout.box_of(pile, 0));
    boxes.back().include(layout.box_of(pile, pile.count - 1));
  }
  std::vector<BoundingVolume> volumes;
  if (!boxes.empty()) add_volume(boxes, 0, volumes);
  return volumes;
}

}  // namespace rtindex
