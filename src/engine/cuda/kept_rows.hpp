#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment.hpp"
#include "keys/cuda/device_keys.hpp"
#include "order/cuda/device_included.hpp"

namespace rtindex::cuda {

// Keys of rows as their ordered_bits().
inline constexpr ElementType bits_type{ElementType::Kind::unsigned_int, 8};

// Keys and values that the rows of a change keep, read from the segments that hold them.
class KeptOnGpu {
 public:
  // `rows` are `count` rows of an index with `row_count` rows, in device memory.
  KeptOnGpu(std::span<const Segment> segments, const std::uint32_t* rows, std::size_t count,
            std::size_t row_count, const Queue& queue);

  // Their keys; null where they have none.
  [[nodiscard]] DeviceElements keys();
  // Their values of an included column.
  [[nodiscard]] ElementValues values(std::size_t column);

 private:
  [[nodiscard]] std::uint8_t* filled(std::size_t bytes, int byte);

  std::span<const Segment> segments_;
  std::size_t count_;
  Queue queue_;
  NamedElements named_;
  DeviceArray<std::uint64_t> bits_;
  DeviceArray<std::uint32_t> valid_;
  std::vector<DeviceArray<std::uint8_t>> values_;
};

}  // namespace rtindex::cuda
