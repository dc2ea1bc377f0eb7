#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/cuda/device_answers.hpp"
#include "answers/request.hpp"
#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"
#include "execution/cuda/answerer.hpp"

namespace rtindex::cuda {

// A request whose answers go to the caller's buffers in device memory.
[[nodiscard]] DeviceRequest device_request(const Outputs& outputs);

// The answers of a piece of a batch, lookups [first, first + count), from the device to the host:
// answers with one element per lookup through pinned memory, rowIDs in chunks.
class AnswerTransfer {
 public:
  // Idle.
  AnswerTransfer() = default;
  // Allocates device buffers for the wanted answers. `key_bytes`: of one key of a neighbour.
  AnswerTransfer(const Request& request, std::size_t first, std::size_t count,
                 const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream,
                 std::size_t key_bytes = 0);

  // The device buffers.
  [[nodiscard]] const DeviceRequest& buffers() const { return buffers_; }
  // Queues the copies to pinned memory.
  void start(PinnedBytes& pinned, cudaStream_t stream);
  // The rowIDs of the piece, copied by finish().
  void add_rows(std::vector<FoundRows> found, const RowSources& rows,
                DeviceArray<std::uint64_t> offsets);
  // Writes the answers to the caller's memory once the work on the stream is done.
  void finish(const PinnedBytes& pinned, const OwnStream& stream);

 private:
  template <class Take>
  void for_each_answer(Take&& take) const;

  const Request* request_ = nullptr;  // null: idle
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t key_bytes_ = 0;
  std::shared_ptr<DeviceMemory> memory_;
  DeviceBytes bytes_;
  DeviceRequest buffers_;
  std::vector<FoundRows> found_;  // what `rows_` points to
  RowSources rows_;
  DeviceArray<std::uint64_t> offsets_;  // empty: no rowIDs to copy
};

// Copies the rowIDs of lookups [first, first + count) to the chunks of the request. `offsets` are
// in device memory. Blocks until they are there.
void copy_rows(const Request& request, std::size_t first, std::size_t count, const RowSources& rows,
               const std::uint64_t* offsets, const std::shared_ptr<DeviceMemory>& memory,
               cudaStream_t stream);

}  // namespace rtindex::cuda
