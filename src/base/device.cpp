#include <rtindex/device.hpp>

#include <mutex>
#include <utility>

namespace rtindex {

namespace {

struct DefaultMemory {
  std::mutex mutex;
  std::shared_ptr<DeviceMemory> memory;
};

DefaultMemory& default_memory() {
  static DefaultMemory chosen;
  return chosen;
}

}  // namespace

std::string_view name_of(MemorySpace space) {
  return space == MemorySpace::host ? "host" : "device";
}

DeviceMemory::~DeviceMemory() = default;

void set_device_memory(std::shared_ptr<DeviceMemory> memory) {
  const std::lock_guard lock(default_memory().mutex);
  default_memory().memory = std::move(memory);
}

std::shared_ptr<DeviceMemory> device_memory() {
  const std::lock_guard lock(default_memory().mutex);
  return default_memory().memory;
}

}  // namespace rtindex
