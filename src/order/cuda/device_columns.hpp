#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "base/cuda/transfer.hpp"
#include "keys/codec.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex::cuda {

// Copies an array from the host to the GPU.
template <class T>
DeviceArray<T> uploaded(const T* from, std::size_t size, const Queue& queue) {
  DeviceArray<T> array(queue, size);
  copy_to_device(array.data(), from, size * sizeof(T), queue);
  return array;
}

// Copies an encoded column from the host to the GPU, and back.
[[nodiscard]] DeviceColumn uploaded(const EncodedColumn& column, const Queue& queue);
[[nodiscard]] EncodedColumn downloaded(const DeviceColumn& column, cudaStream_t stream);

// A copy on the GPU of a column without pairs.
[[nodiscard]] DeviceColumn copy_of(const DeviceColumn& column, const Queue& queue);

// A native column in device memory, as kernels read it.
[[nodiscard]] DeviceElements elements_of(const ColumnView& column);

// Copies a column to the host. Blocks until it is there.
[[nodiscard]] OwnedColumn fetched(const ColumnView& column, cudaStream_t stream);

// Element `row` of a native column in host or device memory, as text.
[[nodiscard]] std::string element_text(const ColumnView& column, std::uint32_t row,
                                       cudaStream_t stream);

}  // namespace rtindex::cuda
