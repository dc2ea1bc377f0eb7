// What the device programs for edges of ranges do with hits, tried on the host.

#include "kinds/optix/programs/edge_hits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rtindex::optix {
namespace {

Ray ray_from(Edge edge, Interval keys) { return edge_ray({.mode = KeyMode::naive}, edge, keys); }

TEST(OptixEdgeHits, KeepTheRowNextToTheEdge) {
  EdgeHits hits{.edge = Edge::first};
  hits.start(ray_from(Edge::first, {3, 9}), {3, 9}, true);
  EXPECT_EQ(hits.best.row, miss_row);
  for (const EdgeRow& row : {EdgeRow{7, 5}, EdgeRow{9, 4}, EdgeRow{8, 4}, EdgeRow{1, 6}})
    hits.add(row);
  EXPECT_EQ(hits.best.row, 8U);
  EXPECT_EQ(hits.best.key, 4U);
  hits.edge = Edge::last;
  hits.start(ray_from(Edge::last, {3, 9}), {3, 9}, false);
  EXPECT_EQ(hits.best.row, miss_row);
  for (const EdgeRow& row : {EdgeRow{7, 5}, EdgeRow{8, 6}, EdgeRow{9, 6}, EdgeRow{1, 6}})
    hits.add(row);
  EXPECT_EQ(hits.best.row, 9U);
  EXPECT_EQ(hits.best.key, 6U);
}

// Boxes are hit in the order of their keys, as seen from the edge, and within the ray.
TEST(OptixEdgeHits, FindBoxesInTheOrderOfTheirKeys) {
  for (const KeyMode mode : {KeyMode::naive, KeyMode::extended})
    for (const Edge edge : {Edge::first, Edge::last}) {
      const Coordinates coordinates{.mode = mode};
      const Interval keys = edge_part(coordinates, edge, {5, (1 << 23) - 1});
      const Ray ray = edge_ray(coordinates, edge, keys);
      EdgeHits hits{.edge = edge};
      hits.start(ray, keys, true);
      const std::uint64_t middle = keys.lower + (keys.upper - keys.lower) / 2;
      for (const std::uint64_t key : {keys.lower, middle, keys.upper - 1}) {
        const float here = hits.t_of(coordinates, key);
        const float next = hits.t_of(coordinates, key + 1);
        EXPECT_EQ(here < next, edge == Edge::first) << key;
        EXPECT_GT(std::min(here, next), ray.t_min) << key;
        EXPECT_LT(std::max(here, next), ray.t_max) << key;
      }
    }
}

}  // namespace
}  // namespace rtindex::optix
