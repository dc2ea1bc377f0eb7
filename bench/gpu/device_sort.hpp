#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace rtindex::bench {

// Sorts keys in device memory by CUB's radix sort, with its scratch memory taken beforehand.
class DeviceSorter {
 public:
  // For up to `most` keys of 4 or 8 bytes.
  DeviceSorter(std::size_t most, int key_bytes);
  ~DeviceSorter();
  DeviceSorter(const DeviceSorter&) = delete;
  DeviceSorter& operator=(const DeviceSorter&) = delete;
  // Queued on the default stream.
  void sort(void* keys, std::size_t count);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
  int key_bytes_;
};

}  // namespace rtindex::bench
