#include "c/handle.hpp"

#include <mutex>
#include <unordered_set>

namespace rtindex::c {

namespace {

// Handles in use, in debug builds.
struct HandlesInUse {
  std::mutex mutex;
  std::unordered_set<const rtindex_index*> handles;
};

HandlesInUse& handles_in_use() {
  static auto* in_use = new HandlesInUse;  // outlives whatever frees an index at exit
  return *in_use;
}

class CallersMemory final : public DeviceMemory {
 public:
  explicit CallersMemory(const rtindex_device_memory& functions) : functions_(functions) {}
  CallersMemory(const CallersMemory&) = delete;
  CallersMemory& operator=(const CallersMemory&) = delete;
  ~CallersMemory() override {
    if (functions_.destroy != nullptr) functions_.destroy(functions_.context);
  }
  [[nodiscard]] void* allocate(std::size_t bytes, Stream stream) noexcept override {
    return functions_.allocate(functions_.context, bytes, stream.handle);
  }
  void release(void* memory, std::size_t bytes, Stream stream) noexcept override {
    functions_.release(functions_.context, memory, bytes, stream.handle);
  }

 private:
  rtindex_device_memory functions_;
};

}  // namespace

void register_handle(const rtindex_index* handle) {
  HandlesInUse& in_use = handles_in_use();
  const std::scoped_lock lock(in_use.mutex);
  in_use.handles.insert(handle);
}

void unregister_handle(const rtindex_index* handle) {
  HandlesInUse& in_use = handles_in_use();
  const std::scoped_lock lock(in_use.mutex);
  in_use.handles.erase(handle);
}

void require_in_use(const rtindex_index* handle) {
  HandlesInUse& in_use = handles_in_use();
  const std::scoped_lock lock(in_use.mutex);
  if (!in_use.handles.contains(handle))
    fail(
        "invalid index handle: it was freed already, or is not an index; use an index only before "
        "rtindex_free()");
}

std::shared_ptr<DeviceMemory> memory_of(const rtindex_device_memory* input) {
  if (input == nullptr) return nullptr;
  const rtindex_device_memory functions = options_of(input, "rtindex_device_memory");
  if (functions.allocate == nullptr || functions.release == nullptr)
    fail("invalid rtindex_device_memory: allocate and release must not be null");
  return std::make_shared<CallersMemory>(functions);
}

}  // namespace rtindex::c
