#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "answers/matches.hpp"
#include "rows/row_bits.hpp"
#include "support/oracle.hpp"

namespace rtindex::test {

// Deleted rows, as plain flags and as a row bitmap.
class DeletedRows {
 public:
  DeletedRows(const std::vector<std::uint32_t>& rows, std::size_t row_count);
  explicit DeletedRows(std::vector<bool> is_deleted);

  [[nodiscard]] bool has(std::uint32_t row) const { return is_deleted_[row]; }
  // Null if no row is deleted; each bitmap has its own id, which does not change between calls.
  [[nodiscard]] RowBits bits() const;

 private:
  std::vector<bool> is_deleted_;
  std::vector<std::uint32_t> words_;
  std::uint64_t id_;
};

// none, few (1 of 20), half, most (99 of 100), all, all_but_one, first_half.
[[nodiscard]] const std::vector<std::string>& deleted_row_names();
[[nodiscard]] DeletedRows deleted_rows_named(const std::string& name, std::size_t row_count);

// The rowIDs of some positions.
struct PositionRows {
  std::vector<std::uint32_t> rows;
  std::uint32_t operator[](std::size_t position) const { return rows[position]; }
  [[nodiscard]] const void* address(std::size_t position) const { return &rows[position]; }
};

// The oracle: the rows of each match that are not deleted, one after the other.
[[nodiscard]] Matches valid_rows(const std::vector<Match>& found, const PositionRows& rows,
                                 const DeletedRows& deleted);
// Lookups that name the matches in messages.
[[nodiscard]] Batch batch_of(const std::vector<Match>& found);

}  // namespace rtindex::test
