#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"
#include "keys/interval.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex {

// Points of two or three columns in a scene, as RTScan (PVLDB 17(6), 2024) has them: each column is
// an axis, each row a primitive, and a box query a grid of parallel rays along its shortest side.
//
// An axis is cut into cells with about as many rows each, so that skewed columns stay balanced. A
// primitive lies in the middle of its cell and reaches less than half the way to the next one; rays
// pass through the middles of cells. Each primitive therefore lies on one ray at most. Cells that a
// box covers in part also have rows outside of it: the encoded keys of a hit decide.

inline constexpr std::uint32_t max_point_axes = 3;

// One axis. Points of two columns have a third axis with one cell.
struct PointAxis {
  const std::uint64_t* first_keys;  // the least key of each cell, ascending; that of the first is 0
  std::uint32_t cells;
  std::uint32_t shift, mask;  // of the cell in a place

  [[nodiscard]] RTINDEX_HD std::uint32_t cell_of(std::uint64_t key) const {
    std::uint32_t begin = 0;
    std::uint32_t end = cells;
    while (end - begin > 1) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (first_keys[middle] <= key)
        begin = middle;
      else
        end = middle;
    }
    return begin;
  }
  [[nodiscard]] RTINDEX_HD std::uint32_t cell_in(std::uint32_t place) const {
    return place >> shift & mask;
  }
};

// A place is the cells of a point on all axes.
struct PointSpace {
  PointAxis axes[max_point_axes];
  std::uint32_t columns;

  [[nodiscard]] RTINDEX_HD Aabb primitive_at(std::uint32_t place) const {
    const auto x = static_cast<float>(axes[0].cell_in(place));
    const auto y = static_cast<float>(axes[1].cell_in(place));
    const auto z = static_cast<float>(axes[2].cell_in(place));
    return {{x - reach, y - reach, z - reach}, {x + reach, y + reach, z + reach}};
  }
};

// A query: encoded keys of each column from a lower to an upper one; all of them where the column
// has no condition.
struct PointBox {
  Interval keys[max_point_axes];
};

// A ray, and the places that it passes: those which equal `place` in the bits of `mask`.
struct PlaceRay {
  Ray ray;
  std::uint32_t place, mask;

  [[nodiscard]] RTINDEX_HD bool passes(std::uint32_t other) const {
    return (other & mask) == place;
  }
};

// The rays of a box: along its shortest side, one for each cell of the others.
struct BoxRays {
  std::uint32_t first[max_point_axes], last[max_point_axes];  // cells
  std::uint32_t along;                                        // the axis of the rays

  RTINDEX_HD BoxRays(const PointSpace& space, const PointBox& box) : along(0) {
    for (std::uint32_t axis = 0; axis < max_point_axes; ++axis) {
      const bool has_column = axis < space.columns;
      first[axis] = has_column ? space.axes[axis].cell_of(box.keys[axis].lower) : 0;
      last[axis] = has_column ? space.axes[axis].cell_of(box.keys[axis].upper) : 0;
      if (has_column && cells(axis) < cells(along)) along = axis;
    }
  }

  [[nodiscard]] RTINDEX_HD std::uint32_t cells(std::uint32_t axis) const {
    return last[axis] - first[axis] + 1;
  }
  [[nodiscard]] RTINDEX_HD std::uint64_t count() const {
    return std::uint64_t{cells(beside(1))} * cells(beside(2));
  }

  [[nodiscard]] RTINDEX_HD PlaceRay ray(const PointSpace& space, std::uint64_t i) const {
    const std::uint32_t one = beside(1);
    const std::uint32_t other = beside(2);
    std::uint32_t cell[max_point_axes];
    cell[along] = first[along];
    cell[one] = first[one] + static_cast<std::uint32_t>(i % cells(one));
    cell[other] = first[other] + static_cast<std::uint32_t>(i / cells(one));
    PlaceRay cast{};
    float origin[max_point_axes];
    for (std::uint32_t axis = 0; axis < max_point_axes; ++axis) {
      origin[axis] = static_cast<float>(cell[axis]) - (axis == along ? 0.5F : 0.0F);
      if (axis == along) continue;
      cast.place |= cell[axis] << space.axes[axis].shift;
      cast.mask |= space.axes[axis].mask << space.axes[axis].shift;
    }
    const auto is_along = [&](std::uint32_t axis) { return axis == along ? 1.0F : 0.0F; };
    cast.ray = {{origin[0], origin[1], origin[2]},
                {is_along(0), is_along(1), is_along(2)},
                0,
                static_cast<float>(cells(along)),
                false};
    return cast;
  }

  // Whether the point at a place that a ray passes lies in the box. Its keys are read only where
  // its cell lies at the surface of the box; `key_of(column)` reads one.
  template <class KeyOf>
  [[nodiscard]] RTINDEX_HD bool contains(const PointSpace& space, const PointBox& box,
                                         std::uint32_t place, const KeyOf& key_of) const {
    for (std::uint32_t axis = 0; axis < space.columns; ++axis) {
      const std::uint32_t cell = space.axes[axis].cell_in(place);
      if (cell > first[axis] && cell < last[axis]) continue;
      if (!box.keys[axis].contains(key_of(axis))) return false;
    }
    return true;
  }

 private:
  // The axes that are not that of the rays.
  [[nodiscard]] RTINDEX_HD std::uint32_t beside(std::uint32_t step) const {
    return (along + step) % max_point_axes;
  }
};

}  // namespace rtindex
