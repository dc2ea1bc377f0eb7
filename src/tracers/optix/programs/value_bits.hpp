#pragma once

#include <bit>
#include <cstdint>

#include "answers/values.hpp"
#include "base/macros.hpp"
#include "tracers/optix/launch_params.hpp"

// Values as the bits of their class, so that a ray can carry them in registers.
namespace rtindex::optix {

// Calls work.template operator()<Class>(); visit_class, for the device too.
template <class Work>
RTINDEX_HD auto with_class(ValueClass value_class, const Work& work) {
  if (value_class == ValueClass::u64) return work.template operator()<std::uint64_t>();
  if (value_class == ValueClass::i64) return work.template operator()<std::int64_t>();
  return work.template operator()<double>();
}

[[nodiscard]] RTINDEX_HD inline std::uint64_t value_at(const LaunchParams& params,
                                                       std::uint32_t row) {
  return with_class(params.value_class, [&]<class Class>() {
    return std::bit_cast<std::uint64_t>(Values<Class>{params.values, params.value_type}[row]);
  });
}

[[nodiscard]] RTINDEX_HD inline std::uint64_t summed(ValueClass value_class, std::uint64_t a,
                                                     std::uint64_t b) {
  return with_class(value_class, [&]<class Class>() {
    return std::bit_cast<std::uint64_t>(add(std::bit_cast<Class>(a), std::bit_cast<Class>(b)));
  });
}

[[nodiscard]] RTINDEX_HD inline bool is_less(ValueClass value_class, std::uint64_t a,
                                             std::uint64_t b) {
  return with_class(value_class, [&]<class Class>() {
    return less(std::bit_cast<Class>(a), std::bit_cast<Class>(b));
  });
}

RTINDEX_HD inline void write_value(const LaunchParams& params, void* to, std::uint64_t lookup,
                                   std::uint32_t count, std::uint64_t bits) {
  if (to != nullptr) static_cast<std::uint64_t*>(to)[lookup] = count == 0 ? params.miss : bits;
}

}  // namespace rtindex::optix
