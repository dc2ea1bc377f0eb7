#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace rtindex {

// The width of an axis, in pixels.
struct AxisStyle {
  double unit = 100;       // one position of the scene
  double gap = 20;         // between two neighbouring positions, in addition to their widths
  double break_width = 0;  // instead of the omitted positions between two others
};

// Integer positions on a line, mapped to pixels. The axis has a break in place of positions that
// are not listed.
class BrokenAxis {
 public:
  BrokenAxis() = default;
  // `widths`: the positions to show, and the width of each.
  BrokenAxis(const std::map<std::int64_t, double>& widths, const AxisStyle& style);

  // The pixel of a coordinate; linear within a position, beyond the ends with the unit of the
  // style.
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
