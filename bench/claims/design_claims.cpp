#include "claims/claim_lists.hpp"

namespace rtindex::bench {

namespace {

using F = Figures;

Quantity rx_time(const F& f, const std::string& experiment, const std::string& what,
                 const F::Point& point, const std::string& metric = "lookup_ms") {
  return f.value(experiment, "RX", what, point, metric);
}

std::vector<Claim> key_claims() {
  return {
      claim(
          "3.2", "The key modes are about equally fast.", "slowest / fastest mode, fewest keys",
          [](const F& f) {
            return spread({rx_time(f, "key-modes", "naive", F::least()),
                           rx_time(f, "key-modes", "extended", F::least()),
                           rx_time(f, "key-modes", "3d", F::least())});
          },
          below(1.15)),
      claim(
          "3.2", "Beyond 2^25 keys extended mode takes an extraordinary time.",
          "extended / 3d, 2^26 keys",
          [](const F& f) {
            return ratio(rx_time(f, "key-modes", "extended", F::at(26)),
                         rx_time(f, "key-modes", "3d", F::at(26)));
          },
          above(10)),
      claim(
          "3.2", "Stride does not slow 3d mode down.", "3d, most keys: stride 4 / stride 1",
          [](const F& f) {
            return ratio(rx_time(f, "key-stride", "3d, stride 4", F::greatest()),
                         rx_time(f, "key-stride", "3d, stride 1", F::greatest()));
          },
          about_one()),
      claim(
          "3.2", "The magnitude of coordinates does not matter.", "3d: scaled by 2^20 / 2^0",
          [](const F& f) {
            return ratio(rx_time(f, "coordinate-scale", "3d", F::at("2^20")),
                         rx_time(f, "coordinate-scale", "3d", F::at("2^0")));
          },
          about_one()),
  };
}

std::vector<Claim> ray_claims() {
  return {
      claim(
          "3.3", "Points are best looked up by perpendicular rays.",
          "3d, most keys: parallel / perpendicular",
          [](const F& f) {
            return ratio(rx_time(f, "point-rays", "3d, parallel", F::greatest()),
                         rx_time(f, "point-rays", "3d, perpendicular", F::greatest()));
          },
          greater()),
      claim(
          "3.3", "Rays of ranges are best started at an offset.", "2^4 hits: zero / offset",
          [](const F& f) {
            return ratio(rx_time(f, "range-rays", "from zero", F::at(4)),
                         rx_time(f, "range-rays", "from offset", F::at(4)));
          },
          greater()),
      claim(
          "3.4", "Bits on z slow points down.", "fewest bits on x: x+z / x+y",
          [](const F& f) {
            return ratio(rx_time(f, "decomposition-points", "x+z", F::least()),
                         rx_time(f, "decomposition-points", "x+y", F::least()));
          },
          greater()),
      claim(
          "3.4", "The decomposition does not matter for uniform 64-bit keys.",
          "slowest / fastest split",
          [](const F& f) {
            return spread(f.values("decomposition-uniform", "RX", "", "lookup_ms"));
          },
          below(1.15)),
      claim(
          "3.4", "The more bits on x, the faster are ranges.", "2^8 hits: fewest / most bits on x",
          [](const F& f) {
            return ratio(rx_time(f, "decomposition-ranges", "2^8 hits", F::least()),
                         rx_time(f, "decomposition-ranges", "2^8 hits", F::greatest()));
          },
          greater()),
  };
}

// The other primitives over triangles, at the most keys.
Quantity over_triangles(const F& f, const std::string& other, const std::string& suffix,
                        const std::string& metric) {
  return ratio(rx_time(f, "primitives", other + suffix, F::greatest(), metric),
               rx_time(f, "primitives", "triangle" + suffix, F::greatest(), metric));
}

std::vector<Claim> primitive_claims() {
  return {
      claim(
          "3.5", "Triangles are looked up fastest.", "faster of sphere and box / triangle",
          [](const F& f) {
            return min_of({over_triangles(f, "sphere", "", "lookup_ms"),
                           over_triangles(f, "aabb", "", "lookup_ms")});
          },
          greater(), About::rt_cores),
      claim(
          "3.5", "Compaction leaves lookups as they are.", "triangles: compacted / not",
          [](const F& f) {
            return ratio(rx_time(f, "primitives", "triangle, compacted", F::greatest()),
                         rx_time(f, "primitives", "triangle", F::greatest()));
          },
          about_one()),
      claim(
          "3.5", "Boxes are built fastest.", "box / triangle, build",
          [](const F& f) { return over_triangles(f, "aabb", "", "build_ms"); }, less()),
      claim(
          "3.5", "Compaction saves up to half of the memory.", "triangles: compacted / not",
          [](const F& f) {
            return ratio(
                rx_time(f, "primitives", "triangle, compacted", F::greatest(), "resident_bytes"),
                rx_time(f, "primitives", "triangle", F::greatest(), "resident_bytes"));
          },
          below(0.75)),
      claim(
          "3.5", "Compacted spheres take the most memory.", "compacted: sphere / triangle",
          [](const F& f) { return over_triangles(f, "sphere", ", compacted", "resident_bytes"); },
          greater()),
  };
}

constexpr const char* positions = "swap adjacent positions";
constexpr const char* neighbour_keys = "swap adjacent keys";

std::vector<Claim> update_claims() {
  return {
      claim(
          "3.6", "A refit takes the same time for few and many updates.",
          "update: 2^12 / 2^4 swapped keys",
          [](const F& f) {
            return ratio(rx_time(f, "updates", neighbour_keys, F::at("refit, 2^12"), "update_ms"),
                         rx_time(f, "updates", neighbour_keys, F::at("refit, 2^4"), "update_ms"));
          },
          about_one()),
      claim(
          "3.6", "A refit is more than three times as fast as a rebuild.",
          "update: rebuild / refit",
          [](const F& f) {
            return ratio(rx_time(f, "updates", positions, F::at("rebuild"), "update_ms"),
                         rx_time(f, "updates", positions, F::at("refit, 2^4"), "update_ms"));
          },
          at_least(3)),
      claim_at_first(
          "3.6", "After a refit that moves keys far, lookups are drastically slower.",
          "lookups: refit of swapped positions / rebuild", {12, 8},
          [](const F& f, int swaps_log2) {
            return ratio(
                rx_time(f, "updates", positions, F::at("refit, 2^" + std::to_string(swaps_log2))),
                rx_time(f, "updates", positions, F::at("rebuild")));
          },
          above(2)),
      claim(
          "3.6", "After a refit that moves keys by one, they are not.",
          "lookups: refit of 2^12 swapped keys / rebuild",
          [](const F& f) {
            return ratio(rx_time(f, "updates", neighbour_keys, F::at("refit, 2^12")),
                         rx_time(f, "updates", neighbour_keys, F::at("rebuild")));
          },
          about_one()),
  };
}

}  // namespace

std::vector<Claim> design_claims() {
  return joined({key_claims(), ray_claims(), primitive_claims(), update_claims()});
}

}  // namespace rtindex::bench
