#include "indexes/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answers/matches.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "storage/pairs.hpp"
#include "storage/row_order.hpp"
#include "storage/sort_pairs.hpp"

namespace rtindex {

namespace {

constexpr double load_factor = 0.8;

// Bijective mixing: equal hashes mean equal keys.
[[nodiscard]] std::uint64_t mix(std::uint64_t key) {
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
  return key ^ (key >> 32);
}

[[nodiscard]] std::uint32_t mix(std::uint32_t key) {
  key = (key ^ (key >> 16)) * 0x21f0aaadU;
  key = (key ^ (key >> 15)) * 0x735a2d97U;
  return key ^ (key >> 15);
}

[[nodiscard]] std::uint64_t unmix(std::uint64_t hash) {
  hash = (hash ^ (hash >> 32)) * 0xcfee444d8b59a89bU;
  hash = (hash ^ (hash >> 32)) * 0xcfee444d8b59a89bU;
  return hash ^ (hash >> 32);
}

[[nodiscard]] std::uint32_t unmix(std::uint32_t hash) {
  hash = (hash ^ (hash >> 15) ^ (hash >> 30)) * 0x97132227U;
  hash = (hash ^ (hash >> 15) ^ (hash >> 30)) * 0x333c4925U;
  return hash ^ (hash >> 16);
}

// One distinct key. A single row stands in the slot; more stand side by side elsewhere.
template <class Key>
struct [[gnu::packed, gnu::aligned(4)]] Slot {
  Key hash;
  std::uint32_t row;    // or where the rows start
  std::uint32_t count;  // 0: empty
};

static_assert(sizeof(Slot<std::uint32_t>) == 12);
static_assert(sizeof(Slot<std::uint64_t>) == 16);

// The rows of slots (positions below `slots`) and of keys with several rows (behind them). None is
// greater than `last`, the column's last row, even where they come from a damaged file.
template <class Key>
class SlotRows {
 public:
  SlotRows(const Slot<Key>* table, std::uint64_t slots, const std::uint32_t* several,
           std::uint32_t last)
      : table_(table), slots_(slots), several_(several), last_(last) {}
  [[nodiscard]] std::uint32_t operator[](std::uint64_t position) const {
    return std::min(position < slots_ ? +table_[position].row : several_[position - slots_], last_);
  }

 private:
  const Slot<Key>* table_;
  std::uint64_t slots_;
  const std::uint32_t* several_;
  std::uint32_t last_;
};

// Open addressing with linear probing at load 0.8. The table is filled in the order of the hashes:
// one sort and one pass over memory, and equal keys meet on the way.
template <class Key>
class HashTable final : public Structure {
 public:
  HashTable(const EncodedColumn& column, const KeyCodec& codec)
      : keys_(column.size()), row_count_(column.row_count), span_(column.span) {
    Array<Pair<Key>> pairs(column.size());
    parallel_for(column.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        pairs[i] = {mix(static_cast<Key>(column.keys[i])), column.row(i)};
    });
    sort_pairs(pairs.span());
    lay_out(pairs);
    fill(pairs, codec);
    build_peak_ = column.bytes() + 2 * pairs.bytes();
  }

  HashTable(const FileReader& file, const KeyCodec& codec, std::size_t rows)
      : keys_(file.number("keys", rows)),
        row_count_(rows),
        span_(codec.span()),
        capacity_(file.number("capacity")),
        distinct_(file.number("distinct", keys_)),
        build_peak_(file.number("build_peak")),
        table_(file.array<Slot<Key>>("table")),
        several_(file.array<std::uint32_t>("several")) {
    if (capacity_ == 0 || capacity_ >= table_.size())
      file.refuse("its table has {} slots, {} of them first choices", table_.size(), capacity_);
    // What ends the last probe; nothing else in the table is trusted.
    if (std::as_const(table_)[table_.size() - 1].count != 0)
      file.refuse("the last slot of its table is taken");
  }

  void save(FileWriter file) const override {
    file.number("keys", keys_);
    file.number("capacity", capacity_);
    file.number("distinct", distinct_);
    file.number("build_peak", build_peak_);
    file.array("table", table_.span());
    file.array("several", several_.span());
  }

  void run(const LookupBatch& batch, const Request& request) const override {
    parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      Match found[chunk_lookups];
      batch.encode(first, count, intervals, checks);
      find(intervals, count, found);
      const auto last_row = static_cast<std::uint32_t>(std::max<std::size_t>(row_count_, 1) - 1);
      const SlotRows<Key> rows(table_.data(), table_.size(), several_.data(), last_row);
      if (batch.has_residual())
        for (std::size_t i = 0; i < count; ++i)
          if (checks[i] != check_none) found[i] = narrow(found[i], batch, first + i, rows);
      answer_rows(request, first, found, count, rows, true);
      answer_values(request, first, found, count, rows);
    });
  }

  [[nodiscard]] EncodedColumn column() const override {
    return in_row_order(keys_, row_count_, span_, [&](auto&& take) { for_each_row(take); });
  }

  [[nodiscard]] bool supports(Answer, LookupKind kind) const override {
    return kind == LookupKind::point;
  }

  [[nodiscard]] Bytes bytes() const override {
    Bytes bytes;
    bytes.parts = {{"table", table_.bytes()}, {"rows of duplicates", several_.bytes()}};
    bytes.resident = table_.bytes() + several_.bytes();
    bytes.build_peak = bytes.resident + build_peak_;
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "structure: hash table, linear probing, {} distinct keys in {} slots of {} bytes (load "
        "{:.2f}); points only\nupdates: rebuild\n",
        distinct_, table_.size(), sizeof(Slot<Key>),
        static_cast<double>(distinct_) /
            static_cast<double>(std::max<std::size_t>(1, table_.size())));
  }

 private:
  static constexpr std::size_t grain = std::size_t{1} << 15;

  template <class Visit>
  void for_each_row(Visit&& visit) const {
    for (std::size_t slot = 0; slot < table_.size(); ++slot) {
      const Slot<Key>& entry = table_[slot];
      const Key key = unmix(entry.hash);
      if (entry.count == 1) visit(entry.row, key);
      if (entry.count <= 1) continue;
      const Match several = several_of(entry);
      for (std::uint64_t i = several.begin; i < several.end; ++i) visit(several_[i], key);
    }
  }

  // Where the rows of a key with several are in several_.
  [[nodiscard]] Match several_of(const Slot<Key>& slot) const {
    const std::uint64_t begin = std::min<std::uint64_t>(slot.row, several_.size());
    return {begin, std::min<std::uint64_t>(begin + slot.count, several_.size())};
  }

  [[nodiscard]] std::uint64_t home(Key hash) const {
    if constexpr (sizeof(Key) == 4)
      return static_cast<std::uint64_t>(hash) * capacity_ >> 32;
    else
      return multiply_high(hash, capacity_);
  }

  // How many slots there must be, for the last probe to end inside.
  void lay_out(const Array<Pair<Key>>& pairs) {
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool same_before = i > 0 && pairs[i].key == pairs[i - 1].key;
      const bool same_behind = i + 1 < pairs.size() && pairs[i].key == pairs[i + 1].key;
      distinct_ += same_before ? 0 : 1;
      repeated += same_before || same_behind ? 1 : 0;
    }
    several_ = Array<std::uint32_t>(repeated);
    capacity_ = static_cast<std::uint64_t>(static_cast<double>(distinct_) / load_factor) + 1;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (i == 0 || pairs[i].key != pairs[i - 1].key) next = std::max(next, home(pairs[i].key)) + 1;
    table_ = Array<Slot<Key>>(std::max(capacity_, next) + 1);  // the last one stays empty
    std::fill(table_.begin(), table_.end(), Slot<Key>{});
  }

  void fill(Array<Pair<Key>>& pairs, const KeyCodec& codec) {
    std::uint64_t next = 0;
    std::uint32_t several = 0;
    for (std::size_t begin = 0; begin < pairs.size();) {
      std::size_t end = begin + 1;
      while (end < pairs.size() && pairs[end].key == pairs[begin].key) ++end;
      next = std::max(next, home(pairs[begin].key));
      const auto count = static_cast<std::uint32_t>(end - begin);
      if (count == 1) {
        table_[next] = {pairs[begin].key, pairs[begin].row, 1};
      } else {
        table_[next] = {pairs[begin].key, several, count};
        if (codec.has_residual())
          std::sort(pairs.begin() + begin, pairs.begin() + end,
                    [&](const Pair<Key>& a, const Pair<Key>& b) {
                      const int order = codec.compare_rows(a.row, b.row);
                      return order != 0 ? order < 0 : a.row < b.row;
                    });
        for (std::size_t i = begin; i < end; ++i) several_[several++] = pairs[i].row;
      }
      ++next;
      begin = end;
    }
  }

  void find(const Interval* intervals, std::size_t count, Match* found) const {
    Key hashes[chunk_lookups];
    std::uint64_t slots[chunk_lookups];
    const Slot<Key>* table = table_.data();
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = mix(static_cast<Key>(intervals[i].lower));
      slots[i] = home(hashes[i]);
      __builtin_prefetch(table + slots[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t slot = slots[i];
      while (table[slot].count != 0 && table[slot].hash != hashes[i]) ++slot;
      const std::uint32_t matches = intervals[i].empty() ? 0 : table[slot].count;
      if (matches <= 1) {
        found[i] = {slot, slot + matches};
      } else {
        const Match several = several_of(table[slot]);
        found[i] = {table_.size() + several.begin, table_.size() + several.end};
      }
    }
  }

  // The part of a match whose full keys equal lookup i.
  [[nodiscard]] static Match narrow(Match match, const LookupBatch& batch, std::size_t lookup,
                                    const SlotRows<Key>& rows) {
    const auto first_not = [&](std::uint64_t begin, std::uint64_t end, int bound) {
      while (begin < end) {
        const std::uint64_t middle = begin + (end - begin) / 2;
        if (batch.compare_with_lower(lookup, rows[middle]) < bound)
          begin = middle + 1;
        else
          end = middle;
      }
      return begin;
    };
    match.begin = first_not(match.begin, match.end, 0);
    match.end = first_not(match.begin, match.end, 1);
    return match;
  }

  std::size_t keys_;
  std::size_t row_count_;
  std::uint64_t span_;
  std::uint64_t capacity_ = 0;
  std::uint64_t distinct_ = 0;
  std::size_t build_peak_ = 0;
  Array<Slot<Key>> table_;
  Array<std::uint32_t> several_;
};

}  // namespace

std::unique_ptr<Structure> make_hash(const EncodedColumn& column, const KeyCodec& codec,
                                     const OrderedOptions&) {
  if (column.span <= 0xffffffffU) return std::make_unique<HashTable<std::uint32_t>>(column, codec);
  return std::make_unique<HashTable<std::uint64_t>>(column, codec);
}

std::unique_ptr<Structure> load_hash(const FileReader& file, const KeyCodec& codec,
                                     std::size_t rows, const OrderedOptions&) {
  if (codec.span() <= 0xffffffffU)
    return std::make_unique<HashTable<std::uint32_t>>(file, codec, rows);
  return std::make_unique<HashTable<std::uint64_t>>(file, codec, rows);
}

}  // namespace rtindex
