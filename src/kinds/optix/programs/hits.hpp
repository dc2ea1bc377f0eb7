#pragma once

#include <bit>
#include <cstdint>

#include "answers/aggregate.hpp"
#include "answers/values.hpp"
#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "kinds/optix/launch_params.hpp"

// The hits of a lookup while its rays are traced. Values are bits of their class, which is known at
// run time only.
namespace rtindex::optix {

[[nodiscard]] RTINDEX_HD inline std::uint32_t row_of(const SceneView& scene,
                                                     std::uint32_t primitive) {
  return scene.rows == nullptr ? primitive : scene.rows[primitive];
}

// Whether the row of a primitive is deleted.
[[nodiscard]] RTINDEX_HD inline bool is_deleted(const LaunchParams& params,
                                                std::uint32_t primitive) {
  const RowBits& deleted = params.lookups.deleted;
  return !deleted.empty() && deleted.has(row_of(params.scene, primitive));
}

// The state of a lookup in memory; its rays carry a pointer to it.
struct Hits {
  Interval ray_keys;   // the keys that the current ray may hit
  bool compare;        // whether hits must be compared with them
  std::uint32_t base;  // the first primitive of the current structure

  bool done;
  RowAggregate rows;
  ValueAggregate<std::uint64_t> values;
  CollectedRows collected;    // for Task::count and Task::collect
  std::uint32_t* primitives;  // for Task::collect

  [[nodiscard]] RTINDEX_HD static Hits none(const LaunchParams& params, std::uint64_t lookup) {
    Hits hits{};
    hits.collected.limit = params.limit;
    if (params.task == Task::collect) {
      const std::uint64_t begin = params.offsets[lookup];
      hits.collected.limit = static_cast<std::uint32_t>(params.offsets[lookup + 1] - begin);
      hits.primitives = params.collected + begin;
    }
    hits.done = params.task != Task::answer && hits.collected.full();
    return hits;
  }

  RTINDEX_HD void add(const LaunchParams& params, std::uint32_t primitive) {
    if (params.task == Task::answer) {
      const std::uint32_t row = row_of(params.scene, primitive);
      if (params.values != nullptr) add_value(params, row);
      rows.add(row);
      done = params.one_hit;
      return;
    }
    const std::uint32_t position = collected.add();
    if (params.task == Task::collect) primitives[position] = primitive;
    done = collected.full();
  }

  RTINDEX_HD void write(const LaunchParams& params, std::uint64_t lookup) const {
    if (params.any != nullptr) params.any[lookup] = rows.any;
    if (params.smallest_row != nullptr) params.smallest_row[lookup] = rows.first;
    if (params.count != nullptr)
      params.count[lookup] = params.task == Task::answer ? rows.count : collected.count;
    write_values(params, lookup, values.or_miss(rows.matched(), params.miss));
  }

 private:
  // The identities of a class known at run time only are filled in at the first hit.
  RTINDEX_HD void add_value(const LaunchParams& params, std::uint32_t row) {
    visit_class(params.value_class, [&]<class Class>() {
      using Aggregate = ValueAggregate<Class>;
      const Values<Class> column{params.values, params.value_type};
      auto folded = rows.matched() ? std::bit_cast<Aggregate>(values) : Aggregate{};
      folded.add(column[row]);
      values = std::bit_cast<ValueAggregate<std::uint64_t>>(folded);
    });
  }
};

// The state of a point lookup with at most one of sum, min and max: so small that its ray carries
// it in registers.
struct PointHits {
  std::uint64_t value = 0;  // of the one aggregate
  std::uint32_t count = 0;
  std::uint32_t row = miss_row;  // both any and first

  // True: no further hit can change the answers.
  RTINDEX_HD bool add(const LaunchParams& params, std::uint32_t hit) {
    row = params.smallest_row != nullptr ? Min{}(row, hit) : hit;
    if (params.values != nullptr) add_value(params, hit);
    ++count;
    return params.one_hit;
  }

  RTINDEX_HD void write(const LaunchParams& params, std::uint64_t lookup) const {
    if (params.any != nullptr) params.any[lookup] = row;
    if (params.smallest_row != nullptr) params.smallest_row[lookup] = row;
    if (params.count != nullptr) params.count[lookup] = count;
    write_values(params, lookup,
                 ValueAggregate<std::uint64_t>::of(count == 0 ? params.miss : value));
  }

 private:
  RTINDEX_HD void add_value(const LaunchParams& params, std::uint32_t hit) {
    visit_class(params.value_class, [&]<class Class>() {
      const Class added = Values<Class>{params.values, params.value_type}[hit];
      const auto folded = count == 0 ? added : fold(params, std::bit_cast<Class>(value), added);
      value = std::bit_cast<std::uint64_t>(folded);
    });
  }

  template <class Class>
  [[nodiscard]] RTINDEX_HD static Class fold(const LaunchParams& params, Class a, Class b) {
    if (params.sum != nullptr) return Sum{}(a, b);
    return params.min != nullptr ? Min{}(a, b) : Max{}(a, b);
  }
};

}  // namespace rtindex::optix
