#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "answers/matches.hpp"
#include "answers/valid_matches.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/search.hpp"
#include "engine/host_engine.hpp"
#include "kinds/hash/hash_table.hpp"
#include "kinds/registry.hpp"
#include "order/columns.hpp"
#include "order/pairs.hpp"
#include "order/residual_filter.hpp"

namespace rtindex {

namespace {

constexpr double load_factor = 0.8;

// Open addressing with linear probing at load 0.8. The table is filled in the order of the hashes:
// one sort and one pass over memory, and equal keys meet on the way. As hashes never descend from
// slot to slot, a probe ends at the first one that is not less than its own: a miss takes no longer
// than a hit. The filter rejects most misses before they probe.
template <class Key>
class HashTable final : public Searcher {
 public:
  HashTable(const EncodedColumn& column, const KeyCodec& codec)
      : row_count_(column.row_count), span_(column.span) {
    declare(column.size());
    Array<Pair<Key>> pairs(column.size());
    parallel_for(column.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        pairs[i] = {mix(static_cast<Key>(column.keys[i])), column.row(i)};
    });
    sort_pairs(pairs.span());
    if (codec.has_residual()) order_by_full_key(pairs.data(), pairs.size(), codec);
    lay_out(pairs);
    fill(pairs);
    build_peak_ = column.bytes() + 2 * pairs.bytes();
  }

  HashTable(const FileReader& file, const KeyCodec& codec, std::size_t rows)
      : row_count_(rows),
        span_(codec.span()),
        capacity_(file.number("capacity")),
        distinct_(file.number("distinct", rows)),
        build_peak_(file.number("build_peak")),
        table_(file.array<Slot<Key>>("table")),
        duplicate_rows_(file.array<std::uint32_t>("several")),
        filter_(file.part("filter")) {
    declare(file.number("keys", rows));
    if (distinct_ > size()) file.reject("it has {} distinct keys of {}", distinct_, size());
    if (capacity_ == 0 || capacity_ >= table_.size())
      file.reject("its table has {} slots, {} of them first choices", table_.size(), capacity_);
    // The slot that ends the last probe; the rest of the table may be damaged.
    const Slot<Key>& last = std::as_const(table_)[table_.size() - 1];
    if (last.count != 0 || last.hash != greatest)
      file.reject("the last slot of its table is not empty");
  }

  void save(FileWriter file) const override {
    file.number("keys", size());
    file.number("capacity", capacity_);
    file.number("distinct", distinct_);
    file.number("build_peak", build_peak_);
    file.array("table", table_.span());
    file.array("several", duplicate_rows_.span());
    filter_.save(file.part("filter"));
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    const CountedRef<DeletedSet> deleted = deleted_sets_.of(request.deleted);
    parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      Match found[chunk_lookups];
      batch.encode(first, count, intervals, checks);
      find(intervals, count, found);
      const auto last_row = static_cast<std::uint32_t>(std::max<std::size_t>(row_count_, 1) - 1);
      const SlotRows<Key> rows(table_.data(), table_.size(), duplicate_rows_.data(), last_row);
      if (batch.has_residual()) ResidualFilter(batch, rows).filter(first, count, checks, found);
      answer_valid(request.deleted, deleted.get(), table_.size() + duplicate_rows_.size(), found,
                   count, rows, [&](const auto& valid) {
                     answer_rows(request, first, found, count, rows, true, valid);
                     answer_values(request, first, found, count, rows, valid);
                   });
    });
  }

  [[nodiscard]] EncodedColumn column() const override {
    return in_row_order(size(), row_count_, span_, [&](auto&& take) { for_each_row(take); });
  }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"table", table_.bytes()},
                   {"rows of duplicates", duplicate_rows_.bytes()},
                   {"filter", filter_.bytes()}};
    if (const std::size_t deleted = deleted_sets_.bytes(); deleted != 0)
      bytes.parts.emplace_back("deleted rows by position", deleted);
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = bytes.resident + build_peak_;
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "structure: hash table, linear probing, {} distinct keys in {} slots of {} bytes (load "
        "{:.2f}), behind a filter; points only\n",
        distinct_, table_.size(), sizeof(Slot<Key>),
        static_cast<double>(distinct_) /
            static_cast<double>(std::max<std::size_t>(1, table_.size())));
  }

 private:
  static constexpr std::size_t grain = std::size_t{1} << 15;
  // Lookups whose memory is prefetched together: more than the core can have in flight, and few
  // enough for all of it to stay in the L1 cache.
  static constexpr std::size_t in_step = 64;
  static constexpr std::uint64_t no_slot = std::numeric_limits<std::uint64_t>::max();
  static constexpr Key greatest = std::numeric_limits<Key>::max();

  void declare(std::size_t keys) {
    size_ = keys;
    capabilities_ = {.ranges = false};
  }

  template <class Visit>
  void for_each_row(Visit&& visit) const {
    for (std::size_t slot = 0; slot < table_.size(); ++slot) {
      const Slot<Key>& entry = table_[slot];
      const Key key = unmix(entry.hash);
      if (entry.count == 1) visit(entry.row, key);
      if (entry.count <= 1) continue;
      const Match duplicates = duplicates_of(entry);
      for (std::uint64_t i = duplicates.begin; i < duplicates.end; ++i)
        visit(duplicate_rows_[i], key);
    }
  }

  // The position of a key's rows in duplicate_rows_.
  [[nodiscard]] Match duplicates_of(const Slot<Key>& slot) const {
    const std::uint64_t begin = std::min<std::uint64_t>(slot.row, duplicate_rows_.size());
    return {begin, std::min<std::uint64_t>(begin + slot.count, duplicate_rows_.size())};
  }

  [[nodiscard]] std::uint64_t home(Key hash) const { return home_slot(hash, capacity_); }

  // The number of slots with which the last probe ends inside the table.
  void lay_out(const Array<Pair<Key>>& pairs) {
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool same_before = i > 0 && pairs[i].key == pairs[i - 1].key;
      const bool same_behind = i + 1 < pairs.size() && pairs[i].key == pairs[i + 1].key;
      distinct_ += same_before ? 0 : 1;
      repeated += same_before || same_behind ? 1 : 0;
    }
    duplicate_rows_ = Array<std::uint32_t>(repeated);
    capacity_ = static_cast<std::uint64_t>(static_cast<double>(distinct_) / load_factor) + 1;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (i == 0 || pairs[i].key != pairs[i - 1].key) next = std::max(next, home(pairs[i].key)) + 1;
    filter_ = HashFilter<Key>(distinct_);
    table_ = Array<Slot<Key>>(std::max(capacity_, next) + 1);  // the last one stays empty
  }

  void fill(const Array<Pair<Key>>& pairs) {
    std::uint64_t next = 0;
    std::uint32_t next_duplicate = 0;
    for (std::size_t begin = 0; begin < pairs.size();) {
      std::size_t end = begin + 1;
      while (end < pairs.size() && pairs[end].key == pairs[begin].key) ++end;
      // An empty slot has the greatest hash below the next one, so that probes for smaller hashes
      // end there.
      while (next < home(pairs[begin].key))
        table_[next++] = {static_cast<Key>(pairs[begin].key - 1), 0, 0};
      filter_.add(pairs[begin].key);
      const auto count = static_cast<std::uint32_t>(end - begin);
      if (count == 1) {
        table_[next] = {pairs[begin].key, pairs[begin].row, 1};
      } else {
        table_[next] = {pairs[begin].key, next_duplicate, count};
        for (std::size_t i = begin; i < end; ++i) duplicate_rows_[next_duplicate++] = pairs[i].row;
      }
      ++next;
      begin = end;
    }
    while (next < table_.size()) table_[next++] = {greatest, 0, 0};
  }

  void find(const Interval* intervals, std::size_t count, Match* found) const {
    for (std::size_t first = 0; first < count; first += in_step)
      find_step(intervals + first, std::min(in_step, count - first), found + first);
  }

  // Prefetches the memory of all lookups, of the filter and then of the table, before it is used.
  void find_step(const Interval* intervals, std::size_t count, Match* found) const {
    Key hashes[in_step];
    std::uint64_t slots[in_step];
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = mix(static_cast<Key>(intervals[i].lower));
      filter_.prefetch(hashes[i]);
    }
    const Slot<Key>* table = table_.data();
    for (std::size_t i = 0; i < count; ++i) {
      const bool may_hit = filter_.may_hold(hashes[i]) && !intervals[i].empty();
      slots[i] = may_hit ? home(hashes[i]) : no_slot;
      if (!may_hit) continue;
      prefetch(table + slots[i]);
      prefetch(table + slots[i] + 2);  // most probes end here, maybe in the next line
    }
    for (std::size_t i = 0; i < count; ++i)
      found[i] = slots[i] == no_slot ? Match{0, 0} : probe(slots[i], hashes[i]);
  }

  [[nodiscard]] Match probe(std::uint64_t slot, Key hash) const {
    const Slot<Key>* table = table_.data();
    slot = find_slot(slot, table_.size(), hash,
                     [&](std::uint64_t at) -> Key { return table[at].hash; });
    const std::uint32_t matches = table[slot].hash == hash ? table[slot].count : 0;
    if (matches <= 1) return {slot, slot + matches};
    const Match duplicates = duplicates_of(table[slot]);
    return {table_.size() + duplicates.begin, table_.size() + duplicates.end};
  }

  std::size_t row_count_;
  std::uint64_t span_;
  std::uint64_t capacity_ = 0;
  std::uint64_t distinct_ = 0;
  std::size_t build_peak_ = 0;
  Array<Slot<Key>> table_;
  Array<std::uint32_t> duplicate_rows_;
  HashFilter<Key> filter_;
  DeletedSets deleted_sets_;
};

HostSearchers hash_tables() {
  HostSearchers searchers;
  searchers.key_use = KeyUse::points;
  searchers.build = [](const EncodedColumn& column, const KeyCodec& codec, const KeyText&,
                       std::span<const ColumnView>) {
    return with_key_type(is_wide(column.span), [&](auto key) -> std::unique_ptr<Searcher> {
      return std::make_unique<HashTable<decltype(key)>>(column, codec);
    });
  };
  searchers.load = [](const FileReader& file, const KeyCodec& codec, std::size_t rows) {
    return with_key_type(is_wide(codec.span()), [&](auto key) -> LoadedSearcher {
      return {std::make_unique<HashTable<decltype(key)>>(file, codec, rows), false};
    });
  };
  return searchers;
}

}  // namespace

Kind hash_kind() {
  return {.kind = "hash",
          .device = "cpu",
          .describe = [] { return std::string("hash table, points only"); },
          .bind =
              [](const Spec&, const std::shared_ptr<DeviceMemory>&) {
                Engine engine = host_engine(hash_tables());
                engine.keeps_key_order = false;
                return engine;
              }};
}

}  // namespace rtindex
