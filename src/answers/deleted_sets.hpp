#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "answers/deleted_positions.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// A lazy value that saves lookups work once they have spent as much work without it. The thread
// that reaches this cost builds it; all other threads go on without it until it is complete.
template <class T>
class LazyValue {
 public:
  // Null while there is no value. `work`, what the caller has to do without one, is added to the
  // work of all earlier callers; from `cost` on make() is called, which returns a std::unique_ptr.
  template <class Make>
  [[nodiscard]] const T* get(std::uint64_t work, std::uint64_t cost, Make&& make) {
    if (const T* const there = made_.load(std::memory_order_acquire)) return there;
    if (work_.fetch_add(work, std::memory_order_relaxed) + work < cost) return nullptr;
    if (is_being_made_.exchange(true)) return nullptr;
    try {
      owned_ = make();
    } catch (const std::exception&) {
      return nullptr;  // out of memory: lookups go on without a value
    }
    made_.store(owned_.get(), std::memory_order_release);
    return owned_.get();
  }
  [[nodiscard]] std::size_t bytes() const {
    const T* const there = made_.load(std::memory_order_acquire);
    return there == nullptr ? 0 : there->bytes();
  }

 private:
  std::unique_ptr<const T> owned_;
  std::atomic<const T*> made_ = nullptr;
  std::atomic<std::uint64_t> work_ = 0;
  std::atomic<bool> is_being_made_ = false;
};

// Aggregates of the included values of valid rows; built and read by IncludedValues.
class ValidAggregates {
 public:
  virtual ~ValidAggregates() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

// What a structure derives from a bitmap of deleted rows.
class DeletedSet {
 public:
  explicit DeletedSet(std::uint64_t id) : id_(id) {}

  [[nodiscard]] std::uint64_t id() const { return id_; }

  // The deleted rows by position, for a structure of `size` positions; null while testing each of
  // the `work` rows is cheaper.
  template <class Rows>
  [[nodiscard]] const DeletedPositions* positions(std::uint64_t work, std::size_t size,
                                                  const Rows& rows, const RowBits& deleted) {
    return positions_.get(work, size / pass_advantage, [&] {
      return std::make_unique<const DeletedPositions>(size, rows, deleted);
    });
  }
  // The aggregates that make() returns; null while reading the values is cheaper.
  template <class Make>
  [[nodiscard]] const ValidAggregates* aggregates(std::uint64_t work, std::size_t size,
                                                  Make&& make) {
    return aggregates_.get(work, size / pass_advantage, std::forward<Make>(make));
  }

  [[nodiscard]] std::size_t bytes() const { return positions_.bytes() + aggregates_.bytes(); }

 private:
  // A row costs as much in a pass over all rows as in a lookup (3.5 ns on a Neoverse V1), but the
  // pass is shared by all threads and serves all later lookups.
  static constexpr std::size_t pass_advantage = 4;

  std::uint64_t id_;
  LazyValue<DeletedPositions> positions_;
  LazyValue<ValidAggregates> aggregates_;
};

// The two sets that were used last: of the current version and of a snapshot.
class DeletedSets {
 public:
  // Null if nothing may be derived from the bitmap.
  [[nodiscard]] std::shared_ptr<DeletedSet> of(const RowBits& deleted) const {
    if (deleted.empty() || deleted.id == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    auto* const found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& set) {
      return set != nullptr && set->id() == deleted.id;
    });
    if (found == sets_.end()) {
      sets_.back() = std::make_shared<DeletedSet>(deleted.id);
      std::rotate(sets_.begin(), sets_.end() - 1, sets_.end());
    } else {
      std::rotate(sets_.begin(), found, found + 1);
    }
    return sets_.front();
  }
  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& set : sets_) bytes += set == nullptr ? 0 : set->bytes();
    return bytes;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<DeletedSet>, 2> sets_;
};

}  // namespace rtindex
