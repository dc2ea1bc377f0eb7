#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace rtindex {

// How wide an axis is drawn, in pixels.
struct AxisStyle {
  double unit = 100;       // one place of the scene
  double gap = 20;         // between two neighbouring places, on top of their widths
  double break_width = 0;  // in place of all places that are left out between two others
};

// Whole-numbered places on a line, mapped to pixels. Places between two listed ones that are not
// listed themselves are left out: the axis breaks there, and keeps its order.
class BrokenAxis {
 public:
  BrokenAxis() = default;
  // `widths`: the places to show, and the width of each.
  BrokenAxis(const std::map<std::int64_t, double>& widths, const AxisStyle& style);

  // Where a coordinate lies; linear within a place, beyond the ends with the unit of the style.
  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] double length() const { return length_; }
  // The middles of the breaks.
  [[nodiscard]] const std::vector<double>& breaks() const { return breaks_; }

 private:
  struct Knot {
    double value, pixel;
  };
  std::vector<Knot> knots_;
  std::vector<double> breaks_;
  double unit_ = 1;
  double length_ = 0;
};

}  // namespace rtindex
