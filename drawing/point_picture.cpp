#include "drawing/point_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "drawing/marks.hpp"
#include "drawing/svg.hpp"
#include "engine/box_batch.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/point_codec.hpp"
#include "kinds/scene/point_cells.hpp"

namespace rtindex {

namespace {

constexpr double point_page_width = 960;
constexpr double plot_left = 110;
constexpr double plot_top = 96;
constexpr double drawn_width = 800;
constexpr double plot_height = 460;
constexpr double plot_bottom = plot_top + plot_height;
constexpr double point_page_height = plot_bottom + 90;
constexpr std::size_t max_drawn_points = 100;

class PointPainter {
 public:
  PointPainter(const ColumnView& points, const Query& box, const PictureOptions& options)
      : points_(points),
        box_(box),
        options_(options),
        codec_(points),
        encoded_(codec_.encode(points, points.size())),
        cells_(encoded_.points),
        space_(cells_.space()) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      std::vector<std::vector<std::uint64_t>>& cells = keys_[axis];
      cells.resize(space_.axes[axis].cells);
      for (std::size_t i = 0; i < encoded_.size(); ++i) {
        const std::uint64_t key = encoded_.points[axis][i];
        cells[space_.axes[axis].cell_of(key)].push_back(key);
      }
      for (std::vector<std::uint64_t>& keys : cells) {
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      }
    }
  }

  [[nodiscard]] std::string svg() const {
    const Index index = build(points_, "rx:native@cpu");
    const Answers answers = index.answer(box_, {.answers = Answer::rows});
    std::vector<std::uint32_t> found(answers.rows(0).begin(), answers.rows(0).end());
    std::sort(found.begin(), found.end());
    Svg svg(point_page_width, point_page_height, options_.title, subtitle());
    svg.element("rect", {{"x", 0.5},
                         {"y", 0.5},
                         {"width", point_page_width - 1},
                         {"height", point_page_height - 1},
                         {"rx", 14},
                         {"fill", "#ffffff"},
                         {"stroke", hairline}});
    svg.text(32, 46, options_.title, {{"fill", ink}, {"font-size", 24}, {"font-weight", 700}});
    svg.text(32, 70, subtitle(), {{"fill", soft_ink}, {"font-size", 14}});
    paint_cells(svg);
    const ColumnView unset;
    const LookupBatch batch(codec_, unset, unset, QueryKind::box, {}, 0, 1, box_.conditions);
    const BoxBatch boxes(batch);
    Box query;
    boxes.encode(0, 1, &query);
    boxes.visit_boxes(query, [&](const Box& one) { paint_box(svg, one); });
    std::map<std::pair<double, double>, int> drawn;  // equal points lie side by side
    for (std::size_t i = 0; i < encoded_.size(); ++i) {
      PixelPoint at = point_of(i);
      at.x += 22 * drawn[{at.x, at.y}]++;
      const std::uint32_t row = encoded_.row(i);
      if (std::binary_search(found.begin(), found.end(), row))
        paint_hit(svg, {at.x, at.y - 13}, ray_colour(0), "Q1", row);
      paint_label(svg, at, 24, row);
    }
    std::string text = found.empty() ? "Q1  →  no rows" : "Q1  →  rows";
    for (const std::uint32_t row : found) text += fmt::format(" {}", row);
    svg.text(32, plot_bottom + 66, text, {{"fill", ray_colour(0)}, {"font-size", 14}});
    return svg.finish();
  }

 private:
  [[nodiscard]] std::string subtitle() const {
    return fmt::format("{} points in {} x {} cells · a box and its rays", encoded_.size(),
                       space_.axes[0].cells, space_.axes[1].cells);
  }

  // Positions on an axis are cells and parts of them.
  [[nodiscard]] double x(double position) const {
    return plot_left + drawn_width * position / space_.axes[0].cells;
  }
  [[nodiscard]] double y(double position) const {
    return plot_bottom - plot_height * position / space_.axes[1].cells;
  }
  // `before`: keys of the cell that lie before the position.
  [[nodiscard]] double in_cell(std::size_t axis, std::uint32_t cell, double before) const {
    return cell + before / static_cast<double>(std::max<std::size_t>(keys_[axis][cell].size(), 1));
  }
  [[nodiscard]] double lower_edge(std::size_t axis, std::uint64_t key) const {
    const std::uint32_t cell = space_.axes[axis].cell_of(key);
    const std::vector<std::uint64_t>& keys = keys_[axis][cell];
    return in_cell(
        axis, cell,
        static_cast<double>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()));
  }
  [[nodiscard]] double upper_edge(std::size_t axis, std::uint64_t key) const {
    const std::uint32_t cell = space_.axes[axis].cell_of(key);
    const std::vector<std::uint64_t>& keys = keys_[axis][cell];
    return in_cell(
        axis, cell,
        static_cast<double>(std::upper_bound(keys.begin(), keys.end(), key) - keys.begin()));
  }
  [[nodiscard]] PixelPoint point_of(std::size_t i) const {
    const auto middle = [&](std::size_t axis) {
      const std::uint64_t key = encoded_.points[axis][i];
      return (lower_edge(axis, key) + upper_edge(axis, key)) / 2;
    };
    return {x(middle(0)), y(middle(1))};
  }

  // The grid, and the least value of each cell beside it.
  void paint_cells(Svg& svg) const {
    const auto line = [&](PixelPoint from, PixelPoint to) {
      svg.element(
          "path",
          {{"d", path_through({from, to}, false)}, {"stroke", hairline}, {"stroke-width", 1.4}});
    };
    for (std::uint32_t i = 0; i <= space_.axes[0].cells; ++i)
      line({x(i), plot_top}, {x(i), plot_bottom});
    for (std::uint32_t i = 0; i <= space_.axes[1].cells; ++i)
      line({plot_left, y(i)}, {plot_left + drawn_width, y(i)});
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::uint32_t cell = 0; cell < space_.axes[axis].cells; ++cell) {
        const std::string text = least_in(axis, cell);
        if (axis == 0)
          svg.text(x(cell), plot_bottom + 18, text,
                   {{"fill", soft_ink}, {"font-size", 12.5}, {"text-anchor", "start"}});
        else
          svg.text(plot_left - 8, y(cell), text,
                   {{"fill", soft_ink}, {"font-size", 12.5}, {"text-anchor", "end"}});
      }
  }

  [[nodiscard]] std::string least_in(std::size_t axis, std::uint32_t cell) const {
    const std::vector<std::uint64_t>& keys = keys_[axis][cell];
    for (std::size_t i = 0; i < encoded_.size() && !keys.empty(); ++i) {
      if (encoded_.points[axis][i] != keys.front()) continue;
      const ColumnView& column = points_.parts()[axis];
      return column.text(encoded_.row(i));
    }
    return "";
  }

  void paint_box(Svg& svg, const Box& query) const {
    PointBox box{};
    for (std::size_t axis = 0; axis < 2; ++axis) box.keys[axis] = {0, codec_.largest(axis)};
    for (std::uint32_t i = 0; i < query.count; ++i)
      box.keys[query.sides[i].column] = {query.sides[i].lower, query.sides[i].upper};
    const double left = x(lower_edge(0, box.keys[0].lower));
    const double top = y(upper_edge(1, box.keys[1].upper));
    svg.element("rect", {{"x", left},
                         {"y", top},
                         {"width", x(upper_edge(0, box.keys[0].upper)) - left},
                         {"height", y(lower_edge(1, box.keys[1].lower)) - top},
                         {"fill", ray_colour(0)},
                         {"fill-opacity", 0.08},
                         {"stroke", ray_colour(0)},
                         {"stroke-width", 2},
                         {"class", "box"}});
    const BoxRays rays(space_, box);
    for (std::uint64_t i = 0; i < rays.count(); ++i) {
      // The middle of a cell has a whole number as its coordinate in the scene.
      const Ray ray = rays.ray(space_, i).ray;
      const PixelPoint from{x(ray.origin.x + 0.5), y(ray.origin.y + 0.5)};
      const PixelPoint to{x(ray.origin.x + 0.5 + ray.direction.x * ray.t_max),
                          y(ray.origin.y + 0.5 + ray.direction.y * ray.t_max)};
      svg.open("g", {{"class", "ray"}, {"data-lookup", "Q1"}});
      paint_line(svg, from, paint_arrow(svg, from, to, ray_colour(0)), ray_colour(0));
      paint_origin(svg, from, ray_colour(0));
      svg.close();
    }
  }

  const ColumnView& points_;
  const Query& box_;
  const PictureOptions& options_;
  PointCodec codec_;
  EncodedColumn encoded_;
  PointCells cells_;
  PointSpace space_;
  // Of each cell of an axis: ascending, each once.
  std::array<std::vector<std::vector<std::uint64_t>>, 2> keys_;
};

}  // namespace

std::string point_picture(const ColumnView& points, const Query& box,
                          const PictureOptions& options) {
  if (points.parts().size() != 2)
    fail("points of {} columns cannot be drawn: pass conditions on two", points.parts().size());
  if (points.empty() || points.size() > max_drawn_points)
    fail("the columns have {} rows: expected 1 to {}; draw a part of them", points.size(),
         max_drawn_points);
  return PointPainter(points, box, options).svg();
}

}  // namespace rtindex
