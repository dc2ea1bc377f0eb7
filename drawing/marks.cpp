#include "drawing/marks.hpp"

#include <cmath>
#include <string>

#include "drawing/scene_layout.hpp"

namespace rtindex {

namespace {

constexpr double line_width = 2.6;
constexpr double arrow_length = 12;
constexpr double arrow_half_width = 5.2;

}  // namespace

void paint_label(Svg& svg, PixelPoint centre, double width, std::uint32_t row) {
  svg.element("rect", {{"x", centre.x - width / 2},
                       {"y", centre.y - label_height / 2},
                       {"width", width},
                       {"height", label_height},
                       {"rx", label_height / 2},
                       {"fill", row_colour(row).line}});
  svg.text(centre.x, centre.y + 4.2, std::to_string(row),
           {{"fill", "#ffffff"},
            {"font-size", 12},
            {"font-weight", 700},
            {"text-anchor", "middle"},
            {"class", "row"}});
}

void paint_line(Svg& svg, PixelPoint from, PixelPoint to, std::string_view colour) {
  const std::string path = path_through({from, to}, false);
  svg.element("path", {{"d", path},
                       {"stroke", "#ffffff"},
                       {"stroke-width", line_width + 3},
                       {"stroke-opacity", 0.75}});
  svg.element("path", {{"d", path}, {"stroke", colour}, {"stroke-width", line_width}});
}

PixelPoint paint_arrow(Svg& svg, PixelPoint from, PixelPoint tip, std::string_view colour) {
  const double length = std::max(std::hypot(tip.x - from.x, tip.y - from.y), 0.01);
  const PixelPoint along{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const PixelPoint base{tip.x - along.x * arrow_length, tip.y - along.y * arrow_length};
  const PixelPoint side{-along.y * arrow_half_width, along.x * arrow_half_width};
  svg.element(
      "path",
      {{"d",
        path_through({tip, {base.x + side.x, base.y + side.y}, {base.x - side.x, base.y - side.y}},
                     true)},
       {"fill", colour},
       {"stroke", "#ffffff"},
       {"stroke-width", 0.8},
       {"stroke-linejoin", "round"}});
  return {base.x + along.x, base.y + along.y};
}

void paint_origin(Svg& svg, PixelPoint at, std::string_view colour) {
  svg.element("circle", {{"cx", at.x},
                         {"cy", at.y},
                         {"r", 4.6},
                         {"fill", colour},
                         {"stroke", "#ffffff"},
                         {"stroke-width", 1.2}});
}

void paint_hit(Svg& svg, PixelPoint at, std::string_view colour, std::string_view lookup,
               std::uint32_t row) {
  svg.open("g", {{"class", "hit"}, {"data-lookup", lookup}, {"data-row", row}});
  svg.element("circle", {{"cx", at.x},
                         {"cy", at.y},
                         {"r", 5.6},
                         {"fill", "#ffffff"},
                         {"stroke", colour},
                         {"stroke-width", 2.4}});
  svg.element("circle", {{"cx", at.x}, {"cy", at.y}, {"r", 2.1}, {"fill", colour}});
  svg.close();
}

}  // namespace rtindex
