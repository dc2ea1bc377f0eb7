#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/cuda/device_answers.hpp"
#include "answers/request.hpp"
#include "base/array.hpp"
#include "base/cuda/device_array.hpp"
#include "base/cuda/host_copies.hpp"
#include "engine/cuda/device_searcher.hpp"

namespace rtindex::cuda {

// A request whose answers go to the caller's buffers in device memory.
[[nodiscard]] DeviceRequest device_request(const Outputs& outputs);

// The answers of a piece of a batch, lookups [first, first + count), from the device to the host.
class AnswerTransfer {
 public:
  // Idle.
  AnswerTransfer() = default;
  // Allocates device buffers for the requested answers. `key_bytes`: of one key of a neighbour.
  AnswerTransfer(const Request& request, std::size_t first, std::size_t count, const Queue& queue,
                 std::size_t key_bytes = 0);

  // The device buffers.
  [[nodiscard]] const DeviceRequest& buffers() const { return buffers_; }
  // Queues the copies of answers with one element for each lookup, and of the offsets of rowIDs.
  void start(CopiesOut& out, cudaStream_t stream);
  // The rowIDs of the piece, copied by finish().
  void add_rows(std::vector<FoundRows> found, const RowSources& rows,
                DeviceArray<std::uint64_t> offsets);
  // Copies the rowIDs, whose offsets have arrived, and leaves the transfer idle.
  void finish(const Queue& queue);

  // Bytes of one lookup's answers that are copied to the host, without rowIDs.
  [[nodiscard]] static std::size_t bytes_of(const Request& request);

 private:
  template <class Visit>
  void for_each_answer(Visit&& visit) const;

  const Request* request_ = nullptr;  // null: idle
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t key_bytes_ = 0;
  DeviceBytes bytes_;
  DeviceRequest buffers_;
  std::vector<FoundRows> found_;  // what `rows_` points to
  RowSources rows_;
  DeviceArray<std::uint64_t> offsets_;  // empty: no rowIDs to copy
  Array<std::uint64_t> starts_;         // offsets_ in host memory
};

// Copies the rowIDs of consecutive lookups, from `first` on, to the chunks of the request.
// `offsets` are in device memory, `starts` is a copy of them in host memory. Blocks until the
// rowIDs are copied.
void copy_rows(const Request& request, std::size_t first, const RowSources& rows,
               const std::uint64_t* offsets, std::span<const std::uint64_t> starts,
               const Queue& queue);

}  // namespace rtindex::cuda
