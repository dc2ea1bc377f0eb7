#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <rtindex/column.hpp>

#include "answers/valid_matches.hpp"
#include "base/array.hpp"
#include "file/stored.hpp"
#include "keys/owned_column.hpp"
#include "keys/row_numbers.hpp"

namespace rtindex {

// A value column in key order, as SQL's INCLUDE stores it, with aggregates of blocks of values, of
// blocks of blocks and so on: a range costs about the same for one match and for a million.
//
// Integer sums are differences of prefix sums, one every `block` values. Floats are never
// subtracted, because one infinity would make all later ranges NaN, and large values would absorb
// small ones. They add at most 3 * block block sums a level, so the error of a sum of n values is
// at most 3 * block * log_block(n) * 2^-53 times the sum of their magnitudes.
//
// Null values are skipped as those of deleted rows are: by a bitmap of their positions, which only
// columns with nulls have.
//
// Answers ignore the values of deleted rows. Blocks with deleted rows are added up from their valid
// values, or read from aggregates of the valid rows; both results are equal to the last bit.
class IncludedValues {
 public:
  // The rowID at a position of the key order.
  using RowAt = std::function<std::uint32_t(std::size_t position)>;

  static constexpr std::size_t block = 32;

  virtual ~IncludedValues() = default;

  // `values` has one value per element of the column that `numbers` numbers; the key order has
  // `size` rows, those whose key is not null.
  [[nodiscard]] static std::unique_ptr<IncludedValues> make(const ColumnView& values,
                                                            std::size_t size, const RowAt& row_at,
                                                            const RowNumbers& numbers);
  // Values of several columns of one type, merged into one key order: sources[i] is the position of
  // its i-th value in the concatenated key orders of all parts.
  struct Part {
    const IncludedValues* values;
    RowBits deleted;  // rows to omit
  };
  [[nodiscard]] static std::unique_ptr<IncludedValues> merged(
      std::span<const Part> parts, std::span<const std::uint32_t> sources);
  // Of a column of at most `rows` rows.
  [[nodiscard]] static std::unique_ptr<IncludedValues> from_file(const FileReader& file,
                                                                 std::size_t size,
                                                                 std::size_t rows);
  virtual void save(FileWriter file) const = 0;

  [[nodiscard]] virtual Type type() const = 0;
  [[nodiscard]] virtual bool has_nulls() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  // sum, mean, min and max of lookups [first, first + count); with nulls, Request::value_counts are
  // set. `valid` is null if no row of them is
  // deleted; `aggregates` come from valid_aggregates(), or are null.
  virtual void answer(const Request& request, std::size_t first, const Match* found,
                      std::size_t count, const ValidMatches* valid,
                      const ValidAggregates* aggregates) const = 0;
  // Aggregates of the valid rows, which answer() reads in place of the values. `before`: those made
  // before the positions `added` were deleted, which are changed in place if they have one owner;
  // null: none.
  [[nodiscard]] virtual CountedRef<ValidAggregates> valid_aggregates(
      const DeletedBits& deleted, CountedRef<ValidAggregates> before = {},
      std::span<const std::uint32_t> added = {}) const = 0;

  // The rows whose key is null, ascending: they have values, but no position in the key order.
  [[nodiscard]] virtual std::span<const std::uint32_t> outside_rows() const = 0;
  // The values of these entries: those at all positions of the key order, then those of
  // outside_rows().
  [[nodiscard]] virtual OwnedColumn values_of(std::span<const std::uint32_t> entries) const = 0;
};

}  // namespace rtindex
