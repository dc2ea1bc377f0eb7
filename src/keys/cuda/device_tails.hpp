#pragma once

#include <cstddef>

#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// PackedKeys in device memory.
struct DevicePackedKeys {
  DeviceBytes keys;
  bool is_wide = false;
  std::size_t size = 0;
};

// StringTails in device memory.
struct DeviceTails {
  DevicePackedKeys starts;
  DeviceArray<char> bytes;
  std::size_t prefix = 0;  // bytes of the dictionary's common label that are omitted
};

}  // namespace rtindex::cuda
