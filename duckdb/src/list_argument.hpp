#pragma once

/// \file
/// LIST arguments of a call.

#include <string>

#include <rtindex/error.hpp>

#include "api.hpp"

namespace rtindex::sql {

[[nodiscard]] inline bool is_list(duckdb_data_chunk chunk, idx_t argument) {
  const duckdb_type type = duckdb_get_type_id(type_of(chunk, argument).get());
  if (type == DUCKDB_TYPE_ARRAY)
    throw Error("argument " + std::to_string(argument + 1) +
                " is an ARRAY, which has a fixed size: cast it to a LIST, such as BIGINT[]");
  return type == DUCKDB_TYPE_LIST;
}

/// A LIST argument of a chunk.
class ListArgument {
 public:
  ListArgument(duckdb_data_chunk chunk, idx_t argument)
      : vector_(duckdb_data_chunk_get_vector(chunk, argument)),
        entries_(static_cast<const duckdb_list_entry*>(duckdb_vector_get_data(vector_))),
        validity_(duckdb_vector_get_validity(vector_)) {}

  /// Where the list of a row lies in the elements. NULL is an empty list, as list() of no rows is.
  [[nodiscard]] duckdb_list_entry at(idx_t row) const {
    return is_valid(validity_, row) ? entries_[row] : duckdb_list_entry{};
  }
  /// Whether two rows have the same list, such as a constant.
  [[nodiscard]] bool same(idx_t a, idx_t b) const {
    const duckdb_list_entry one = at(a);
    const duckdb_list_entry other = at(b);
    return one.length == other.length && (one.length == 0 || one.offset == other.offset);
  }
  [[nodiscard]] duckdb_vector elements() const { return duckdb_list_vector_get_child(vector_); }
  [[nodiscard]] idx_t element_count() const { return duckdb_list_vector_get_size(vector_); }

 private:
  duckdb_vector vector_;
  const duckdb_list_entry* entries_;
  const std::uint64_t* validity_;
};

/// Calls visit(first, last) for the rows of a chunk: a range where same(first, row) holds at a
/// time.
template <class Same, class Visit>
void for_each_run(idx_t rows, Same same, Visit visit) {
  for (idx_t first = 0, last = 0; first < rows; first = last) {
    while (++last < rows && same(first, last)) {
    }
    visit(first, last);
  }
}

}  // namespace rtindex::sql
