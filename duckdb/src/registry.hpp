#pragma once

/// \file
/// The indexes of a database, by name.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "key_types.hpp"

namespace rtindex::sql {

/// An index and its SQL types. Immutable: queries share it.
struct NamedIndex {
  std::string name;
  Index index;
  std::vector<KeyType> parts;  ///< the SQL types of the key
  std::size_t rows = 0;        ///< input rows, null keys included
  /// The id of each rowID, ascending; empty if they are equal.
  std::vector<std::int64_t> ids;

  [[nodiscard]] std::int64_t id_of(std::uint32_t row) const {
    return ids.empty() ? std::int64_t{row} : ids[row];
  }
  [[nodiscard]] std::size_t bytes() const {
    return index.memory_usage().resident + ids.capacity() * sizeof(std::int64_t);
  }
};

using SharedIndex = std::shared_ptr<const NamedIndex>;

/// All functions of one database share a registry: it lives as long as they do. A query keeps the
/// index that it has found, even if the name is dropped or replaced.
class Registry {
 public:
  /// Throws `Error` if there is no index of that name.
  [[nodiscard]] SharedIndex find(std::string_view name) const;
  /// Adds an index, or replaces the one of the same name.
  void put(SharedIndex index);
  /// Throws `Error` if there is no index of that name.
  void drop(std::string_view name);
  /// By name.
  [[nodiscard]] std::vector<SharedIndex> all() const;

 private:
  [[noreturn]] void throw_missing(std::string_view name) const;

  mutable std::shared_mutex mutex_;
  std::map<std::string, SharedIndex, std::less<>> indexes_;
};

}  // namespace rtindex::sql
