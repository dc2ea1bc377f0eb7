#pragma once

#include "drawing/scene_layout.hpp"
#include "drawing/scene_model.hpp"
#include "drawing/svg.hpp"

namespace rtindex {

// A table of the column: rowID, key, and coordinates if the scene has rows. Long columns have no
// table.
class ColumnTable {
 public:
  ColumnTable(const SceneModel& model, const SceneLayout& layout);
  [[nodiscard]] double width() const;
  [[nodiscard]] double height() const;
  void paint(Svg& svg, PixelPoint at) const;

 private:
  struct Row {
    std::uint32_t row;
    std::vector<std::string> cells;
  };
  std::vector<std::string> header_;
  std::vector<Row> rows_;  // by rowID
  std::vector<double> widths_;
  double label_width_;
};

}  // namespace rtindex
