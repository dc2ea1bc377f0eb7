#pragma once

#include <cstdint>
#include <string_view>

#include "picture/svg.hpp"

namespace rtindex {

// The small signs that scene and legend share.

// A rowID in the colour of its row, centred at a point.
void paint_label(Svg& svg, PixelPoint centre, double width, std::uint32_t row);
// A line with a white edge, so that it can be told from what it crosses.
void paint_line(Svg& svg, PixelPoint from, PixelPoint to, std::string_view colour);
// The tip of a ray that comes from `from`; gives the point where its line ends.
PixelPoint paint_arrow(Svg& svg, PixelPoint from, PixelPoint tip, std::string_view colour);
void paint_origin(Svg& svg, PixelPoint at, std::string_view colour);
void paint_hit(Svg& svg, PixelPoint at, std::string_view colour, std::string_view lookup,
               std::uint32_t row);

}  // namespace rtindex
