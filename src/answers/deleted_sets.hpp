#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "answers/deleted_positions.hpp"
#include "answers/row_positions.hpp"
#include "base/call_control.hpp"
#include "base/counted_ref.hpp"
#include "base/fork_mutex.hpp"
#include "base/lazy.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex {

// A lazy value that saves lookups work once they have spent as much work without it. The thread
// that reaches this cost builds it; all other threads go on without it until it is complete.
template <class T>
class LazyValue {
 public:
  // Null while there is no value. `work`, what the caller has to do without one, is added to the
  // work of all earlier callers; from `cost` on make() is called, which returns a CountedRef.
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
  [[nodiscard]] bool is_there() const { return made_.load(std::memory_order_acquire) != nullptr; }
  [[nodiscard]] std::size_t bytes() const {
    const T* const there = made_.load(std::memory_order_acquire);
    return there == nullptr ? 0 : there->bytes();
  }

 private:
  CountedRef<T> owned_;
  std::atomic<const T*> made_ = nullptr;
  std::atomic<std::uint64_t> work_ = 0;
  std::atomic<bool> is_being_made_ = false;
};

// The deleted rows of a structure by position, which sets share.
struct SharedPositions {
  std::atomic<std::uint32_t> owners = 1;
  DeletedPositions positions;

  explicit SharedPositions(DeletedPositions made) : positions(std::move(made)) {}
  static void destroy(SharedPositions* shared) { delete shared; }
  [[nodiscard]] std::size_t bytes() const { return positions.bytes(); }
};

// Aggregates of the included values of valid rows, which sets share; built and read by
// IncludedValues.
class ValidAggregates {
 public:
  std::atomic<std::uint32_t> owners = 1;

  virtual ~ValidAggregates() = default;
  ValidAggregates& operator=(const ValidAggregates&) = delete;
  static void destroy(ValidAggregates* aggregates) { delete aggregates; }
  [[nodiscard]] virtual std::size_t bytes() const = 0;

 protected:
  ValidAggregates() = default;
  ValidAggregates(const ValidAggregates&) {}  // a copy has an owner of its own
};

// What a structure derives from a bitmap of deleted rows. Where an earlier bitmap has most of these
// rows, what was derived from it is changed instead of made again: in place if no other set has it,
// else in a copy that shares pages.
class DeletedSet {
 public:
  std::atomic<std::uint32_t> owners = 1;

  // `row_positions` of the structure; null: it has none.
  explicit DeletedSet(const RowBits& deleted, const Lazy<RowPositions>* row_positions = nullptr,
                      const DeletedSet* earlier = nullptr)
      : id_(deleted.id) {
    if (deleted.bitmap != nullptr) bitmap_ = deleted.bitmap->weak_from_this();
    if (!bitmap_.expired()) rows_ = deleted.bitmap->rows();
    if (rows_ == nullptr || row_positions == nullptr) return;
    row_positions_ = row_positions;
    positions_.added = rows_->count;
    if (earlier == nullptr) return;
    const ForkLock lock = earlier->lock();
    set_earlier(positions_, earlier->positions_.latest);
    for (const auto& [column, aggregates] : earlier->aggregates_)
      set_earlier(aggregates_[column], aggregates.latest);
  }
  static void destroy(DeletedSet* set) { delete set; }

  [[nodiscard]] std::uint64_t id() const { return id_; }
  // Whether no version has the bitmap any more.
  [[nodiscard]] bool is_outdated() const { return rows_ != nullptr && bitmap_.expired(); }

  // The deleted rows by position, for a structure of `size` positions; null while testing each of
  // the `work` rows is cheaper.
  template <class Rows>
  [[nodiscard]] const DeletedPositions* positions(std::uint64_t work, std::size_t size,
                                                  const Rows& rows, const RowBits& deleted) {
    const SharedPositions* const made =
        positions_.made.get(work, cost(size, positions_.added), [&] {
          return make(
              positions_, added_positions(size, positions_.latest),
              [&](CountedRef<SharedPositions> earlier, std::span<const std::uint32_t> added) {
                if (earlier == nullptr)
                  return CountedRef(new SharedPositions({DeletedPositions(size), added}));
                if (!earlier.is_only())
                  return CountedRef(new SharedPositions({earlier->positions, added}));
                earlier->positions = DeletedPositions(std::move(earlier->positions), added);
                return earlier;
              },
              [&] {
                return CountedRef(new SharedPositions({size, rows, deleted}));
              });
        });
    return made == nullptr ? nullptr : &made->positions;
  }
  // The aggregates of an included column of `size` values; null while reading the values is
  // cheaper. Made by make_from(earlier aggregates, positions that were deleted since), or where
  // there are none by make_from(nullptr, {}).
  template <class Make>
  [[nodiscard]] const ValidAggregates* aggregates(std::size_t column, std::uint64_t work,
                                                  std::size_t size, Make&& make_from) {
    Derived<ValidAggregates>& own = aggregates_of(column);
    return own.made.get(work, own.has_earlier ? cost(size, own.added) : size / pass_advantage, [&] {
      return make(own,
                  own.has_earlier ? added_positions(size, own.latest)
                                  : std::optional<std::vector<std::uint32_t>>(),
                  make_from, [&] {
                    return make_from(CountedRef<ValidAggregates>(),
                                     std::span<const std::uint32_t>());
                  });
    });
  }

  [[nodiscard]] std::size_t bytes() const {
    const ForkLock own = lock();
    std::size_t bytes = positions_.made.bytes();
    for (const auto& [column, aggregates] : aggregates_) bytes += aggregates.made.bytes();
    return bytes;
  }

 private:
  // A row costs as much in a pass over all rows as in a lookup (3.5 ns on a Neoverse V1), but the
  // pass is shared by all threads and serves all later lookups.
  static constexpr std::size_t pass_advantage = 4;
  // What each row that is added costs: pages may have to be copied.
  static constexpr std::uint64_t rows_per_added = 256;

  // A value and the rows that it was derived from; null: nothing was.
  template <class T>
  struct Latest {
    std::shared_ptr<const HostRows> rows;
    CountedRef<T> value;
  };
  template <class T>
  struct Derived {
    // That of an earlier set until `made` has one. Only the thread that makes it writes it; mutex_
    // is held to write it, and by other threads to read it.
    Latest<T> latest;
    bool has_earlier = false;
    std::uint64_t added = 0;  // rows that were deleted since
    LazyValue<T> made;
  };

  template <class T>
  void set_earlier(Derived<T>& own, const Latest<T>& earlier) {
    if (earlier.rows == nullptr) return;
    own.latest = earlier;
    own.has_earlier = true;
    own.added = rows_->count - std::min(earlier.rows->count, rows_->count);
  }
  // In rows that lookups test.
  [[nodiscard]] std::uint64_t cost(std::size_t size, std::uint64_t added) const {
    const std::uint64_t pass = size / pass_advantage;
    if (row_positions_ == nullptr || row_positions_->if_there() == nullptr) return pass;
    return std::min(pass, added * rows_per_added);
  }
  // The positions of rows that were deleted since; none where a pass is cheaper. The first pass
  // over a structure does not need the positions of its rows, which take 4 bytes a row.
  template <class T>
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> added_positions(
      std::size_t size, const Latest<T>& earlier) const {
    if (row_positions_ == nullptr ||
        (earlier.value == nullptr && row_positions_->if_there() == nullptr))
      return std::nullopt;
    const HostRows no_rows;
    const HostRows& before = earlier.rows == nullptr ? no_rows : *earlier.rows;
    if ((rows_->count - std::min(before.count, rows_->count)) * rows_per_added > size)
      return std::nullopt;
    auto rows = rows_->added_since(before);
    if (!rows) return std::nullopt;
    const RowPositions& row_positions = row_positions_->get();
    std::size_t kept = 0;
    for (const std::uint32_t row : *rows)
      if (const std::optional<std::uint32_t> at = row_positions.find(row)) (*rows)[kept++] = *at;
    rows->resize(kept);
    return rows;
  }
  // Changes the latest value by the positions that were added since, or makes all of it. A set that
  // is made of this one meanwhile waits for a change, which is short.
  template <class T, class Change, class MakeAll>
  [[nodiscard]] CountedRef<T> make(Derived<T>& own,
                                   const std::optional<std::vector<std::uint32_t>>& added,
                                   Change&& change, MakeAll&& make_all) {
    CountedRef<T> whole;
    if (!added) whole = make_all();
    const ForkLock own_lock = lock();
    Latest<T> earlier = std::exchange(own.latest, {});  // lost if the change fails
    own.latest = {rows_, added ? change(std::move(earlier.value), std::span(*added)) : whole};
    return own.latest.value;
  }
  [[nodiscard]] Derived<ValidAggregates>& aggregates_of(std::size_t column) {
    const ForkLock own = lock();
    return aggregates_[column];
  }

  // A process that was forked meanwhile derives from the bitmap again.
  [[nodiscard]] ForkLock lock() const {
    return {mutex_, [&] {
              if (!positions_.made.is_there()) new (&positions_.latest) Latest<SharedPositions>;
              new (&aggregates_) std::map<std::size_t, Derived<ValidAggregates>>;
            }};
  }

  std::uint64_t id_;
  std::weak_ptr<const HostRowBitmap> bitmap_;
  std::shared_ptr<const HostRows> rows_;  // null: nothing can be derived from it later
  const Lazy<RowPositions>* row_positions_ = nullptr;
  mutable Derived<SharedPositions> positions_;
  mutable ForkMutex mutex_;
  mutable std::map<std::size_t, Derived<ValidAggregates>> aggregates_;  // by included column
};

// Two sets: of the current version and of a snapshot, or those that were used last.
class DeletedSets {
 public:
  explicit DeletedSets(const Lazy<RowPositions>* row_positions = nullptr)
      : row_positions_(row_positions) {}

  // Null if nothing may be derived from the bitmap.
  [[nodiscard]] CountedRef<DeletedSet> of(const RowBits& deleted) const {
    if (deleted.empty() || deleted.id == 0) return nullptr;
    const ForkLock own = lock();
    auto* found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& set) {
      return set != nullptr && set->id() == deleted.id;
    });
    if (found == sets_.end()) {
      // The new set replaces one of an old version, which leaves it what can be changed in place.
      found = std::find_if(sets_.begin(), sets_.end(),
                           [](const auto& set) { return set != nullptr && set->is_outdated(); });
      const DeletedSet* const earlier = found == sets_.end() ? sets_.front().get() : found->get();
      if (found == sets_.end()) found = sets_.end() - 1;
      *found = CountedRef(new DeletedSet(deleted, row_positions_, earlier));
    }
    std::rotate(sets_.begin(), found, found + 1);
    return sets_.front();
  }
  [[nodiscard]] std::size_t bytes() const {
    const ForkLock own = lock();
    std::size_t bytes = 0;
    for (const auto& set : sets_) bytes += set == nullptr ? 0 : set->bytes();
    return bytes;
  }

 private:
  [[nodiscard]] ForkLock lock() const {
    return {mutex_, [&] { new (&sets_) std::array<CountedRef<DeletedSet>, 2>; }};
  }

  const Lazy<RowPositions>* row_positions_;
  mutable ForkMutex mutex_;
  mutable std::array<CountedRef<DeletedSet>, 2> sets_;
};

}  // namespace rtindex
