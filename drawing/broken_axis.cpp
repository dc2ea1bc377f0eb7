#include "drawing/broken_axis.hpp"

#include <algorithm>

namespace rtindex {

namespace {

// A primitive reaches 0.4 to both sides of its position; rays begin and end in the gap at 0.5.
constexpr double inside = 0.45;
constexpr double outside = 0.55;

}  // namespace

BrokenAxis::BrokenAxis(const std::map<std::int64_t, double>& widths, const AxisStyle& style)
    : unit_(style.unit) {
  double pixel = 0;
  std::int64_t previous = 0;
  for (const auto& [position, width] : widths) {
    const auto value = static_cast<double>(position);
    if (!knots_.empty() && position != previous + 1) {
      pixel += style.gap;
      knots_.push_back({static_cast<double>(previous) + outside, pixel});
      breaks_.push_back(pixel + style.break_width / 2);
      pixel += style.break_width;
      knots_.push_back({value - outside, pixel});
    }
    if (!knots_.empty()) pixel += style.gap;
    knots_.push_back({value - inside, pixel});
    pixel += width;
    knots_.push_back({value + inside, pixel});
    previous = position;
  }
  length_ = pixel;
  if (knots_.empty()) return;
  const Knot first = knots_.front();
  knots_.insert(knots_.begin(), {first.value - outside + inside, first.pixel - style.gap});
  knots_.push_back({knots_.back().value + outside - inside, pixel + style.gap});
}

double BrokenAxis::operator()(double value) const {
  if (knots_.empty()) return 0;
  if (value <= knots_.front().value)
    return knots_.front().pixel - (knots_.front().value - value) * unit_;
  if (value >= knots_.back().value)
    return knots_.back().pixel + (value - knots_.back().value) * unit_;
  const auto right = std::lower_bound(knots_.begin(), knots_.end(), value,
                                      [](const Knot& knot, double v) { return knot.value < v; });
  const Knot& b = *right;
  const Knot& a = *(right - 1);
  if (b.value <= a.value) return a.pixel;
  return a.pixel + (value - a.value) / (b.value - a.value) * (b.pixel - a.pixel);
}

}  // namespace rtindex
