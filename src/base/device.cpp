#include <rtindex/device.hpp>

namespace rtindex {

std::string_view name_of(MemorySpace space) {
  return space == MemorySpace::host ? "host" : "device";
}

DeviceMemory::~DeviceMemory() = default;

}  // namespace rtindex
