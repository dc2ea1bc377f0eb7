#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/cuda/device_pool.hpp"
#include "base/cuda/host_copies.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// A stream with its copies of lookups and answers. The lanes of a workspace take turns, so that one
// copies lookups to the GPU while another computes and the third copies answers from it.
struct Lane {
  // Blocks until the work of the lane is done and the answers are in the caller's memory.
  void finish() {
    stream.wait();
    out.finish();
    in.reset();
  }
  // Before the lane's next piece: blocks only where the last one uses pinned buffers.
  void reuse() {
    if (in.in_use() || out.in_use()) finish();
  }

  OwnStream stream;
  CopiesIn in;
  CopiesOut out;
};

struct Workspace {
  // The first lanes, as many as there are pieces to run at once.
  [[nodiscard]] std::span<Lane> lanes_for(std::size_t pieces) {
    return std::span(lanes).first(std::clamp<std::size_t>(pieces, 1, std::size(lanes)));
  }

  Lane lanes[3];
};

// A workspace of the current GPU for one call. All work that uses it must be done when the lease
// ends.
class WorkspaceLease {
 public:
  WorkspaceLease() : workspace_(pool().acquire()) {}
  ~WorkspaceLease() {
    for (Lane& lane : workspace_->value.lanes) {
      lane.in.release();
      lane.out.release();
    }
    pool().release(std::move(workspace_));
  }
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

// Waits for lanes when an exception ends a call: the memory that their work reads and writes must
// outlive it.
class SyncLanesOnExit {
 public:
  explicit SyncLanesOnExit(std::span<const Lane> lanes) : lanes_(lanes) {}
  ~SyncLanesOnExit() {
    for (const Lane& lane : lanes_) static_cast<void>(cudaStreamSynchronize(lane.stream.get()));
  }
  // All lanes are finished.
  void release() { lanes_ = {}; }
  SyncLanesOnExit(const SyncLanesOnExit&) = delete;
  SyncLanesOnExit& operator=(const SyncLanesOnExit&) = delete;

 private:
  std::span<const Lane> lanes_;
};

}  // namespace rtindex::cuda
