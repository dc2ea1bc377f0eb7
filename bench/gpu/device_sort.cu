#include "gpu/device_sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "base/cuda/runtime.hpp"
#include "gpu/device_buffer.hpp"

namespace rtindex::bench {

struct DeviceSorter::Buffers {
  DeviceBuffer other, scratch;
};

namespace {

template <class Key>
std::size_t scratch_bytes(std::size_t most) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<Key> none(nullptr, nullptr);
  cuda::check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, none, most), "sorting lookups");
  return bytes;
}

template <class Key>
void sort_keys(Key* keys, std::size_t count, const DeviceBuffer& other,
               const DeviceBuffer& scratch) {
  cub::DoubleBuffer<Key> buffers(keys, other.as<Key>());
  std::size_t bytes = scratch.bytes();
  cuda::check(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, buffers, count),
              "sorting lookups");
  if (buffers.Current() != keys)
    cuda::check(
        cudaMemcpyAsync(keys, buffers.Current(), count * sizeof(Key), cudaMemcpyDeviceToDevice),
        "sorting lookups");
}

}  // namespace

DeviceSorter::DeviceSorter(std::size_t most, int key_bytes)
    : buffers_(new Buffers{DeviceBuffer(most * static_cast<std::size_t>(key_bytes)),
                           DeviceBuffer(key_bytes == 4 ? scratch_bytes<std::uint32_t>(most)
                                                       : scratch_bytes<unsigned long long>(most))}),
      key_bytes_(key_bytes) {}

DeviceSorter::~DeviceSorter() = default;

void DeviceSorter::sort(void* keys, std::size_t count) {
  if (key_bytes_ == 4)
    sort_keys(static_cast<std::uint32_t*>(keys), count, buffers_->other, buffers_->scratch);
  else
    sort_keys(static_cast<unsigned long long*>(keys), count, buffers_->other, buffers_->scratch);
}

}  // namespace rtindex::bench
