#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "base/types.hpp"

namespace rtindex::test {

inline void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// Memory of the GPU for a test.
class OnGpu {
 public:
  explicit OnGpu(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes == 0 ? 1 : bytes));
    memory_.reset(memory, [](void* pointer) { static_cast<void>(cudaFree(pointer)); });
    require(cudaMemset(memory, 0xa5, bytes == 0 ? 1 : bytes));
    arrive();
  }
  OnGpu(const void* from, std::size_t bytes) : OnGpu(bytes) {
    if (bytes != 0) require(cudaMemcpy(data(), from, bytes, cudaMemcpyHostToDevice));
    arrive();
  }
  [[nodiscard]] void* data() const { return memory_.get(); }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data());
  }
  template <class T>
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> elements(bytes_ / sizeof(T));
    if (!elements.empty())
      require(
          cudaMemcpy(elements.data(), data(), elements.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return elements;
  }

 private:
  // Filling memory, and copying a little from pageable memory, return before they are done: a
  // stream of one's own would not wait for them.
  static void arrive() { require(cudaStreamSynchronize(nullptr)); }

  std::size_t bytes_;
  std::shared_ptr<void> memory_;
};

// A native column of the host, on the GPU.
class ColumnOnGpu {
 public:
  explicit ColumnOnGpu(const ColumnView& column)
      : elements_(column.data(), column.size() * width_of(column.type())),
        validity_(column.validity(), column.validity() == nullptr
                                         ? 0
                                         : (column.size() + column.validity_offset() + 7) / 8),
        view_(ColumnView::of(column.type(), elements_.data(), column.size())) {
    if (column.validity() != nullptr)
      view_ = view_.with_validity(validity_.as<std::uint8_t>(), column.validity_offset());
    view_ = view_.on_device();
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  OnGpu elements_, validity_;
  ColumnView view_;
};

}  // namespace rtindex::test
