#pragma once

#include <algorithm>
#include <cstdint>

#include "base/search.hpp"
#include "order/hash_filter.hpp"

namespace rtindex {

// One distinct key. A single row is in the slot; several are an array elsewhere.
template <class Key>
struct [[gnu::packed, gnu::aligned(4)]] Slot {
  Key hash;             // of an empty slot: not less than the hash of any probe that reaches it
  std::uint32_t row;    // or the start of the rows
  std::uint32_t count;  // 0: empty
};

static_assert(sizeof(Slot<std::uint32_t>) == 12);
static_assert(sizeof(Slot<std::uint64_t>) == 16);

// The first slot from `slot` on whose hash is not less; `slots` where there is none. Hashes
// never descend. Among keys that are chosen to collide the search goes on by halving, so that a
// lookup takes logarithmic time whatever the keys are. `hash_at(slot)`: a hash of the table.
template <class Key, class HashAt>
[[nodiscard]] std::uint64_t find_slot(std::uint64_t slot, std::uint64_t slots, Key hash,
                                      HashAt&& hash_at) {
  constexpr std::uint64_t max_steps = 32;
  const std::uint64_t near = std::min<std::uint64_t>(slot + max_steps, slots - 1);
  while (slot < near && hash_at(slot) < hash) ++slot;
  if (slot < near || !(hash_at(slot) < hash)) return slot;
  return partition_point<std::uint64_t>(slot, slots,
                                        [&](std::uint64_t at) { return hash_at(at) < hash; });
}

// The rows of slots (positions below `slots`) and those of duplicate keys (behind them). None is
// greater than `last`, the column's last row, even where they come from a damaged file.
template <class Key>
class SlotRows {
 public:
  SlotRows(const Slot<Key>* table, std::uint64_t slots, const std::uint32_t* duplicate_rows,
           std::uint32_t last)
      : table_(table), slots_(slots), duplicate_rows_(duplicate_rows), last_(last) {}
  [[nodiscard]] std::uint32_t operator[](std::uint64_t position) const {
    return std::min(position < slots_ ? +table_[position].row : duplicate_rows_[position - slots_],
                    last_);
  }
  // Where it is read from.
  [[nodiscard]] const void* address(std::uint64_t position) const {
    if (position < slots_) return table_ + position;
    return duplicate_rows_ + (position - slots_);
  }

 private:
  const Slot<Key>* table_;
  std::uint64_t slots_;
  const std::uint32_t* duplicate_rows_;
  std::uint32_t last_;
};

}  // namespace rtindex
