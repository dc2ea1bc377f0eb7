#include "engine/cuda/deleted_rows.hpp"

#include <algorithm>

namespace rtindex::cuda {

DeletedRowsUse DeletedRowsCache::get(const RowBits& deleted, const OrderedValues* included,
                                     cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (auto found = find(deleted.id, included)) return {std::move(found), stream};
  auto made = std::make_shared<const DeletedRows>(order_, included, deleted, memory_);
  if (deleted.id != 0) sets_.push_back(made);
  if (sets_.size() > kept_sets_) sets_.erase(sets_.begin());
  return {std::move(made), stream};
}

std::shared_ptr<const DeletedRows> DeletedRowsCache::find(std::uint64_t id,
                                                          const OrderedValues* included) const {
  const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& set) {
    return set->id() == id && (included == nullptr || set->all_included() == included);
  });
  return found == sets_.end() ? nullptr : *found;
}

std::size_t DeletedRowsCache::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& set : sets_) bytes += set->bytes();
  return bytes;
}

}  // namespace rtindex::cuda
