#include "drawing/scene_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "base/display_width.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex {

namespace {

constexpr double plot_width = 900;  // a wider axis has narrower positions
constexpr double min_position_width = 34;
constexpr double max_position_width = 112;
constexpr double position_share = 0.9;  // of a unit, as BrokenAxis draws it

// One unit of z in units of x and of y: the picture looks from the lower left.
constexpr double z_right = 0.24;
constexpr double z_up = 0.4;

constexpr std::size_t labels_per_column = 6;
constexpr double plane_shift = 34;
constexpr double widest_shift = 260;
constexpr std::int64_t max_filled = 3;  // empty positions between two keys that are still drawn
constexpr std::size_t max_positions_to_fill = 30;
constexpr std::int64_t narrow_row_end = 255;  // the end of a longer row needs no room of its own
constexpr std::size_t longest_tick = 18;
constexpr double plane_name_room = 14;

std::size_t label_columns(std::size_t count) {
  return (count + labels_per_column - 1) / labels_per_column;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double width = 0.53 * static_cast<double>(display_width(text));
  for (const char c : text)
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')) width += 0.1;
  return size * width;
}

std::string shortened(std::string_view text, std::size_t longest) {
  std::vector<std::size_t> starts;  // of the characters, in bytes
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) starts.push_back(i);
  if (starts.size() <= longest) return std::string(text);
  const std::size_t tail = longest / 2;  // keys with a long common start differ at their ends
  return std::string(text.substr(0, starts[longest - tail - 1])) + "…" +
         std::string(text.substr(starts[starts.size() - tail]));
}

std::vector<Point> corners_of(const RxOptions& options, std::uint64_t key) {
  const Coordinates& coordinates = options.coordinates;
  if (options.primitive == Primitive::triangle) {
    const Triangle t = triangle_at(coordinates, key);
    return {t.a, t.b, t.c};
  }
  if (options.primitive == Primitive::aabb) {
    const auto [l, u] = box_at(coordinates, key);
    return {{l.x, l.y, l.z}, {u.x, l.y, l.z}, {u.x, u.y, l.z}, {l.x, u.y, l.z},
            {l.x, l.y, u.z}, {u.x, l.y, u.z}, {u.x, u.y, u.z}, {l.x, u.y, u.z}};
  }
  const Point p = coordinates.point_of(key);
  const float r = sphere_radius * coordinates.scale;
  return {{p.x - r, p.y, p.z}, {p.x + r, p.y, p.z}, {p.x, p.y - r, p.z}, {p.x, p.y + r, p.z}};
}

void PixelBox::include(PixelPoint point) { include({point.x, point.y, point.x, point.y}); }

void PixelBox::include(const PixelBox& box) {
  left = std::min(left, box.left);
  top = std::min(top, box.top);
  right = std::max(right, box.right);
  bottom = std::max(bottom, box.bottom);
}

SceneLayout::SceneLayout(const SceneModel& model, const LayoutOptions& options)
    : model_(model), options_(options) {
  for (const SceneKey& key : model_.keys) {
    const auto [known, is_new] = key_texts_.emplace(key.key, key.text);
    if (!is_new && known->second != key.text && !known->second.ends_with(", …"))
      known->second += ", …";  // long strings that share their first word
  }
  find_lines();
  find_piles();
  if (options_.bvh)
    volume_room_ = volume_margin * (1 + std::ceil(std::log2(static_cast<double>(piles_.size()))));
  find_positions();
  measure_primitive();
  stack_lines();
  find_bounds();
}

void SceneLayout::find_lines() {
  std::set<std::uint64_t> rows;
  for (const SceneKey& key : model_.keys) rows.insert(model_.options.coordinates.row_of(key.key));
  for (const SceneLookup& lookup : model_.lookups)
    for (const SceneRay& ray : lookup.rays) rows.insert(ray.row);
  std::set<float> planes;
  for (const std::uint64_t row : rows) {
    planes.insert(model_.options.coordinates.z_of(row));
    lines_.push_back({row, planes.size() - 1});
  }
  planes_ = planes.size();
}

std::size_t SceneLayout::line_of(std::uint64_t row) const {
  const auto found =
      std::lower_bound(lines_.begin(), lines_.end(), row,
                       [](const SceneLine& l, std::uint64_t r) { return l.row < r; });
  return static_cast<std::size_t>(found - lines_.begin());
}

void SceneLayout::find_piles() {
  const Coordinates& coordinates = model_.options.coordinates;
  for (std::size_t i = 0; i < model_.keys.size(); ++i) {
    const std::uint64_t key = model_.keys[i].key;
    if (i == 0 || model_.keys[i - 1].key != key)
      piles_.push_back({i, 0, line_of(coordinates.row_of(key)), coordinates.place_of(key)});
    ++piles_.back().count;
    label_width_ = std::max(label_width_, text_width(std::to_string(model_.keys[i].row), 12) + 12);
  }
}

std::map<std::int64_t, std::size_t> SceneLayout::shown_positions() const {
  std::map<std::int64_t, std::size_t> positions;
  for (const Pile& pile : piles_)
    positions[pile.position] = std::max(positions[pile.position], label_columns(pile.count));
  for (const SceneLookup& lookup : model_.lookups) {
    for (const SceneRay& ray : lookup.rays) {
      positions.emplace(ray.first, 0);
      positions.emplace(ray.last, 0);
    }
  }
  if (!model_.whole_numbers || positions.size() > max_positions_to_fill) return positions;
  const std::map<std::int64_t, std::size_t> taken = positions;
  for (auto it = taken.begin(); std::next(it) != taken.end(); ++it)
    if (const std::int64_t end = std::next(it)->first; end - it->first - 1 <= max_filled)
      for (std::int64_t position = it->first + 1; position < end; ++position)
        positions.emplace(position, 0);
  return positions;
}

void SceneLayout::find_positions() {
  const std::map<std::int64_t, std::size_t> shown = shown_positions();
  double taken = 0.5;
  for (auto it = shown.begin(); it != shown.end(); ++it)
    taken += std::next(it) != shown.end() && std::next(it)->first != it->first + 1 ? 1.75 : 1.15;
  const double width = std::clamp(plot_width / taken, min_position_width, max_position_width);
  unit_ = width / position_share;
  // Extended mode has primitives that reach further along y and z; drawn, all look alike.
  const Triangle triangle = triangle_at(model_.options.coordinates, 0);
  lateral_unit_ = unit_ * 2 * static_cast<double>(reach * model_.options.coordinates.scale) /
                  static_cast<double>(triangle.a.y - triangle.b.y);
  const double gap = std::max(7.0, 0.2 * unit_) + 2 * volume_room_;
  for (const auto& [position, columns] : shown) {
    const bool row_end = columns == 0 && position > narrow_row_end &&
                         position == model_.options.coordinates.last_place();  // rays leave the row
    const double labels = static_cast<double>(columns) * (label_width_ + 3) - gap;
    positions_[position] = row_end ? 0.3 * width : std::max(width, labels);
  }
  axis_ = BrokenAxis(positions_, {unit_, gap, std::max(18.0, 0.4 * unit_)});
  for (const SceneLine& line : lines_) slanted_ticks_ |= ticks_touch(line);
}

bool SceneLayout::ticks_touch(const SceneLine& line) const {
  double end = std::numeric_limits<double>::lowest();
  for (const auto& [position, width] : positions_) {
    const std::string text = tick_text(line, position);
    if (text.empty()) continue;
    const double middle = axis_(static_cast<double>(position));
    const double half = text_width(text, tick_size) / 2 + 4;
    if (middle - half < end) return true;
    end = middle + half;
  }
  return false;
}

std::string SceneLayout::tick_text(const SceneLine& line, std::int64_t position) const {
  const Coordinates& coordinates = model_.options.coordinates;
  const std::uint64_t row_start =
      coordinates.mode == KeyMode::three_d ? line.row << coordinates.bits_x : 0;
  const std::uint64_t key = row_start + static_cast<std::uint64_t>(position);
  if (const auto found = key_texts_.find(key); found != key_texts_.end())
    return shortened(found->second, longest_tick);
  if (!model_.whole_numbers || (lines_.size() > 1 && positions_.size() > 8)) return {};
  return shortened(model_.key_text(key), longest_tick);
}

void SceneLayout::stack_lines() {
  double widest_tick = 0;
  for (const SceneLine& line : lines_)
    for (const auto& [position, width] : positions_)
      widest_tick = std::max(widest_tick, text_width(tick_text(line, position), tick_size));
  const double ticks = slanted_ticks_ ? 0.7 * widest_tick + 22 : 30;
  const double step =
      planes_ < 2 ? 0 : std::min(plane_shift, widest_shift / static_cast<double>(planes_ - 1));
  for (SceneLine& line : lines_) {
    line.above = primitive_top() + 16 + label_pitch;
    line.below = primitive_bottom() + axis_gap + ticks;
    line.shift = step * static_cast<double>(line.plane);
  }
  for (const Pile& pile : piles_) {
    SceneLine& line = lines_[pile.line];
    const double labels =
        label_pitch * static_cast<double>(std::min(pile.count, labels_per_column));
    line.above = std::max(line.above, primitive_top() + 16 + labels);
  }
  if (planes_ > 1)
    for (SceneLine& line : lines_) line.above += plane_name_room;
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    const bool new_plane = lines_[i].plane != lines_[i - 1].plane;
    lines_[i].y = lines_[i - 1].y - lines_[i - 1].above - lines_[i].below - (new_plane ? 18 : 4);
  }
}

double SceneLayout::position_at(float x) const {
  const Coordinates& coordinates = model_.options.coordinates;
  if (coordinates.mode != KeyMode::extended) return static_cast<double>(x / coordinates.scale);
  // Every second float is a key; all that lies before the first one takes little room.
  const auto bits = static_cast<double>(std::bit_cast<std::uint32_t>(x / coordinates.scale));
  return std::max((bits - static_cast<double>(Coordinates::extended_start)) / 2, -1.2);
}

PixelPoint SceneLayout::project(const SceneLine& line, Point point) const {
  const Coordinates& coordinates = model_.options.coordinates;
  const auto scale = static_cast<double>(coordinates.scale);
  const double y = static_cast<double>(point.y - coordinates.y_of(line.row)) / scale;
  const double z = static_cast<double>(point.z - coordinates.z_of(line.row)) / scale;
  return {axis_(position_at(point.x)) + line.shift + z * z_right * lateral_unit_,
          line.y - (y + z * z_up) * lateral_unit_};
}

PixelPoint SceneLayout::fan(const Pile& pile, std::size_t i) const {
  if (pile.count < 2) return {};
  const auto last = static_cast<double>(pile.count - 1);
  const double step = std::min(0.14, 0.4 / last) * unit_;
  const double along = (static_cast<double>(i) - last / 2) * step;
  return {along, -along * 0.5};
}

PixelPoint SceneLayout::label_at(const Pile& pile, std::size_t i) const {
  const SceneLine& line = lines_[pile.line];
  const std::size_t columns = label_columns(pile.count);
  const std::size_t stack = i / labels_per_column;
  const double column = static_cast<double>(stack) - static_cast<double>(columns - 1) / 2;
  const auto from_below = static_cast<double>(i % labels_per_column);
  return {axis_(static_cast<double>(pile.position)) + line.shift + column * (label_width_ + 3),
          line.y - primitive_top() - 14 - from_below * label_pitch};
}

PixelBox SceneLayout::box_of(const Pile& pile, std::size_t i) const {
  const SceneLine& line = lines_[pile.line];
  const PixelPoint moved = fan(pile, i);
  PixelBox box;
  bool first = true;
  for (const Point& corner : corners_of(model_.options, model_.keys[pile.first + i].key)) {
    const PixelPoint point = project(line, corner);
    if (first) box = {point.x, point.y, point.x, point.y};
    box.include(point);
    first = false;
  }
  return {box.left + moved.x, box.top + moved.y, box.right + moved.x, box.bottom + moved.y};
}

void SceneLayout::measure_primitive() {
  const SceneLine& line = lines_[piles_.front().line];
  const PixelBox box = box_of(piles_.front(), 0);
  const PixelPoint moved = fan(piles_.front(), 0);
  primitive_ = {0, box.top - moved.y - line.y, 0, box.bottom - moved.y - line.y};
  double most = 0;
  for (const Pile& pile : piles_) most = std::max(most, fan(pile, 0).y);
  primitive_.top -= most + volume_room_;
  primitive_.bottom += most + volume_room_;
}

void SceneLayout::find_bounds() {
  for (const SceneLine& line : lines_) {
    const PixelBox box{line.shift, line.y - line.above, line.shift + axis_.length(),
                       line.y + line.below};
    if (&line == &lines_.front()) bounds_ = box;
    bounds_.include(box);
    for (const auto& [position, width] : positions_) {
      const double text = text_width(tick_text(line, position), tick_size);
      const double x = axis_(static_cast<double>(position)) + line.shift;
      bounds_.include(PixelPoint{x - (slanted_ticks_ ? 0.8 : 0.5) * text, line.y});
      bounds_.include(PixelPoint{x + (slanted_ticks_ ? 0 : 0.5) * text, line.y});
    }
  }
  for (const SceneLookup& lookup : model_.lookups)
    for (const SceneRay& ray : lookup.rays)
      bounds_.include(project(lines_[line_of(ray.row)], ray.ray.origin));
}

}  // namespace rtindex
