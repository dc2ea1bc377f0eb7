#pragma once

#include <memory>
#include <utility>

#include "base/cuda/device_array.hpp"
#include "base/cuda/device_pool.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// A stream with pinned memory for lookups and answers. The two lanes of a workspace take turns, so
// that one copies while the other computes.
struct Lane {
  OwnStream stream;
  PinnedBytes in, out;
};

struct Workspace {
  Lane lanes[2];
};

// A workspace of the current GPU for one call. Nothing may use it any more when the lease ends.
class WorkspaceLease {
 public:
  WorkspaceLease() : workspace_(pool().take()) {}
  ~WorkspaceLease() { pool().give_back(std::move(workspace_)); }
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;
  [[nodiscard]] Workspace& operator*() const { return workspace_->value; }

 private:
  using Pool = DevicePool<Workspace>;

  // Never freed: the CUDA runtime may be unloaded before static objects are destroyed.
  static Pool& pool() {
    static auto* const pool = new Pool;
    return *pool;
  }

  std::unique_ptr<Pool::Object> workspace_;
};

// Waits for both lanes, also when an exception ends a call: their work must end before the memory
// that it reads and writes.
class SyncLanesOnExit {
 public:
  explicit SyncLanesOnExit(const Workspace& workspace) : workspace_(workspace) {}
  ~SyncLanesOnExit() {
    for (const Lane& lane : workspace_.lanes)
      static_cast<void>(cudaStreamSynchronize(lane.stream.get()));
  }
  SyncLanesOnExit(const SyncLanesOnExit&) = delete;
  SyncLanesOnExit& operator=(const SyncLanesOnExit&) = delete;

 private:
  const Workspace& workspace_;
};

}  // namespace rtindex::cuda
