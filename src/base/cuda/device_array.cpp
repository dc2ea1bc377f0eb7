#include "base/cuda/device_array.hpp"

#include <limits>
#include <mutex>
#include <new>
#include <vector>

#include "base/bytes.hpp"
#include "base/cuda/runtime.hpp"
#include "base/error.hpp"

namespace rtindex::cuda {

namespace {

// Device memory that the thread has allocated: a build runs on one thread.
struct Held {
  std::size_t now = 0;
  std::size_t peak_bytes = 0;
};
thread_local Held held;

// One pool per GPU. It keeps released memory, so that a batch needs no call of the driver.
class Pools final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes, Stream stream) noexcept override {
    const cudaMemPool_t pool = pool_of_current().handle;
    if (pool == nullptr) return nullptr;
    if (void* const memory = try_allocate(bytes, pool, stream)) return memory;
    // Memory released on other streams may suffice. The last resort before a call fails: it waits
    // for all streams.
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaMemPoolTrimTo(pool, 0));
    return try_allocate(bytes, pool, stream);
  }

  // For optional memory: never waits.
  [[nodiscard]] void* allocate_if_at_hand(std::size_t bytes, Stream stream) noexcept {
    const cudaMemPool_t pool = pool_of_current().handle;
    return pool == nullptr ? nullptr : try_allocate(bytes, pool, stream);
  }

  // Returns unused memory to the driver, except for a thirty-second of the GPU's memory: allocating
  // a gigabyte from the driver again costs 1.1 ms (H200).
  void trim(std::size_t allocated) noexcept {
    const Pool pool = pool_of_current();
    if (pool.handle == nullptr || allocated <= pool.spare) return;
    std::uint64_t used = 0;
    std::uint64_t reserved = 0;
    if (cudaMemPoolGetAttribute(pool.handle, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess ||
        cudaMemPoolGetAttribute(pool.handle, cudaMemPoolAttrReservedMemCurrent, &reserved) !=
            cudaSuccess)
      return static_cast<void>(cudaGetLastError());
    if (reserved > used + pool.spare)
      static_cast<void>(cudaMemPoolTrimTo(pool.handle, used + pool.spare));
  }

  void release(void* memory, std::size_t, Stream stream) noexcept override {
    static_cast<void>(cudaFreeAsync(memory, static_cast<cudaStream_t>(stream.handle)));
    static_cast<void>(cudaGetLastError());
  }

 private:
  static void* try_allocate(std::size_t bytes, cudaMemPool_t pool, Stream stream) noexcept {
    void* memory = nullptr;
    auto* const cuda_stream = static_cast<cudaStream_t>(stream.handle);
    if (cudaMallocFromPoolAsync(&memory, bytes, pool, cuda_stream) == cudaSuccess) return memory;
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }

  struct Pool {
    cudaMemPool_t handle = nullptr;
    std::uint64_t spare = 0;  // unused bytes that it keeps
  };

  Pool pool_of_current() noexcept {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return {};
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::size_t>(device);
    try {
      if (pools_.size() <= number) pools_.resize(number + 1);
    } catch (const std::bad_alloc&) {
      return {};
    }
    if (pools_[number].handle != nullptr) return pools_[number];
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    Pool pool;
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemPoolCreate(&pool.handle, &properties) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return {};
    }
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) static_cast<void>(cudaGetLastError());
    pool.spare = total / 32;
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    static_cast<void>(cudaMemPoolSetAttribute(pool.handle, cudaMemPoolAttrReleaseThreshold, &keep));
    // Memory that another stream has yet to release is not reused: a lookup would wait for the
    // stream of a change or of another lookup.
    int waits = 0;
    static_cast<void>(
        cudaMemPoolSetAttribute(pool.handle, cudaMemPoolReuseAllowInternalDependencies, &waits));
    pools_[number] = pool;
    return pool;
  }

  std::mutex mutex_;
  std::vector<Pool> pools_;
};

// Never freed: indexes in static storage may outlive everything else.
const std::shared_ptr<Pools>& default_memory() {
  static const auto* memory = new std::shared_ptr<Pools>(std::make_shared<Pools>());
  return *memory;
}

}  // namespace

std::shared_ptr<DeviceMemory> current_memory(std::shared_ptr<DeviceMemory> memory) {
  return memory == nullptr ? default_memory() : memory;
}

void trim_unused(std::size_t allocated) noexcept { default_memory()->trim(allocated); }

void trim_all_unused() noexcept { trim_unused(std::numeric_limits<std::size_t>::max()); }

MemoryMeter::MemoryMeter() : start_(held.now) { held.peak_bytes = held.now; }

std::size_t MemoryMeter::peak() const {
  return held.peak_bytes > start_ ? held.peak_bytes - start_ : 0;
}

DeviceBytes::DeviceBytes(const Queue& queue, std::size_t bytes) {
  if (bytes == 0) return;
  data_ = queue.memory()->allocate(bytes, Stream{queue});
  hold(queue, bytes);
  if (data_ == nullptr)
    fail(ErrorKind::out_of_memory,
         "out of GPU memory: {} requested; free memory there, or split the work into smaller "
         "batches",
         human_bytes(bytes));
}

DeviceBytes DeviceBytes::if_there_is(const Queue& queue, std::size_t bytes) {
  DeviceBytes result;
  if (bytes == 0) return result;
  result.data_ = queue.memory() == default_memory()
                     ? default_memory()->allocate_if_at_hand(bytes, Stream{queue})
                     : queue.memory()->allocate(bytes, Stream{queue});
  result.hold(queue, bytes);
  return result;
}

void DeviceBytes::hold(const Queue& queue, std::size_t bytes) {
  if (data_ == nullptr) return;
  memory_ = queue.memory();
  bytes_ = bytes;
  stream_ = queue;
  held.now += bytes;
  held.peak_bytes = held.now > held.peak_bytes ? held.now : held.peak_bytes;
}

DeviceBytes::~DeviceBytes() {
  if (data_ == nullptr) return;
  memory_->release(data_, bytes_, Stream{stream_});
  held.now -= held.now < bytes_ ? held.now : bytes_;
}

PinnedBytes::PinnedBytes(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaMallocHost(&memory, bytes) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    fail(ErrorKind::out_of_memory, "out of pinned host memory: {} requested", human_bytes(bytes));
  }
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
}

PinnedBytes::~PinnedBytes() {
  if (data_ != nullptr) static_cast<void>(cudaFreeHost(data_));
}

}  // namespace rtindex::cuda
