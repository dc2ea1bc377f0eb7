#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "answers/matches.hpp"
#include "base/parallel.hpp"
#include "storage/key_order.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// A structure over sorted pairs. Its Locator finds, for a block of keys at a time, the position of
// the first pair whose key is not less; all else (ranges, duplicates, answers) follows from that
// and is written here once.
//
//   Locator(const KeyOrder<Key>&)
//   void lower_bounds(const KeyOrder<Key>&, const Key* keys, std::size_t count, std::uint32_t* at)
//   std::size_t bytes(); std::string describe()
template <class Key, class Locator>
class OrderedStructure final : public Structure {
 public:
  OrderedStructure(const EncodedColumn& column, const KeyCodec& codec)
      : order_(column, codec), locator_(order_) {}

  void run(const LookupBatch& batch, const Request& request) const override {
    parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      run_chunk(batch, request, first, count);
    });
  }

  [[nodiscard]] EncodedColumn column() const override { return order_.column(); }

  [[nodiscard]] Bytes bytes() const override {
    Bytes bytes;
    bytes.parts = {{"keys and rowIDs", order_.bytes()}, {Locator::part_name, locator_.bytes()}};
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = std::max(order_.build_peak(), bytes.resident);
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return locator_.describe() + "updates: rebuild\n";
  }

 private:
  void run_chunk(const LookupBatch& batch, const Request& request, std::size_t first,
                 std::size_t count) const {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups];
    Match found[chunk_lookups];
    batch.encode(first, count, intervals, checks);
    const bool points = batch.kind() == LookupKind::point;
    if (points)
      find_points(intervals, count, found);
    else
      find_ranges(intervals, count, found);
    if (batch.has_residual())
      for (std::size_t i = 0; i < count; ++i)
        if (checks[i] != check_none && found[i].size() != 0)
          found[i] = order_.narrow(found[i], batch, first + i, intervals[i], checks[i]);
    const PairRows<Key> rows(order_.pairs());
    answer_rows(request, first, found, count, rows, points);
    answer_values(request, first, found, count, rows);
  }

  void find_points(const Interval* intervals, std::size_t count, Match* found) const {
    Key keys[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = intervals[i].empty() ? Key{0} : static_cast<Key>(intervals[i].lower);
    locator_.lower_bounds(order_, keys, count, at);
    for (std::size_t i = 0; i < count; ++i) {
      if (intervals[i].empty())
        found[i] = {0, 0};
      else
        found[i] = {at[i], order_.end_of_equal(at[i], keys[i])};
    }
  }

  void find_ranges(const Interval* intervals, std::size_t count, Match* found) const {
    Key keys[2 * chunk_lookups];
    std::uint32_t at[2 * chunk_lookups];
    for (std::size_t i = 0; i < count; ++i) {
      const bool empty = intervals[i].empty();
      keys[2 * i] = empty ? Key{0} : static_cast<Key>(intervals[i].lower);
      // An upper end at the last key has nothing behind it, and key + 1 might not exist.
      const bool open = empty || intervals[i].upper >= order_.last_key();
      keys[2 * i + 1] = open ? Key{0} : static_cast<Key>(intervals[i].upper + 1);
    }
    locator_.lower_bounds(order_, keys, 2 * count, at);
    for (std::size_t i = 0; i < count; ++i) {
      if (intervals[i].empty()) {
        found[i] = {0, 0};
        continue;
      }
      const std::uint64_t end =
          intervals[i].upper >= order_.last_key() ? order_.size() : at[2 * i + 1];
      found[i] = {std::min<std::uint64_t>(at[2 * i], end), end};
    }
  }

  KeyOrder<Key> order_;
  Locator locator_;
};

// The structure with 4-byte keys where they fit, else with 8-byte keys.
template <template <class> class Locator>
[[nodiscard]] std::unique_ptr<Structure> make_ordered(const EncodedColumn& column,
                                                      const KeyCodec& codec) {
  if (column.span <= 0xffffffffU)
    return std::make_unique<OrderedStructure<std::uint32_t, Locator<std::uint32_t>>>(column, codec);
  return std::make_unique<OrderedStructure<std::uint64_t, Locator<std::uint64_t>>>(column, codec);
}

}  // namespace rtindex
