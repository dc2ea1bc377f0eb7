#include "kinds/scene/edge_rays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "kinds/scene/exact_hit.hpp"
#include "kinds/scene/row_directory.hpp"
#include "kinds/scene/scene_cases.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

// A tracer whose t is wrong by as much as long_ray_slack allows, in either direction.
class RoundingTracer {
 public:
  RoundingTracer(const Coordinates& coordinates, const Keys& keys, Edge edge)
      : coordinates_(coordinates), keys_(keys), edge_(edge) {}

  bool closest(const Ray& ray, Interval passed, std::uint64_t& hit) {
    ++rays;
    double nearest = std::numeric_limits<double>::infinity();
    for_each(passed, [&](std::uint64_t key) {
      const std::optional<double> exact = exact_hit(ray, triangle_at(coordinates_, key));
      if (!exact) return;
      const double error = random_.one_in(2) ? 0x1p-20 : -0x1p-20;
      const double t = *exact * (1 + error);
      if (t < static_cast<double>(ray.t_min) || t > static_cast<double>(ray.t_max)) return;
      if (t >= nearest) return;
      nearest = t;
      hit = key;
    });
    return nearest != std::numeric_limits<double>::infinity();
  }

  void add_all_hits(const Ray& ray, Interval passed) {
    ++rays;
    for_each(passed, [&](std::uint64_t key) {
      if (!hits(ray, triangle_at(coordinates_, key))) return;
      if (!found || (edge_ == Edge::first ? key < *found : key > *found)) found = key;
    });
  }

  std::optional<std::uint64_t> found;
  std::size_t rays = 0;

 private:
  template <class Visit>
  void for_each(Interval passed, const Visit& visit) {
    for (auto at = std::lower_bound(keys_.begin(), keys_.end(), passed.lower);
         at != keys_.end() && *at <= passed.upper; ++at)
      visit(*at);
  }

  const Coordinates& coordinates_;
  const Keys& keys_;
  Edge edge_;
  Random random_{17};
};

// Keys in order, with the rows that they occupy.
struct SceneColumn {
  Keys keys;
  RowDirectory directory;

  SceneColumn(const Coordinates& coordinates, Keys unsorted) : keys(std::move(unsorted)) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    EncodedColumn column;
    column.span = keys.back();
    column.row_count = keys.size();
    column.keys = PackedKeys(keys.size(), column.span);
    for (std::size_t i = 0; i < keys.size(); ++i) column.keys.set(i, keys[i]);
    directory = RowDirectory(coordinates, column);
  }

  [[nodiscard]] std::optional<std::uint64_t> edge_of(Interval range, Edge edge) const {
    const auto first = std::lower_bound(keys.begin(), keys.end(), range.lower);
    const auto end = std::upper_bound(keys.begin(), keys.end(), range.upper);
    if (first == end) return std::nullopt;
    return edge == Edge::first ? *first : end[-1];
  }
};

class EdgeRaysOf : public testing::TestWithParam<Coordinates> {
 protected:
  [[nodiscard]] EdgeRays rays(bool all_rows) const {
    const bool extended = coordinates.mode == KeyMode::extended;
    return {coordinates, RayKind::perpendicular, extended ? RayKind::zero : RayKind::offset,
            all_rows};
  }

  // Ends beside, at and far from keys, and at the ends of the key space.
  [[nodiscard]] Keys ends_for(const SceneColumn& column) {
    Keys ends = {0, 1, coordinates.largest_key(), coordinates.largest_key() - 1};
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t key = random.pick(column.keys);
      ends.push_back(key);
      if (key != 0) ends.push_back(key - 1);
      if (key != coordinates.largest_key()) ends.push_back(key + 1);
      ends.push_back(random_key());
    }
    return ends;
  }

  [[nodiscard]] std::uint64_t random_key() {
    const std::uint64_t largest = coordinates.largest_key();
    return largest == ~std::uint64_t{0} ? random.bits() : random.bits() % (largest + 1);
  }

  void expect_edges(const SceneColumn& column, Interval range, bool all_rows) {
    for (const Edge edge : {Edge::first, Edge::last}) {
      RoundingTracer tracer(coordinates, column.keys, edge);
      const bool is_found = find_edge(rays(all_rows), column.directory, range, edge, tracer);
      const std::optional<std::uint64_t> expected = column.edge_of(range, edge);
      ASSERT_EQ(is_found, expected.has_value()) << range.lower << ".." << range.upper;
      ASSERT_EQ(tracer.found, expected) << (edge == Edge::first ? "first" : "last") << " of "
                                        << range.lower << ".." << range.upper;
    }
  }

  void expect_edges(const SceneColumn& column) {
    const Keys ends = ends_for(column);
    const std::uint64_t largest = coordinates.largest_key();
    for (const std::uint64_t end : ends) {
      expect_edges(column, {0, end}, false);
      expect_edges(column, {end, largest}, false);
      expect_edges(column, {end, end}, false);
      const std::uint64_t other = random.pick(ends);
      expect_edges(column, {std::min(end, other), std::max(end, other)}, false);
      expect_edges(column, {end, end + std::min(largest - end, std::uint64_t{30})}, true);
      if (HasFatalFailure()) return;
    }
  }

  const Coordinates coordinates = GetParam();
  Random random{5};
};

TEST_P(EdgeRaysOf, OneKey) {
  for (const std::uint64_t key : {std::uint64_t{0}, coordinates.largest_key(), random_key()})
    expect_edges(SceneColumn(coordinates, {key}));
}

TEST_P(EdgeRaysOf, KeysAtBorders) {
  const Keys all = boundary_keys(coordinates);
  Keys some;
  for (std::size_t i = 0; i < 400; ++i) some.push_back(random.pick(all));
  some.push_back(0);
  some.push_back(coordinates.largest_key());
  expect_edges(SceneColumn(coordinates, some));
}

TEST_P(EdgeRaysOf, SparseKeys) {
  Keys keys;
  for (int i = 0; i < 100; ++i) keys.push_back(random_key());
  expect_edges(SceneColumn(coordinates, keys));
}

// Behind a ray as long as can be, where rounding errors exceed the distance of keys.
TEST_P(EdgeRaysOf, DenseKeysFarFromTheEdge) {
  for (int where = 0; where < 3; ++where) {
    const std::uint64_t start =
        where == 0 ? 0
        : where == 1
            ? coordinates.largest_key() - std::min<std::uint64_t>(63, coordinates.largest_key())
            : random_key() / 2;
    Keys keys;
    for (std::uint64_t i = 0; i < 64 && start + i <= coordinates.largest_key(); ++i)
      if (i < 2 || !random.one_in(4)) keys.push_back(start + i);
    expect_edges(SceneColumn(coordinates, keys));
  }
}

INSTANTIATE_TEST_SUITE_P(Scene, EdgeRaysOf, testing::ValuesIn(scene_cases()), case_name);

TEST(EdgeRays, SkipRowsWithoutKeys) {
  const Coordinates coordinates{KeyMode::three_d, 2, 20, 20, 1.0F};
  const SceneColumn column(coordinates, {5, coordinates.largest_key() - 5});
  const EdgeRays rays{coordinates, RayKind::perpendicular, RayKind::offset, false};
  for (const Edge edge : {Edge::first, Edge::last}) {
    RoundingTracer tracer(coordinates, column.keys, edge);
    EXPECT_FALSE(
        find_edge(rays, column.directory, {6, coordinates.largest_key() - 6}, edge, tracer));
    EXPECT_LE(tracer.rays, 2U);
    EXPECT_TRUE(find_edge(rays, column.directory, {6, coordinates.largest_key()}, edge, tracer));
    EXPECT_EQ(tracer.found, coordinates.largest_key() - 5);
    EXPECT_LE(tracer.rays, 6U);
  }
}

TEST(EdgeRays, OfExtendedModeTowardsSmallerKeysEndAtAPowerOfTwo) {
  const Coordinates coordinates{.mode = KeyMode::extended};
  const std::uint64_t octave = std::uint64_t{1} << octave_bits;
  const Interval keys{7, 3 * octave + 9};
  EXPECT_EQ(edge_part(coordinates, Edge::first, keys).upper, keys.upper);
  const Interval part = edge_part(coordinates, Edge::last, keys);
  EXPECT_EQ(part.lower, 3 * octave);
  EXPECT_EQ(part.upper, keys.upper);
  EXPECT_EQ(edge_part(coordinates, Edge::last, {3 * octave + 2, keys.upper}).lower, 3 * octave + 2);
}

}  // namespace
}  // namespace rtindex::test
