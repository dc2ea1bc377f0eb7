#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "answers/row_positions.hpp"
#include "base/lazy.hpp"
#include "base/parallel.hpp"
#include "engine/searcher.hpp"
#include "order/columns.hpp"
#include "order/included.hpp"

namespace rtindex {

// Finds rows in a structure and reads their included values. An entry is a position of the
// structure or, behind all of these, that of an included value whose key is null.
template <class Rows>
class StoredRows {
 public:
  // rows[i] = the row at position i, of `size`, in an index of `row_count` rows.
  StoredRows(std::size_t size, std::size_t row_count, Rows rows,
             const std::vector<std::unique_ptr<IncludedValues>>& values,
             const Lazy<RowPositions>& positions)
      : size_(size), row_count_(row_count), rows_(rows), values_(values), positions_(positions) {
    if (!values.empty()) outside_ = values.front()->outside_rows();
  }

  // Of those of these rows that are here.
  [[nodiscard]] std::vector<std::uint32_t> positions_of(std::span<const std::uint32_t> rows) const {
    return entries_of(rows, {});
  }
  [[nodiscard]] IncludedRows included_of(std::span<const std::uint32_t> rows) const {
    return included_at(entries_of(rows, outside_));
  }

  // The positions by ascending row.
  [[nodiscard]] EncodedColumn positions_by_row() const { return by_row(size_); }
  [[nodiscard]] IncludedRows all_included() const {
    if (values_.empty()) return {};
    const std::size_t entries = size_ + outside_.size();
    return included_at({by_row(entries).keys.narrow_data(), entries});
  }

 private:
  static constexpr std::size_t few_rows = 64;  // are scanned
  static constexpr std::size_t grain = std::size_t{1} << 15;

  [[nodiscard]] std::optional<std::uint32_t> position_of(std::uint32_t row, bool scans) const {
    if (!scans) return positions_.get().find(row);
    for (std::uint32_t i = 0; i < size_; ++i)
      if (rows_[i] == row) return i;
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::uint32_t> entries_of(
      std::span<const std::uint32_t> rows, std::span<const std::uint32_t> outside) const {
    const bool scans = size_ <= few_rows && rows.size() <= few_rows;
    std::vector<std::uint32_t> found;
    for (const std::uint32_t row : rows) {
      const auto next = std::lower_bound(outside.begin(), outside.end(), row);
      if (const std::optional<std::uint32_t> at = position_of(row, scans))
        found.push_back(*at);
      else if (next != outside.end() && *next == row)
        found.push_back(static_cast<std::uint32_t>(size_) +
                        static_cast<std::uint32_t>(next - outside.begin()));
    }
    return found;
  }
  [[nodiscard]] std::uint32_t row_of(std::uint32_t entry) const {
    return entry < size_ ? rows_[entry] : outside_[entry - size_];
  }
  // The first entries, as in_row_order() sorts keys.
  [[nodiscard]] EncodedColumn by_row(std::size_t entries) const {
    return in_row_order(entries, row_count_, entries == 0 ? 0 : entries - 1, [&](auto&& take) {
      parallel_for(entries, grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i)
          take(row_of(static_cast<std::uint32_t>(i)), i);
      });
    });
  }
  [[nodiscard]] IncludedRows included_at(std::span<const std::uint32_t> entries) const {
    IncludedRows some;
    some.rows = Array<std::uint32_t>(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) some.rows[i] = row_of(entries[i]);
    for (const auto& values : values_) some.columns.push_back(values->values_of(entries));
    return some;
  }

  std::size_t size_;
  std::size_t row_count_;
  Rows rows_;
  const std::vector<std::unique_ptr<IncludedValues>>& values_;
  const Lazy<RowPositions>& positions_;
  std::span<const std::uint32_t> outside_;  // rows of included values whose keys are null
};

}  // namespace rtindex
