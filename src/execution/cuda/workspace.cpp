#include "execution/cuda/workspace.hpp"

namespace rtindex::cuda {

std::unique_ptr<Workspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<Workspace>();
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < most_free) free_.push_back(std::move(workspace));
}

}  // namespace rtindex::cuda
