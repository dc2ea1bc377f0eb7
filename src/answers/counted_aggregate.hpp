#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "answers/aggregate.hpp"
#include "answers/request.hpp"
#include "answers/values.hpp"
#include "base/macros.hpp"
#include "base/wide.hpp"

namespace rtindex {

// The member of MeanSum for a class.
template <class Class>
using mean_sum_t = std::conditional_t<std::is_same_v<Class, double>, double, int128>;

template <class Class>
[[nodiscard]] mean_sum_t<Class>& mean_sum(MeanSum& sum) {
  if constexpr (std::is_same_v<Class, double>)
    return sum.real;
  else
    return sum.whole;
}

// The aggregates of a lookup with the number of its values, for Request::value_counts.
template <class Class>
struct CountedAggregate {
  ValueAggregate<Class> values;
  mean_sum_t<Class> sum = 0;
  std::uint32_t count = 0;

  RTINDEX_HD constexpr void add(Class value) {
    values.add(value);
    sum += value;
    ++count;
  }
  RTINDEX_HD constexpr void merge(const CountedAggregate& other) {
    values.merge(other.values);
    sum += other.sum;
    count += other.count;
  }
};

// The mean of `count` values, at least one.
template <class Class>
[[nodiscard]] RTINDEX_HD double mean_of(mean_sum_t<Class> sum, std::uint32_t count) {
  if constexpr (std::is_same_v<Class, double>)
    return sum / count;
  else
    return to_double(sum) / count;
}

// Writes the aggregates of a lookup, or the miss value where it has no values.
template <class Class>
void write_counted(const Request& request, std::size_t lookup,
                   const CountedAggregate<Class>& folded) {
  write_values(request.outputs, lookup,
               folded.values.or_miss(folded.count != 0, miss_as<Class>(request.miss)));
  request.value_counts[lookup] = folded.count;
  if (request.mean_sums != nullptr) mean_sum<Class>(request.mean_sums[lookup]) = folded.sum;
}

}  // namespace rtindex
