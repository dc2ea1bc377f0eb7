#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "drawing/svg.hpp"

// Colours and small marks that the scene, the table and the legend share.

namespace rtindex {

// Soft fills with strong outlines of the same hue for rows; deep colours for rays, so that a ray
// stands out from what it hits. All are legible on white.
struct RowColour {
  std::string_view fill, line;
};

inline constexpr std::array<RowColour, 10> row_colours = {{{"#a9cdf0", "#2f6fa8"},
                                                           {"#fbcb9b", "#b3610d"},
                                                           {"#b2dfab", "#35792f"},
                                                           {"#d5c0ee", "#6b48a6"},
                                                           {"#f6e08c", "#8a6f07"},
                                                           {"#9fdcd6", "#1b766f"},
                                                           {"#f7bcc6", "#ad4058"},
                                                           {"#dfcab6", "#7d5738"},
                                                           {"#bfc8f5", "#4450ad"},
                                                           {"#d6e69b", "#5e7016"}}};

inline constexpr std::array<std::string_view, 8> ray_colours = {
    "#d81b50", "#1259c9", "#0b8043", "#8424d6", "#cf5d00", "#007a86", "#b8189c", "#75491f"};

[[nodiscard]] constexpr const RowColour& row_colour(std::size_t row) {
  return row_colours[row % row_colours.size()];
}
[[nodiscard]] constexpr std::string_view ray_colour(std::size_t lookup) {
  return ray_colours[lookup % ray_colours.size()];
}

inline constexpr std::string_view ink = "#1d2733";
inline constexpr std::string_view soft_ink = "#5b6876";
inline constexpr std::string_view faint_ink = "#9aa6b2";
inline constexpr std::string_view hairline = "#d5dce4";
inline constexpr std::string_view panel = "#f4f7fa";
inline constexpr std::string_view volume = "#50657f";

// A rowID in the colour of its row, centred at a point.
void paint_label(Svg& svg, PixelPoint centre, double width, std::uint32_t row);
// A line with a white edge, which sets it off from what it crosses.
void paint_line(Svg& svg, PixelPoint from, PixelPoint to, std::string_view colour);
// The tip of a ray from `from`; returns the point where its line ends.
PixelPoint paint_arrow(Svg& svg, PixelPoint from, PixelPoint tip, std::string_view colour);
void paint_origin(Svg& svg, PixelPoint at, std::string_view colour);
void paint_hit(Svg& svg, PixelPoint at, std::string_view colour, std::string_view lookup,
               std::uint32_t row);

}  // namespace rtindex
