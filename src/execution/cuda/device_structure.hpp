#pragma once

#include <functional>
#include <memory>
#include <string>

#include <rtindex/spec.hpp>

#include "answers/cuda/device_answers.hpp"
#include "base/cuda/runtime.hpp"
#include "execution/batch_order.hpp"
#include "execution/cuda/locator.hpp"
#include "storage/structure.hpp"

namespace rtindex::cuda {

// How a structure over sorted keys is built.
struct DeviceOptions {
  using MakeLocator = std::function<std::unique_ptr<Locator>(
      DeviceOrder& order, const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream)>;

  int device = 0;
  Order order = Order::automatic;
  Gather gather = Gather::automatic;
  Layout layout = Layout::split;
  MakeLocator locator;
  // For a locator that cannot hold every key: whether it holds keys up to `span`, and a function
  // that throws an Error with the row and key that it cannot hold.
  std::function<bool(std::uint64_t span)> holds;
  std::function<void(const EncodedColumn&, const std::function<std::string(std::uint32_t)>&)>
      refuse;
};

// A codec, and the structure over the column that it encodes.
struct BuiltOnDevice {
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Structure> structure;
};

// Builds over a native column in host or device memory, which is encoded on the GPU.
[[nodiscard]] BuiltOnDevice build_native(const DeviceOptions& options, const ColumnView& column,
                                         const BuildOptions& build);

// Builds over a column that the host has encoded.
[[nodiscard]] std::unique_ptr<Structure> build_encoded(const DeviceOptions& options,
                                                       const EncodedColumn& column,
                                                       const KeyCodec& codec,
                                                       const BuildOptions& build);

// Builds over the keys that a structure on a GPU saved.
[[nodiscard]] std::unique_ptr<Structure> build_saved(const DeviceOptions& options,
                                                     const FileReader& file, const KeyCodec& codec,
                                                     std::size_t rows,
                                                     const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
