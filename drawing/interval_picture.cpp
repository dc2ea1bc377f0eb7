#include "drawing/interval_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "drawing/marks.hpp"
#include "drawing/scene_layout.hpp"
#include "drawing/svg.hpp"

namespace rtindex {

namespace {

constexpr double page_width = 960;
constexpr double page_margin = 40;
constexpr double bars_top = 134;
constexpr double lane_height = 30;
constexpr double bar_height = 16;
constexpr double query_height = 24;
constexpr std::size_t max_drawn_intervals = 60;

double number_at(const ColumnView& column, std::size_t row) {
  return visit_native(column.type(), [&]<class T>() {
    return static_cast<double>(value_of(static_cast<const T*>(column.data())[row]));
  });
}

struct Bar {
  std::uint32_t row;
  double start, end;
  std::size_t lane;
};

// The first lane in which a bar does not touch another, by start.
std::vector<Bar> stacked(const ColumnView& column) {
  const ColumnView& start = column.parts()[0];
  const ColumnView& end = column.parts()[1];
  std::vector<Bar> bars;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (column.valid(row))
      bars.push_back(
          {static_cast<std::uint32_t>(row), number_at(start, row), number_at(end, row), 0});
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.start < b.start; });
  std::vector<double> lane_ends;
  for (Bar& bar : bars) {
    while (bar.lane < lane_ends.size() && lane_ends[bar.lane] >= bar.start) ++bar.lane;
    lane_ends.resize(std::max(lane_ends.size(), bar.lane + 1));
    lane_ends[bar.lane] = bar.end;
  }
  return bars;
}

class IntervalPainter {
 public:
  IntervalPainter(const ColumnView& column, std::span<const Query> queries,
                  const PictureOptions& options)
      : column_(column), queries_(queries), options_(options), bars_(stacked(column)) {
    if (bars_.empty()) fail("nothing to draw: the column has no intervals");
    for (const Bar& bar : bars_) {
      include(bar.start);
      include(bar.end);
      lanes_ = std::max(lanes_, bar.lane + 1);
    }
    for (const Query& query : queries_)
      for (const ColumnView* end : {&query.lower, &query.upper})
        if (end->has_value()) include(number_at(*end, 0));
  }

  [[nodiscard]] std::string svg() const {
    const double bottom = axis_y() + 56 + query_height * static_cast<double>(queries_.size());
    Svg svg(page_width, bottom, options_.title, subtitle());
    svg.element("rect", {{"x", 0.5},
                         {"y", 0.5},
                         {"width", page_width - 1},
                         {"height", std::ceil(bottom) - 1},
                         {"rx", 14},
                         {"fill", "#ffffff"},
                         {"stroke", hairline}});
    svg.text(32, 46, options_.title, {{"fill", ink}, {"font-size", 24}, {"font-weight", 700}});
    svg.text(32, 70, subtitle(), {{"fill", soft_ink}, {"font-size", 14}});
    for (const Bar& bar : bars_) paint(svg, bar);
    paint_axis(svg);
    const Index index = build(column_, "auto@cpu");
    for (std::size_t i = 0; i < queries_.size(); ++i) paint(svg, index, i);
    return svg.finish();
  }

 private:
  void include(double value) {
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }
  [[nodiscard]] double x(double value) const {
    const double extent = std::max(greatest_ - least_, 1e-9);
    return page_margin + (page_width - 2 * page_margin) * (value - least_) / extent;
  }
  [[nodiscard]] double y(std::size_t lane) const {
    return bars_top + lane_height * static_cast<double>(lane);
  }
  [[nodiscard]] double axis_y() const { return y(lanes_) + 6; }
  [[nodiscard]] std::string subtitle() const {
    return fmt::format("{} intervals {} · the rays of {} queries", bars_.size(),
                       name_of(*column_.interval_ends()), queries_.size());
  }

  void paint(Svg& svg, const Bar& bar) const {
    const RowColour& colour = row_colour(bar.row);
    svg.element("rect", {{"x", x(bar.start)},
                         {"y", y(bar.lane) - bar_height / 2},
                         {"width", std::max(2.0, x(bar.end) - x(bar.start))},
                         {"height", bar_height},
                         {"rx", 3},
                         {"fill", colour.fill},
                         {"stroke", colour.line},
                         {"stroke-width", 1.4},
                         {"class", "interval"},
                         {"data-row", bar.row}});
    paint_label(svg, {x(bar.start) + 14, y(bar.lane)}, 24, bar.row);
  }

  void paint_axis(Svg& svg) const {
    svg.element("path",
                {{"d", path_through({{page_margin, axis_y()}, {page_width - page_margin, axis_y()}},
                                    false)},
                 {"stroke", hairline},
                 {"stroke-width", 1.4}});
    const auto tick = [&](double value, const std::string& text, const char* anchor) {
      svg.text(x(value), axis_y() + 18, text,
               {{"fill", soft_ink}, {"font-size", 12.5}, {"text-anchor", anchor}});
    };
    const auto first = std::min_element(bars_.begin(), bars_.end(),
                                        [](auto& a, auto& b) { return a.start < b.start; });
    const auto last = std::max_element(bars_.begin(), bars_.end(),
                                       [](auto& a, auto& b) { return a.end < b.end; });
    tick(first->start, column_.parts()[0].text(first->row), "start");
    tick(last->end, column_.parts()[1].text(last->row), "end");
  }

  void paint(Svg& svg, const Index& index, std::size_t number) const {
    const Query& query = queries_[number];
    const std::string name = fmt::format("Q{}", number + 1);
    const std::string_view colour = ray_colour(number);
    const Answers answers = index.answer(query, {.answers = Answer::rows});
    const auto found = answers.rows(0);
    const double lower = number_at(query.lower, 0);
    // Across all bars at the point, or at the lower end.
    const PixelPoint from{x(lower), y(0) - 26};
    const PixelPoint across{x(lower), axis_y() - 4};
    paint_line(svg, from, paint_arrow(svg, from, across, colour), colour);
    paint_origin(svg, from, colour);
    if (query.upper.has_value()) {
      const PixelPoint along{x(number_at(query.upper, 0)), from.y};
      paint_line(svg, from, paint_arrow(svg, from, along, colour), colour);
    }
    svg.text(
        from.x, from.y - 9, name,
        {{"fill", colour}, {"font-size", 13}, {"font-weight", 700}, {"text-anchor", "middle"}});
    std::vector<std::uint32_t> rows(found.begin(), found.end());
    std::sort(rows.begin(), rows.end());
    for (const Bar& bar : bars_)
      if (std::binary_search(rows.begin(), rows.end(), bar.row))
        paint_hit(svg, {std::max(x(lower), x(bar.start)), y(bar.lane)}, colour, name, bar.row);
    std::string text = fmt::format("{}  {} {}", name, name_of(query.kind), query.lower.text(0));
    if (query.upper.has_value()) text += " to " + query.upper.text(0);
    text += rows.empty() ? "  →  no rows" : "  →  rows";
    for (const std::uint32_t row : rows) text += fmt::format(" {}", row);
    svg.text(32, axis_y() + 46 + query_height * static_cast<double>(number), text,
             {{"fill", colour}, {"font-size", 14}});
  }

  const ColumnView& column_;
  std::span<const Query> queries_;
  const PictureOptions& options_;
  std::vector<Bar> bars_;
  std::size_t lanes_ = 1;
  double least_ = std::numeric_limits<double>::max();
  double greatest_ = std::numeric_limits<double>::lowest();
};

}  // namespace

std::string interval_picture(const ColumnView& column, std::span<const Query> queries,
                             const PictureOptions& options) {
  if (column.parts().size() != 2)
    fail("intervals with leading columns cannot be drawn: remove --by, and draw one group");
  if (!is_native(column.parts()[0].type()))
    fail("{} intervals cannot be drawn: expected numbers or times",
         name_of(column.parts()[0].type()));
  if (column.size() > max_drawn_intervals)
    fail("the column has {} intervals: expected at most {}; draw a part of it", column.size(),
         max_drawn_intervals);
  return IntervalPainter(column, queries, options).svg();
}

}  // namespace rtindex
