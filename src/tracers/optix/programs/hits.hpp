#pragma once

#include <bit>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "tracers/optix/launch_params.hpp"

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
    hits.any = hits.smallest_row = 0xffffffffU;
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
    write_value(params, params.sum, lookup, sum);
    write_value(params, params.min, lookup, least);
    write_value(params, params.max, lookup, most);
  }

 private:
  RTINDEX_HD void answer(const LaunchParams& params, std::uint32_t row) {
    any = row;
    smallest_row = row < smallest_row ? row : smallest_row;
    if (params.values != nullptr) {
      if (params.value_class == ValueClass::u64)
        add_value<std::uint64_t>(params, row);
      else if (params.value_class == ValueClass::i64)
        add_value<std::int64_t>(params, row);
      else
        add_value<double>(params, row);
    }
    ++count;
    done = params.one_hit;
  }

  template <class Class>
  RTINDEX_HD void add_value(const LaunchParams& params, std::uint32_t row) {
    const Values<Class> values{params.values, params.value_type};
    const Class value = values[row];
    if (count == 0) {
      sum = least = most = std::bit_cast<std::uint64_t>(value);
      return;
    }
    sum = std::bit_cast<std::uint64_t>(add(std::bit_cast<Class>(sum), value));
    if (less(value, std::bit_cast<Class>(least))) least = std::bit_cast<std::uint64_t>(value);
    if (less(std::bit_cast<Class>(most), value)) most = std::bit_cast<std::uint64_t>(value);
  }

  RTINDEX_HD void write_value(const LaunchParams& params, void* to, std::uint64_t lookup,
                              std::uint64_t bits) const {
    if (to != nullptr) static_cast<std::uint64_t*>(to)[lookup] = count == 0 ? params.miss : bits;
  }
};

}  // namespace rtindex::optix
