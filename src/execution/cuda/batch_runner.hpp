#pragma once

#include <memory>

#include "answers/request.hpp"
#include "base/cuda/runtime.hpp"
#include "execution/cuda/answerer.hpp"
#include "execution/cuda/workspace.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// What a batch runs against.
struct BatchScene {
  const Answerer& answerer;
  bool is_wide;  // keys of 8 bytes
  std::size_t row_count;
  std::uint64_t span;
  const std::shared_ptr<DeviceMemory>& memory;
  const Event& built;
  bool in_order;
  WorkspacePool& workspaces;
};

// Answers batches: lookups and answers may lie in host or in device memory. What is on the device
// stays there; what is on the host moves in bounded pieces.
class BatchRunner {
 public:
  explicit BatchRunner(const BatchScene& scene) : scene_(scene) {}
  void run(const LookupBatch& batch, const Request& request) const;

 private:
  struct Piece;
  struct Values;
  struct LookupPart;

  void run_on_device(const LookupBatch& batch, const Request& request) const;
  void run_in_pieces(const LookupBatch& batch, const Request& request) const;
  [[nodiscard]] Values values_on_device(const Request& request, cudaStream_t stream) const;
  [[nodiscard]] DeviceLookups lookups_on_device(const LookupBatch& batch, std::size_t first,
                                                std::size_t count, cudaStream_t stream,
                                                Piece& piece, PinnedBytes* pinned) const;
  void rows_to_device(const LookupBatch& batch, const DeviceLookups& lookups,
                      const Request& request, const FoundRows& found, cudaStream_t stream) const;
  template <class Take>
  void find_in_parts(const LookupBatch& batch, std::size_t first, const DeviceLookups& lookups,
                     const std::uint64_t* offsets, std::uint32_t limit, cudaStream_t stream,
                     Take&& take) const;
  template <class Key>
  void encode_on_host(const LookupBatch& batch, std::size_t first, std::size_t count,
                      cudaStream_t stream, Piece& piece, PinnedBytes* pinned) const;
  template <class Key>
  void encode_on_device(const DeviceElements& lower, const DeviceElements& upper,
                        const NativeMap& map, cudaStream_t stream, Piece& piece) const;
  template <class Key>
  void put_in_order(DeviceLookups& lookups, cudaStream_t stream, Piece& piece) const;

  BatchScene scene_;
};

}  // namespace rtindex::cuda
