#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "answers/deleted_positions.hpp"
#include "answers/row_positions.hpp"
#include "base/call_control.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex {

// A lazy value that saves lookups work once they have spent as much work without it. The thread
// that reaches this cost builds it; all other threads go on without it until it is complete.
template <class T>
class LazyValue {
 public:
  // Null while there is no value. `work`, what the caller has to do without one, is added to the
  // work of all earlier callers; from `cost` on make() is called, which returns a std::shared_ptr.
  template <class Make>
  [[nodiscard]] const T* get(std::uint64_t work, std::uint64_t cost, Make&& make) {
    if (const T* const there = made_.load(std::memory_order_acquire)) return there;
    if (work_.fetch_add(work, std::memory_order_relaxed) + work < cost) return nullptr;
    if (is_being_made_.exchange(true)) return nullptr;
    const UnstoppableScope for_all_lookups;
    try {
      owned_ = make();
    } catch (const std::exception&) {
      return nullptr;  // out of memory: lookups go on without a value
    }
    made_.store(owned_.get(), std::memory_order_release);
    return owned_.get();
  }
  // Null while there is no value.
  [[nodiscard]] std::shared_ptr<const T> made() const {
    return made_.load(std::memory_order_acquire) == nullptr ? nullptr : owned_;
  }
  [[nodiscard]] std::size_t bytes() const {
    const T* const there = made_.load(std::memory_order_acquire);
    return there == nullptr ? 0 : there->bytes();
  }

 private:
  std::shared_ptr<const T> owned_;
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

// What was derived from an earlier bitmap of the same structure; null: nothing.
template <class T>
struct DerivedBefore {
  std::shared_ptr<const HostRowBitmap> bitmap;
  std::shared_ptr<const T> value;
};

// What a structure derives from a bitmap of deleted rows. Where an earlier bitmap has most of these
// rows, what was derived from it is changed instead of made again.
class DeletedSet {
 public:
  // `row_positions` of the structure; null: it has none.
  explicit DeletedSet(const RowBits& deleted, const LazyRowPositions* row_positions = nullptr,
                      const DeletedSet* earlier = nullptr)
      : id_(deleted.id),
        bitmap_(deleted.bitmap == nullptr ? nullptr : deleted.bitmap->weak_from_this().lock()),
        row_positions_(bitmap_ == nullptr ? nullptr : row_positions) {
    if (earlier == nullptr || row_positions_ == nullptr) return;
    positions_before_ = latest(earlier->positions_, *earlier, earlier->positions_before_);
    const std::lock_guard lock(earlier->mutex_);
    for (const auto& [column, aggregates] : earlier->aggregates_)
      aggregates_[column].before = latest(aggregates.made, *earlier, aggregates.before);
  }

  [[nodiscard]] std::uint64_t id() const { return id_; }

  // The deleted rows by position, for a structure of `size` positions; null while testing each of
  // the `work` rows is cheaper.
  template <class Rows>
  [[nodiscard]] const DeletedPositions* positions(std::uint64_t work, std::size_t size,
                                                  const Rows& rows, const RowBits& deleted) {
    return positions_.get(work, cost(size, positions_before_), [&] {
      if (const auto added = added_positions(size, positions_before_))
        return std::make_shared<const DeletedPositions>(
            positions_before_.value == nullptr ? DeletedPositions(size) : *positions_before_.value,
            *added);
      return std::make_shared<const DeletedPositions>(size, rows, deleted);
    });
  }
  // The aggregates of an included column of `size` values; null while reading the values is
  // cheaper. Made by make(earlier aggregates, positions that were deleted since), or where there
  // are none by make(nullptr, {}).
  template <class Make>
  [[nodiscard]] const ValidAggregates* aggregates(std::size_t column, std::uint64_t work,
                                                  std::size_t size, Make&& make) {
    ColumnAggregates& own = aggregates_of(column);
    const bool has_earlier = own.before.value != nullptr;
    const std::uint64_t full_cost = size / pass_advantage;
    return own.made.get(work, has_earlier ? cost(size, own.before) : full_cost,
                        [&]() -> std::shared_ptr<const ValidAggregates> {
                          if (has_earlier)
                            if (const auto added = added_positions(size, own.before))
                              return make(own.before.value.get(), std::span(*added));
                          return make(nullptr, std::span<const std::uint32_t>());
                        });
  }

  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = positions_.bytes();
    for (const auto& [column, aggregates] : aggregates_) bytes += aggregates.made.bytes();
    return bytes;
  }

 private:
  // A row costs as much in a pass over all rows as in a lookup (3.5 ns on a Neoverse V1), but the
  // pass is shared by all threads and serves all later lookups.
  static constexpr std::size_t pass_advantage = 4;
  // Pages are copied for each row that is added.
  static constexpr std::uint64_t rows_per_added = 256;

  template <class T>
  [[nodiscard]] static DerivedBefore<T> latest(const LazyValue<T>& made, const DeletedSet& earlier,
                                               const DerivedBefore<T>& before) {
    std::shared_ptr<const T> value = made.made();
    if (value == nullptr || earlier.bitmap_ == nullptr) return before;
    return {earlier.bitmap_, std::move(value)};
  }
  // How many rows were deleted since.
  template <class T>
  [[nodiscard]] std::uint64_t added_rows(const DerivedBefore<T>& before) const {
    const std::uint64_t then = before.bitmap == nullptr ? 0 : before.bitmap->count();
    return bitmap_->count() - std::min<std::uint64_t>(then, bitmap_->count());
  }
  // In rows that lookups test.
  template <class T>
  [[nodiscard]] std::uint64_t cost(std::size_t size, const DerivedBefore<T>& before) const {
    const std::uint64_t pass = size / pass_advantage;
    if (row_positions_ == nullptr || !row_positions_->is_made()) return pass;
    return std::min(pass, added_rows(before) * rows_per_added);
  }
  // The positions of rows that were deleted since; none where a pass is cheaper. The first pass
  // over a structure does not need the positions of its rows, which take 4 bytes a row.
  template <class T>
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> added_positions(
      std::size_t size, const DerivedBefore<T>& before) const {
    if (row_positions_ == nullptr || (before.value == nullptr && !row_positions_->is_made()) ||
        added_rows(before) * rows_per_added > size)
      return std::nullopt;
    static const HostRowBitmap no_rows(RowWords(), 0, 0);
    auto rows = bitmap_->added_since(before.bitmap == nullptr ? no_rows : *before.bitmap);
    if (!rows) return std::nullopt;
    const RowPositions& row_positions = row_positions_->get();
    std::size_t kept = 0;
    for (const std::uint32_t row : *rows)
      if (const std::optional<std::uint32_t> at = row_positions.find(row)) (*rows)[kept++] = *at;
    rows->resize(kept);
    return rows;
  }

  struct ColumnAggregates {
    DerivedBefore<ValidAggregates> before;
    LazyValue<ValidAggregates> made;
  };
  [[nodiscard]] ColumnAggregates& aggregates_of(std::size_t column) {
    const std::lock_guard lock(mutex_);
    return aggregates_[column];
  }

  std::uint64_t id_;
  std::shared_ptr<const HostRowBitmap> bitmap_;  // null: nothing can be derived from it later
  const LazyRowPositions* row_positions_;
  DerivedBefore<DeletedPositions> positions_before_;
  LazyValue<DeletedPositions> positions_;
  mutable std::mutex mutex_;
  std::map<std::size_t, ColumnAggregates> aggregates_;  // by included column
};

// The two sets that were used last: of the current version and of a snapshot.
class DeletedSets {
 public:
  explicit DeletedSets(const LazyRowPositions* row_positions = nullptr)
      : row_positions_(row_positions) {}

  // Null if nothing may be derived from the bitmap.
  [[nodiscard]] std::shared_ptr<DeletedSet> of(const RowBits& deleted) const {
    if (deleted.empty() || deleted.id == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    auto* const found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& set) {
      return set != nullptr && set->id() == deleted.id;
    });
    if (found == sets_.end()) {
      sets_.back() = std::make_shared<DeletedSet>(deleted, row_positions_, sets_.front().get());
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
  const LazyRowPositions* row_positions_;
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<DeletedSet>, 2> sets_;
};

}  // namespace rtindex
