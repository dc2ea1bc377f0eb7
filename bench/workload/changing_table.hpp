#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <rtindex/index.hpp>

#include "workload/column.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {

enum class Change : std::uint8_t { insert, update, erase };
[[nodiscard]] std::string name_of(Change change);

// Where the keys of new and updated rows lie: anywhere, or in 1/256 of the key space.
enum class NewKeys : std::uint8_t { anywhere, narrow };

// Rows that change: `rows` have new `keys`, or are erased. Rows to insert have no numbers yet, but
// values.
struct RowBatch {
  Change change;
  std::size_t size;
  WorkloadArray<std::uint32_t> rows;
  KeyArray keys;
  WorkloadArray<std::uint32_t> values;
};

// Changes an index; values are passed if it includes them.
void apply(const RowBatch& batch, Index& index);

// A table beside an index that changes. Lookups are checked with its column: keys are distinct, so
// that a row's value is the sum for its key. Inserts append rows, erases choose initial rows in
// random order and then inserted ones, updates choose valid rows in turn.
class ChangingTable {
 public:
  struct Shape {
    std::size_t rows;      // at first
    std::size_t room = 0;  // for rows to insert
    int bits = 64;
    NewKeys new_keys = NewKeys::anywhere;
  };
  ChangingTable(ExecutionSpace& space, const Shape& shape, std::uint64_t seed);

  // Rows, erased ones included, and those that are not erased.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t valid() const { return size_ - erased_; }
  [[nodiscard]] ExecutionSpace& space() const { return column_.space(); }

  // All rows, in the memory of the table: valid as long as the table does not change.
  [[nodiscard]] Column column() const;
  // A copy of the valid rows, numbered from 0.
  [[nodiscard]] Column valid_column() const;
  // Points on valid rows.
  [[nodiscard]] Lookups hits(std::size_t size, std::uint64_t seed) const {
    return hits_between(erased_, size_, size, seed);
  }
  // Points on all rows: those on erased ones miss.
  [[nodiscard]] Lookups hits_and_misses(std::size_t size, std::uint64_t seed) const {
    return hits_between(0, size_, size, seed);
  }
  // Points on the half of the first rows that updates choose last.
  [[nodiscard]] Lookups hits_on_unchanged(std::size_t size, std::uint64_t seed) const {
    return hits_between(erased_, first_rows() / 2, size, seed);
  }

  // The rows of the next such change; does not change the table.
  [[nodiscard]] RowBatch next(Change change, std::size_t size) const;
  // Makes the change in the table. The batch is the last that `next` returned.
  void apply(const RowBatch& batch);

 private:
  [[nodiscard]] std::size_t first_rows() const { return order_.first_rows; }
  [[nodiscard]] std::size_t room() const { return column_.size() - size_; }
  [[nodiscard]] Lookups hits_between(std::size_t first, std::size_t end, std::size_t size,
                                     std::uint64_t seed) const;
  [[nodiscard]] std::size_t first_to_update(std::size_t size) const;
  [[nodiscard]] WorkloadArray<std::uint32_t> rows_at(std::size_t position, std::size_t size) const;
  void fill_new_keys(const KeyArray& keys) const;

  TableOrder order_;
  TableKeys new_keys_;  // `first`: the next draw
  Column column_;       // with room for rows to insert
  std::size_t size_;
  std::size_t erased_ = 0;
  std::size_t updated_;  // the position of the next row to update
};

}  // namespace rtindex::bench
