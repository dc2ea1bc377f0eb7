#include <rtindex/device.hpp>

#include "base/error.hpp"

#if defined(RTINDEX_HAS_CUDA)
#include "base/cuda/device_array.hpp"
#endif

namespace rtindex {

DeviceMemory::~DeviceMemory() = default;

void set_device_memory(std::shared_ptr<DeviceMemory> memory) {
#if defined(RTINDEX_HAS_CUDA)
  cuda::choose_memory(std::move(memory));
#else
  if (memory != nullptr)
    fail("this build of rtindex has no CUDA: configure it where nvcc is on the PATH");
#endif
}

}  // namespace rtindex
