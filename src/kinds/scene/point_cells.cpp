#include "kinds/scene/point_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t place_grain = std::size_t{1} << 14;

// Fewer cells mean fewer rays, and more rows at the surface of a box that do not match.
constexpr double rows_in_cell = 4;
constexpr double max_cells = 0x1p30;  // in all; with the bits of each axis rounded up, 2^32
constexpr std::size_t max_axis_cells = std::size_t{1} << 12;

// Some keys of a column, sorted.
std::vector<std::uint64_t> sample_of(const PackedKeys& keys) {
  constexpr std::size_t sample_size = std::size_t{1} << 16;
  const std::size_t size = std::min(keys.size(), sample_size);
  std::vector<std::uint64_t> sample(size);
  for (std::size_t i = 0; i < size; ++i) sample[i] = keys[i * keys.size() / size];
  std::sort(sample.begin(), sample.end());
  return sample;
}

// The least keys of at most `cells` cells with about as many keys of the sample each.
std::vector<std::uint64_t> quantiles(const std::vector<std::uint64_t>& sample, std::size_t cells) {
  std::vector<std::uint64_t> first_keys = {0};
  for (std::size_t i = 1; i < cells && !sample.empty(); ++i) {
    const std::uint64_t key = sample[i * sample.size() / cells];
    if (key > first_keys.back()) first_keys.push_back(key);
  }
  return first_keys;
}

}  // namespace

PointCells::PointCells(std::span<const PackedKeys> columns) : columns_(columns.size()) {
  first_keys_.fill({0});
  std::vector<std::vector<std::uint64_t>> samples;
  std::vector<std::size_t> axes;  // those with the fewest keys first
  std::vector<std::size_t> distinct;
  for (const PackedKeys& column : columns) {
    axes.push_back(samples.size());
    std::vector<std::uint64_t> keys = samples.emplace_back(sample_of(column));
    distinct.push_back(
        static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin()));
  }
  std::sort(axes.begin(), axes.end(),
            [&](std::size_t a, std::size_t b) { return distinct[a] < distinct[b]; });
  // What an axis with few keys leaves, the others take.
  double left =
      std::clamp(static_cast<double>(columns.front().size()) / rows_in_cell, 1.0, max_cells);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double share = std::pow(left, 1.0 / static_cast<double>(axes.size() - i));
    const std::size_t cells =
        std::clamp(static_cast<std::size_t>(share), std::size_t{1}, max_axis_cells);
    first_keys_[axes[i]] = quantiles(samples[axes[i]], cells);
    left /= static_cast<double>(first_keys_[axes[i]].size());
  }
}

PointSpace PointCells::space() const {
  PointSpace space{};
  space.columns = static_cast<std::uint32_t>(columns_);
  int shift = 0;
  for (std::size_t axis = 0; axis < max_point_axes; ++axis) {
    const auto cells = static_cast<std::uint32_t>(first_keys_[axis].size());
    const int bits = std::bit_width(cells - 1);
    // An axis with one cell needs no bit, and a shift by 32 would be undefined.
    space.axes[axis] = {first_keys_[axis].data(), cells,
                        static_cast<std::uint32_t>(bits == 0 ? 0 : shift),
                        (std::uint32_t{1} << bits) - 1};
    shift += bits;
  }
  return space;
}

Array<std::uint32_t> PointCells::places(std::span<const PackedKeys> columns) const {
  const PointSpace all = space();
  Array<std::uint32_t> places(columns.front().size());
  parallel_for(places.size(), place_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      std::uint32_t place = 0;
      for (std::size_t axis = 0; axis < columns.size(); ++axis)
        place |= all.axes[axis].cell_of(columns[axis][i]) << all.axes[axis].shift;
      places[i] = place;
    }
  });
  return places;
}

void require_axes(std::size_t columns, std::string_view kind) {
  if (columns > max_point_axes)
    fail(ErrorKind::unsupported,
         "{} indexes points of 2 or 3 columns, got {}: use rx:native, which holds up to 8", kind,
         columns);
}

}  // namespace rtindex
