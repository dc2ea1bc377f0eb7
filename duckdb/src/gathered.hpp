#pragma once

/// \file
/// Rows that an aggregate has seen, and the column that they make.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "api.hpp"
#include "key_types.hpp"

namespace rtindex::sql {

/// One field of the keys, in the order of their arrival.
struct GatheredField {
  KeyType type;
  std::vector<std::byte> bytes;     ///< native elements, or the bytes of strings
  std::vector<std::uint64_t> ends;  ///< of strings: where each of them ends
  std::vector<bool> nulls;          ///< empty: there are none
  std::vector<std::string> words;   ///< of an ENUM: its values, in their order
};

/// Ids and keys that one thread has seen.
struct GatheredRows {
  std::vector<std::int64_t> ids;
  std::vector<GatheredField> parts;

  /// Appends rows of a chunk: its vector `id_vector` has the ids, all later ones the keys.
  void append(duckdb_data_chunk chunk, idx_t id_vector, std::span<const idx_t> rows);
};

/// What the rows of an index are.
enum class Shape : std::uint8_t { keys, intervals, points };

/// The column of an index, with its rows in the order of their ids.
class AssembledColumn {
 public:
  /// Ids 0, 1, 2, ... become rowIDs; some may be missing, but not of points, which have no key that
  /// could be null. Other ids are sorted and kept.
  AssembledColumn(std::span<const std::shared_ptr<GatheredRows>> pieces, Shape shape);

  /// `ends`: of intervals, whose leading columns come first, then the starts and the ends.
  [[nodiscard]] ColumnView view(std::optional<Ends> ends) const;
  [[nodiscard]] std::vector<KeyType> types() const;
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// The id of each rowID; empty if they are equal.
  [[nodiscard]] std::vector<std::int64_t>&& take_ids() { return std::move(ids_); }

 private:
  struct Field {
    KeyType type;
    std::vector<std::byte> bytes;
    std::vector<std::int64_t> offsets;
    std::vector<std::uint8_t> validity;
  };
  using Pieces = std::span<const std::shared_ptr<GatheredRows>>;

  [[nodiscard]] bool assign_slots_by_id(Pieces pieces);
  void assign_slots_in_order(Pieces pieces);
  [[nodiscard]] Field assembled_field(Pieces pieces, std::size_t part) const;
  static void copy_elements(const GatheredField& from, std::span<const std::uint32_t> slots,
                            Field& to);
  static void convert(Field& field, const KeyType& wanted);
  void copy_strings(Pieces pieces, std::size_t part, Field& to) const;

  Shape shape_;
  std::size_t rows_ = 0;              ///< input rows
  std::size_t slot_count_ = 0;        ///< rowIDs, those of missing ids included
  std::vector<std::uint32_t> slots_;  ///< the rowID of each row, in the order of arrival
  std::vector<std::int64_t> ids_;
  std::vector<Field> parts_;
};

}  // namespace rtindex::sql
