#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <rtindex/column.hpp>

#include "answers/matches.hpp"
#include "base/stored.hpp"
#include "keys/owned_column.hpp"

namespace rtindex {

// A value column in key order, as SQL's INCLUDE stores it, with aggregates of blocks of values, of
// blocks of blocks and so on: a range costs about the same for one match and for a million.
//
// Integer sums are differences of prefix sums, one every `block` values. Floats are never
// subtracted (one infinity would make all later ranges NaN, and small values would be lost behind
// large ones): they add at most 3 * block block sums a level, so that the error of a sum of n
// values is at most 3 * block * log_block(n) * 2^-53 times the sum of their magnitudes.
class IncludedValues {
 public:
  // The rowID at a position of the key order.
  using RowAt = std::function<std::uint32_t(std::size_t position)>;

  static constexpr std::size_t block = 32;

  virtual ~IncludedValues() = default;

  // `values` has one value per row; the key order has `size` rows, those whose key is not null.
  [[nodiscard]] static std::unique_ptr<IncludedValues> make(const ColumnView& values,
                                                            std::size_t size, const RowAt& row_at);
  [[nodiscard]] static std::unique_ptr<IncludedValues> from_file(const FileReader& file,
                                                                 std::size_t size,
                                                                 std::size_t rows);
  virtual void save(FileWriter file) const = 0;

  [[nodiscard]] virtual Type type() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  // sum, min and max of lookups [first, first + count).
  virtual void answer(const Request& request, std::size_t first, const Match* found,
                      std::size_t count) const = 0;
  // The value column in row order.
  [[nodiscard]] virtual OwnedColumn column(std::size_t rows, const RowAt& row_at) const = 0;
};

}  // namespace rtindex
