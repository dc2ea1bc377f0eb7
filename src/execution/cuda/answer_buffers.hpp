#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include <rtindex/answer.hpp>

#include "answers/cuda/device_answers.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// The parts of an answer that have one element per lookup, in device memory.
struct AnswerBuffers {
  DeviceBytes bytes;
  DeviceRequest request;
};

// Calls take(output of the user, buffer on the device, bytes a lookup) for every part that is
// wanted; the bitmap comes last, with a lookup per bit.
template <class Take>
void for_each_part(const Outputs& outputs, const DeviceRequest& device, std::size_t count,
                   Take&& take) {
  const auto one = [&](void* out, const void* buffer, std::size_t width) {
    if (out != nullptr) take(out, buffer, width, count * width);
  };
  one(outputs.any, device.any, 4);
  one(outputs.first, device.first, 4);
  one(outputs.count, device.count, 4);
  one(outputs.sum, device.sum, 8);
  one(outputs.min, device.min, 8);
  one(outputs.max, device.max, 8);
  if (outputs.matched != nullptr) take(outputs.matched, device.matched, 0, (count + 7) / 8);
}

// Device memory for what the user wants of `count` lookups.
[[nodiscard]] AnswerBuffers make_buffers(const Outputs& outputs, std::size_t count,
                                         const std::shared_ptr<DeviceMemory>& memory,
                                         cudaStream_t stream);

// How much that is without padding.
[[nodiscard]] std::size_t answer_bytes(const Outputs& outputs, std::size_t count);

// The user's own buffers, where they are on the device.
[[nodiscard]] DeviceRequest device_request(const Outputs& outputs);

}  // namespace rtindex::cuda
