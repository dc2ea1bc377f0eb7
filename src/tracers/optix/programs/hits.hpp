#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "tracers/optix/programs/value_bits.hpp"

namespace rtindex::optix {

// What a lookup has found so far; its rays carry a pointer to it.
struct Hits {
  Interval ray_keys;   // the keys that the ray under way may hit
  bool compare;        // whether hits must be compared with them
  std::uint32_t base;  // the first primitive of the structure under way

  bool done;
  std::uint32_t any;
  std::uint32_t smallest_row;
  std::uint32_t count;
  std::uint32_t room;              // at most so many hits are of use
  std::uint32_t* collected;        // where hits go
  std::uint64_t sum, least, most;  // bits of the value class

  [[nodiscard]] RTINDEX_HD static Hits none(const LaunchParams& params, std::uint64_t lookup) {
    Hits hits{};
    hits.any = hits.smallest_row = miss_row;
    hits.room = params.limit;
    if (params.task == Task::collect) {
      hits.room = static_cast<std::uint32_t>(params.offsets[lookup + 1] - params.offsets[lookup]);
      hits.collected = params.collected + params.offsets[lookup];
    }
    hits.done = params.task != Task::answer && hits.room == 0;
    return hits;
  }

  RTINDEX_HD void take(const LaunchParams& params, std::uint32_t primitive) {
    if (params.task == Task::answer) {
      answer(params, params.scene.rows == nullptr ? primitive : params.scene.rows[primitive]);
      return;
    }
    if (params.task == Task::collect) collected[count] = primitive;
    done = ++count >= room;
  }

  RTINDEX_HD void write(const LaunchParams& params, std::uint64_t lookup) const {
    if (params.any != nullptr) params.any[lookup] = any;
    if (params.smallest_row != nullptr) params.smallest_row[lookup] = smallest_row;
    if (params.count != nullptr) params.count[lookup] = count;
    write_value(params, params.sum, lookup, count, sum);
    write_value(params, params.min, lookup, count, least);
    write_value(params, params.max, lookup, count, most);
  }

 private:
  RTINDEX_HD void answer(const LaunchParams& params, std::uint32_t row) {
    any = row;
    smallest_row = row < smallest_row ? row : smallest_row;
    if (params.values != nullptr) add_value(params, value_at(params, row));
    ++count;
    done = params.one_hit;
  }

  RTINDEX_HD void add_value(const LaunchParams& params, std::uint64_t bits) {
    if (count == 0) {
      sum = least = most = bits;
      return;
    }
    sum = summed(params.value_class, sum, bits);
    if (is_less(params.value_class, bits, least)) least = bits;
    if (is_less(params.value_class, most, bits)) most = bits;
  }
};

}  // namespace rtindex::optix
