#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
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
  // Fills, and small copies from pageable memory, return before they are complete: another stream
  // would not wait for them.
  static void arrive() { require(cudaStreamSynchronize(nullptr)); }

  std::size_t bytes_;
  std::shared_ptr<void> memory_;
};

// A column of the host, on the GPU. Strings are in Arrow's layout behind others that do not belong
// to the column, their offsets of 64 bits where the host's are.
class ColumnOnGpu {
 public:
  explicit ColumnOnGpu(const ColumnView& column) {
    if (column.type() == Type::composite) {
      std::vector<ColumnView> views;
      for (const ColumnView& part : column.parts())
        views.push_back(parts_.emplace_back(part).view());
      view_ = ColumnView::composite(std::move(views));
    } else if (column.type() == Type::string) {
      view_ = column.string_offset_width() == sizeof(std::int64_t)
                  ? strings_on_gpu<std::int64_t>(column)
                  : strings_on_gpu<std::int32_t>(column);
    } else {
      const OnGpu& elements =
          arrays_.emplace_back(column.data(), column.size() * width_of(column.type()));
      view_ = ColumnView::of(column.type(), elements.data(), column.size()).on_device();
    }
    if (column.validity() == nullptr) return;
    const OnGpu& bits =
        arrays_.emplace_back(column.validity(), (column.size() + column.validity_offset() + 7) / 8);
    view_ = view_.with_validity(bits.as<std::uint8_t>(), column.validity_offset());
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  template <class Offset>
  [[nodiscard]] ColumnView strings_on_gpu(const ColumnView& column) {
    std::string bytes = "of others";
    std::vector<Offset> offsets = {0, static_cast<Offset>(bytes.size())};
    for (std::size_t row = 0; row < column.size(); ++row) {
      bytes += column.string(row);
      offsets.push_back(static_cast<Offset>(bytes.size()));
    }
    const OnGpu& text = arrays_.emplace_back(bytes.data(), bytes.size());
    const OnGpu& starts = arrays_.emplace_back(offsets.data(), offsets.size() * sizeof(Offset));
    return ColumnView::strings(std::span(starts.as<const Offset>(), offsets.size()),
                               text.as<const char>())
        .on_device()
        .slice(1, column.size());
  }

  std::deque<OnGpu> arrays_;
  std::deque<ColumnOnGpu> parts_;
  ColumnView view_;
};

}  // namespace rtindex::test
