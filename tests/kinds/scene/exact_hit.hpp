#pragma once

#include <optional>

#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex::test {

struct Exact {
  double x, y, z;
};

[[nodiscard]] inline Exact minus(const Point& a, const Point& b) {
  return {static_cast<double>(a.x) - static_cast<double>(b.x),
          static_cast<double>(a.y) - static_cast<double>(b.y),
          static_cast<double>(a.z) - static_cast<double>(b.z)};
}

[[nodiscard]] inline Exact cross(const Exact& a, const Exact& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

[[nodiscard]] inline double dot(const Exact& a, const Exact& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Where a ray meets the inside of a triangle, edges excluded, in double precision: the hit of a
// tracer without rounding.
[[nodiscard]] inline std::optional<double> exact_hit(const Ray& ray, const Triangle& triangle) {
  const Exact direction{ray.direction.x, ray.direction.y, ray.direction.z};
  const Exact edge1 = minus(triangle.b, triangle.a);
  const Exact edge2 = minus(triangle.c, triangle.a);
  const Exact p = cross(direction, edge2);
  const double determinant = dot(edge1, p);
  if (determinant == 0) return std::nullopt;
  const Exact to_origin = minus(ray.origin, triangle.a);
  const double u = dot(to_origin, p) / determinant;
  const Exact q = cross(to_origin, edge1);
  const double v = dot(direction, q) / determinant;
  if (u <= 0 || v <= 0 || u + v >= 1) return std::nullopt;
  return dot(edge2, q) / determinant;
}

// Whether the ray counts the triangle as a hit.
[[nodiscard]] inline bool hits(const Ray& ray, const Triangle& triangle) {
  const std::optional<double> t = exact_hit(ray, triangle);
  return t && ray.t_min < *t && *t < ray.t_max;
}

}  // namespace rtindex::test
