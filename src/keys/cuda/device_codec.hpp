#pragma once

#include <memory>
#include <span>

#include "base/cuda/device_array.hpp"
#include "keys/codec.hpp"
#include "keys/cuda/device_full_keys.hpp"
#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// A column that was encoded on the device.
struct CodedColumn {
  std::shared_ptr<KeyCodec> codec;
  // How lookups are encoded and compared. The codec copies residuals from here when it needs them
  // in host memory.
  std::shared_ptr<DeviceFullKeys> full;
  DeviceArray<std::uint64_t> keys;  // before `base` is subtracted; unspecified for nulls
  std::uint64_t base = 0;
  DeviceArray<std::uint8_t> validity;  // of whole tuples, where several parts have bitmaps
  DeviceElements elements;             // the keys with their validity
  DeviceExtent extent;                 // of the keys
};

// Strings, keys of 128 bits, or tuples of these and of native parts. Blocks until it is computed.
[[nodiscard]] CodedColumn encode_on_device(const DeviceTuples& tuples, std::span<const Type> types,
                                           bool is_composite, KeyUse use, const Queue& queue);

}  // namespace rtindex::cuda
