#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "answers/request.hpp"
#include "base/cuda/runtime.hpp"
#include "keys/lookup_batch.hpp"
#include "storage/cuda/answerer.hpp"

namespace rtindex::cuda {

// A stream with pinned memory to copy lookups and answers through. Two of them take turns, so that
// one copies while the other computes.
struct Workspace {
  struct Lane {
    OwnStream stream;
    PinnedBytes in, out;
  };
  Lane lanes[2];
};

// Workspaces of calls that are over, for the next ones.
class WorkspacePool {
 public:
  WorkspacePool() { free_.reserve(most_free); }
  [[nodiscard]] std::unique_ptr<Workspace> take();
  // Takes no memory: there is room for all that are kept.
  void give_back(std::unique_ptr<Workspace> workspace);

 private:
  static constexpr std::size_t most_free = 8;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

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

  void run_on_device(const LookupBatch& batch, const Request& request) const;
  void run_in_pieces(const LookupBatch& batch, const Request& request) const;
  [[nodiscard]] Values values_on_device(const Request& request, cudaStream_t stream) const;
  [[nodiscard]] DeviceLookups lookups_on_device(const LookupBatch& batch, std::size_t first,
                                                std::size_t count, cudaStream_t stream,
                                                Piece& piece, PinnedBytes* pinned) const;
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
