#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "tracers/optix/programs/value_bits.hpp"

namespace rtindex::optix {

// What a point lookup has found so far, where at most one of sum, min and max is wanted: so little
// that its ray carries it in registers. Nothing is kept in memory.
struct PointHits {
  std::uint64_t value = 0;  // of the aggregate, as bits of its class
  std::uint32_t count = 0;
  std::uint32_t row = miss_row;

  // True: no further hit is of use.
  RTINDEX_HD bool take(const LaunchParams& params, std::uint32_t hit) {
    // The smallest row is as good as any.
    row = params.smallest_row != nullptr && row < hit ? row : hit;
    if (params.values != nullptr) {
      const std::uint64_t bits = value_at(params, hit);
      value = count == 0 ? bits : together(params, bits);
    }
    ++count;
    return params.one_hit;
  }

  RTINDEX_HD void write(const LaunchParams& params, std::uint64_t lookup) const {
    if (params.any != nullptr) params.any[lookup] = row;
    if (params.smallest_row != nullptr) params.smallest_row[lookup] = row;
    if (params.count != nullptr) params.count[lookup] = count;
    write_value(params, params.sum, lookup, count, value);
    write_value(params, params.min, lookup, count, value);
    write_value(params, params.max, lookup, count, value);
  }

 private:
  [[nodiscard]] RTINDEX_HD std::uint64_t together(const LaunchParams& params,
                                                  std::uint64_t bits) const {
    if (params.sum != nullptr) return summed(params.value_class, value, bits);
    const bool smaller = is_less(params.value_class, bits, value);
    return smaller == (params.min != nullptr) ? bits : value;
  }
};

}  // namespace rtindex::optix
