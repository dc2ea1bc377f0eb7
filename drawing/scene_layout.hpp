#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "drawing/broken_axis.hpp"
#include "drawing/scene_model.hpp"
#include "drawing/svg.hpp"

namespace rtindex {

struct PixelBox {
  double left = 0, top = 0, right = 0, bottom = 0;

  void include(PixelPoint point);
  void include(const PixelBox& box);
  [[nodiscard]] PixelBox grown(double by) const {
    return {left - by, top - by, right + by, bottom + by};
  }
};

// A row of the scene: its keys lie on one line of the picture.
struct SceneLine {
  std::uint64_t row = 0;
  std::size_t plane = 0;  // which of the occupied z coordinates, from the lowest
  double y = 0;           // the line's own height in the picture
  double shift = 0;       // planes further away are drawn further to the right
  double above = 0, below = 0;
};

// All rows with one key, which lie at one position; the picture fans them out.
struct Pile {
  std::size_t first = 0;  // in SceneModel::keys
  std::size_t count = 0;
  std::size_t line = 0;
  std::int64_t position = 0;
};

struct LayoutOptions {
  bool bvh = false;
};

// Positions in pixels: the scene seen along z, a little from the side (an oblique
// projection), so that rays along z are visible too. Rows of the scene are stacked upwards.
class SceneLayout {
 public:
  SceneLayout(const SceneModel& model, const LayoutOptions& options);

  [[nodiscard]] const std::vector<SceneLine>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<Pile>& piles() const { return piles_; }
  // The positions that are shown, with their widths.
  [[nodiscard]] const std::map<std::int64_t, double>& positions() const { return positions_; }
  [[nodiscard]] const BrokenAxis& axis() const { return axis_; }
  [[nodiscard]] std::size_t planes() const { return planes_; }
  [[nodiscard]] double unit() const { return unit_; }
  // The extent of the scene, labels included; the first line's axis starts at x = 0.
  [[nodiscard]] const PixelBox& bounds() const { return bounds_; }
  [[nodiscard]] std::size_t line_of(std::uint64_t row) const;
  [[nodiscard]] bool slanted_ticks() const { return slanted_ticks_; }
  // The text under a position of a line; empty for none.
  [[nodiscard]] std::string tick_text(const SceneLine& line, std::int64_t position) const;

  // A point of the scene that belongs to a line.
  [[nodiscard]] PixelPoint project(const SceneLine& line, Point point) const;
  // The offset of the i-th primitive of a pile, so that each is visible.
  [[nodiscard]] PixelPoint fan(const Pile& pile, std::size_t i) const;
  // The labels of a pile lie above it, in columns.
  [[nodiscard]] PixelPoint label_at(const Pile& pile, std::size_t i) const;
  [[nodiscard]] double label_width() const { return label_width_; }
  // The extent of the i-th primitive of a pile.
  [[nodiscard]] PixelBox box_of(const Pile& pile, std::size_t i) const;
  // How far primitives, and the volumes around them, reach above and below their line.
  [[nodiscard]] double primitive_top() const { return -primitive_.top; }
  [[nodiscard]] double primitive_bottom() const { return primitive_.bottom; }

 private:
  void find_lines();
  void find_piles();
  // The positions that keys or rays use, with the columns of labels above them.
  [[nodiscard]] std::map<std::int64_t, std::size_t> shown_positions() const;
  void find_positions();
  [[nodiscard]] bool ticks_touch(const SceneLine& line) const;
  void measure_primitive();
  void stack_lines();
  void find_bounds();
  [[nodiscard]] double position_at(float x) const;

  const SceneModel& model_;
  LayoutOptions options_;
  std::vector<SceneLine> lines_;
  std::vector<Pile> piles_;
  std::map<std::int64_t, double> positions_;
  std::map<std::uint64_t, std::string> key_texts_;
  BrokenAxis axis_;
  std::size_t planes_ = 1;
  double unit_ = 100;          // pixels of one position along x
  double lateral_unit_ = 100;  // and of one unit along y and z
  double volume_room_ = 0;     // for volumes around volumes
  double label_width_ = 24;
  bool slanted_ticks_ = false;
  PixelBox primitive_;  // around the point of a key
  PixelBox bounds_;
};

// The corners of a key's primitive: faces for a triangle and a box, a square for a sphere.
[[nodiscard]] std::vector<Point> corners_of(const RxOptions& options, std::uint64_t key);

inline constexpr double volume_margin = 6;  // between a bounding volume and its content
inline constexpr double axis_gap = 12;      // between primitives and their axis
inline constexpr double label_height = 17;
inline constexpr double label_pitch = 20;
inline constexpr double tick_size = 13;

// An estimate, good enough to keep texts apart.
[[nodiscard]] double text_width(std::string_view text, double size);
// The text, or its start and end where it has more than `longest` characters.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);

}  // namespace rtindex
