#include "registry.hpp"

#include <utility>

namespace rtindex::sql {

SharedIndex Registry::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = indexes_.find(name);
  if (found == indexes_.end()) throw_missing(name);
  return found->second;
}

void Registry::put(SharedIndex index) {
  SharedIndex replaced;  // is freed without the lock
  const std::unique_lock lock(mutex_);
  SharedIndex& entry = indexes_[index->name];
  replaced = std::exchange(entry, std::move(index));
}

void Registry::drop(std::string_view name) {
  SharedIndex dropped;
  const std::unique_lock lock(mutex_);
  const auto found = indexes_.find(name);
  if (found == indexes_.end()) throw_missing(name);
  dropped = std::move(found->second);
  indexes_.erase(found);
}

std::vector<SharedIndex> Registry::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<SharedIndex> list;
  list.reserve(indexes_.size());
  for (const auto& [name, index] : indexes_) list.push_back(index);
  return list;
}

void Registry::throw_missing(std::string_view name) const {
  std::string message = "there is no index '" + std::string(name) + "'";
  if (indexes_.empty()) {
    message += " in this database, nor any other: build one with SELECT rtindex_build('" +
               std::string(name) + "', rowid, key) FROM a table that has rows";
  } else {
    message += " in this database; there are";
    const char* separator = " ";
    for (const auto& [other, index] : indexes_) {
      message += std::exchange(separator, ", ") + ("'" + other + "'");
    }
  }
  throw Error(message);
}

}  // namespace rtindex::sql
