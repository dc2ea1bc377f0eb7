#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"

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

// A workspace for one call. It goes back when everything that was made after it is gone.
class WorkspaceLease {
 public:
  explicit WorkspaceLease(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
  ~WorkspaceLease() { pool_.give_back(std::move(workspace_)); }
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;
  [[nodiscard]] Workspace& operator*() const { return *workspace_; }

 private:
  WorkspacePool& pool_;
  std::unique_ptr<Workspace> workspace_;
};

// Waits for both lanes, also when an exception leaves them in the middle of their work: what they
// read and write must outlive it.
class LanesAtRest {
 public:
  explicit LanesAtRest(const Workspace& workspace) : workspace_(workspace) {}
  ~LanesAtRest() {
    for (const Workspace::Lane& lane : workspace_.lanes)
      static_cast<void>(cudaStreamSynchronize(lane.stream.get()));
  }
  LanesAtRest(const LanesAtRest&) = delete;
  LanesAtRest& operator=(const LanesAtRest&) = delete;

 private:
  const Workspace& workspace_;
};

}  // namespace rtindex::cuda
