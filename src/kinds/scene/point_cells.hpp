#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.hpp"
#include "keys/encoded_column.hpp"
#include "kinds/scene/point_rays.hpp"

namespace rtindex {

// The cells of points in a scene: where those of each axis start, and the place of each point.
class PointCells {
 public:
  explicit PointCells(std::span<const PackedKeys> columns);

  // A view of the axes, which this object must outlive.
  [[nodiscard]] PointSpace space() const;
  [[nodiscard]] const std::vector<std::uint64_t>& first_keys(std::size_t axis) const {
    return first_keys_[axis];
  }
  [[nodiscard]] Array<std::uint32_t> places(std::span<const PackedKeys> columns) const;

 private:
  std::size_t columns_;
  std::array<std::vector<std::uint64_t>, max_point_axes> first_keys_;
};

// Throws where a scene cannot hold points of so many columns. `kind`: "rx:embree".
void require_axes(std::size_t columns, std::string_view kind);

}  // namespace rtindex
