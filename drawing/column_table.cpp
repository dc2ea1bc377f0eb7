#include "drawing/column_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/marks.hpp"

namespace rtindex {

namespace {

constexpr std::size_t max_rows = 14;
constexpr double row_height = 24;
constexpr double table_text_size = 14;
constexpr double cell_gap = 18;

std::string coordinate(float value, float scale) { return fmt::format("{:.0f}", value / scale); }

}  // namespace

ColumnTable::ColumnTable(const SceneModel& model, const SceneLayout& layout)
    : label_width_(layout.label_width()) {
  if (model.keys.size() > max_rows) return;
  const Coordinates& coordinates = model.options.coordinates;
  header_ = {"key"};
  if (layout.lines().size() > 1) header_.insert(header_.end(), {"x", "y"});
  if (layout.planes() > 1) header_.emplace_back("z");
  for (const SceneKey& key : model.keys) {
    const Point point = coordinates.point_of(key.key);
    std::vector<std::string> cells = {
        shortened(key.text, 20), coordinate(point.x, coordinates.scale),
        coordinate(point.y, coordinates.scale), coordinate(point.z, coordinates.scale)};
    cells.resize(header_.size());
    rows_.push_back({key.row, std::move(cells)});
  }
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.row < b.row; });
  for (std::size_t column = 0; column < header_.size(); ++column) {
    double width = text_width(header_[column], table_text_size);
    for (const Row& row : rows_)
      width = std::max(width, text_width(row.cells[column], table_text_size));
    widths_.push_back(width);
  }
}

double ColumnTable::width() const {
  if (rows_.empty()) return 0;
  double width = std::max(label_width_, 34.0);
  for (const double column : widths_) width += column + cell_gap;
  return width + 8;
}

double ColumnTable::height() const {
  return rows_.empty() ? 0 : row_height * static_cast<double>(rows_.size() + 1) + 6;
}

void ColumnTable::paint(Svg& svg, PixelPoint at) const {
  if (rows_.empty()) return;
  svg.open("g", {{"class", "column"}, {"font-size", table_text_size}, {"text-anchor", "end"}});
  const double label_x = at.x + std::max(label_width_, 34.0) / 2;
  svg.text(label_x, at.y + 15, "row", {{"fill", soft_ink}, {"text-anchor", "middle"}});
  const auto paint_cells = [&](const std::vector<std::string>& cells, double y, bool is_header) {
    double x = at.x + std::max(label_width_, 34.0);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      x += cell_gap + widths_[column];
      svg.text(x, y, cells[column], {{"fill", is_header || column > 0 ? soft_ink : ink}});
    }
  };
  paint_cells(header_, at.y + 15, true);
  svg.element(
      "path",
      {{"d", path_through({{at.x, at.y + row_height}, {at.x + width(), at.y + row_height}}, false)},
       {"stroke", hairline},
       {"stroke-width", 1.4}});
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double y = at.y + row_height * static_cast<double>(i + 1) + 6;
    paint_label(svg, {label_x, y + 12}, label_width_, rows_[i].row);
    paint_cells(rows_[i].cells, y + 17, false);
  }
  svg.close();
}

}  // namespace rtindex
