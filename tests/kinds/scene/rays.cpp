#include "kinds/scene/rays.hpp"

#include <gtest/gtest.h>

#include "kinds/scene/exact_hit.hpp"
#include "kinds/scene/scene_cases.hpp"

namespace rtindex::test {
namespace {

class Rays : public testing::TestWithParam<Coordinates> {
 protected:
  [[nodiscard]] std::vector<RayKind> kinds() const {
    if (coordinates.mode == KeyMode::extended) return {RayKind::zero};
    return {RayKind::offset, RayKind::zero};
  }

  // Places around both ends and in the middle of first..last.
  [[nodiscard]] std::vector<std::uint32_t> around(std::uint32_t first, std::uint32_t last) const {
    std::vector<std::uint32_t> result;
    for (const std::int64_t centre :
         {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
          (static_cast<std::int64_t>(first) + last) / 2})
      for (std::int64_t place = centre - 9; place <= centre + 9; ++place)
        if (0 <= place && place <= static_cast<std::int64_t>(coordinates.last_place()))
          result.push_back(static_cast<std::uint32_t>(place));
    return result;
  }

  const Coordinates coordinates = GetParam();
};

TEST_P(Rays, OfPointsHitTheirKeyAndNoOther) {
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    for (const RayKind kind : {RayKind::perpendicular, RayKind::offset, RayKind::zero}) {
      if (coordinates.mode == KeyMode::extended && kind == RayKind::offset) continue;
      const Ray ray = point_ray(coordinates, kind, key);
      ASSERT_GE(ray.t_min, 0) << key;
      ASSERT_LT(ray.t_min, ray.t_max) << key;
      ASSERT_TRUE(hits(ray, triangle_at(coordinates, key)))
          << "key " << key << ", ray " << static_cast<int>(kind);
      if (!ray.t_decides) continue;
      if (key > 0) {
        ASSERT_FALSE(hits(ray, triangle_at(coordinates, key - 1))) << key;
      }
      if (key < coordinates.largest_key()) {
        ASSERT_FALSE(hits(ray, triangle_at(coordinates, key + 1))) << key;
      }
    }
  }
}

TEST_P(Rays, AlongARowHitEveryPositionOfTheirRangeAndNoOther) {
  const std::vector<std::uint32_t> ends = places(coordinates);
  for (std::size_t i = 0; i < ends.size(); i += 3)
    for (std::size_t j = i; j < ends.size(); j += 1 + (j - i) / 2)
      for (const RayKind kind : kinds()) {
        const Ray ray = row_ray(coordinates, kind, 0, ends[i], ends[j]);
        ASSERT_TRUE(std::isfinite(ray.t_max));
        ASSERT_GE(ray.t_min, 0);
        for (const std::uint32_t place : around(ends[i], ends[j])) {
          const bool wanted = ends[i] <= place && place <= ends[j];
          const bool got = hits(ray, triangle_at(coordinates, place));
          if (wanted) {
            ASSERT_TRUE(got) << place << " in " << ends[i] << ".." << ends[j];
          }
          if (!wanted && ray.t_decides) {
            ASSERT_FALSE(got) << place << " in " << ends[i] << ".." << ends[j];
          }
        }
      }
}

// Where t decides, a tracer's error of some units in the last place must not matter.
TEST_P(Rays, ThatTrustTEndWellInsideTheGaps) {
  if (coordinates.mode == KeyMode::extended) return;
  const std::vector<std::uint32_t> ends = places(coordinates);
  for (std::size_t i = 0; i < ends.size(); i += 2)
    for (std::size_t j = i; j < ends.size(); j += 3)
      for (const RayKind kind : kinds()) {
        const Ray ray = row_ray(coordinates, kind, 0, ends[i], ends[j]);
        if (!ray.t_decides) continue;
        const double error = 8 * static_cast<double>(ray.t_max) * 0x1p-24;
        const auto scale = static_cast<double>(coordinates.scale);
        const auto origin = static_cast<double>(ray.origin.x);
        const double start = (origin + static_cast<double>(ray.t_min)) / scale;
        const double end = (origin + static_cast<double>(ray.t_max)) / scale;
        ASSERT_LT(start + error / scale, ends[i]) << ends[i];
        if (ray.t_min > 0) {
          ASSERT_GT(start - error / scale, ends[i] - 1.0) << ends[i];
        }
        ASSERT_GT(end - error / scale, ends[j]) << ends[j];
        ASSERT_LT(end + error / scale, ends[j] + 1.0) << ends[j];
      }
}

TEST_P(Rays, OfARangeCoverExactlyItsKeys) {
  if (coordinates.mode != KeyMode::three_d) return;
  const std::vector<std::uint64_t> keys = boundary_keys(coordinates);
  for (std::size_t i = 0; i < keys.size(); i += 7) {
    const std::uint64_t room = coordinates.largest_key() - keys[i];
    for (const std::uint64_t width : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}}) {
      const Interval range{keys[i], keys[i] + std::min(width, room)};
      for (const RayKind kind : kinds())
        for (std::uint64_t row = coordinates.row_of(range.lower);
             row <= coordinates.row_of(range.upper); ++row) {
          const Ray ray = range_ray(coordinates, kind, range, row);
          const std::uint64_t low = range.lower - std::min<std::uint64_t>(range.lower, 6);
          const std::uint64_t high =
              range.upper + std::min<std::uint64_t>(coordinates.largest_key() - range.upper, 6);
          for (std::uint64_t key = low; key <= high; ++key) {
            const bool wanted = range.contains(key) && coordinates.row_of(key) == row;
            const bool got = hits(ray, triangle_at(coordinates, key));
            if (wanted || (ray.t_decides && coordinates.row_of(key) == row)) {
              ASSERT_EQ(got, wanted) << key << " in " << range.lower << ".." << range.upper;
            }
            if (coordinates.row_of(key) != row) {
              ASSERT_FALSE(got) << key;
            }
            if (key == ~std::uint64_t{0}) break;
          }
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scene, Rays, testing::ValuesIn(scene_cases()), case_name);

}  // namespace
}  // namespace rtindex::test
