#pragma once

/// \file
/// DuckDB's C extension API, owners for its handles, and the border that no exception crosses.

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <type_traits>

#define DUCKDB_EXTENSION_NAME rtindex
#include <duckdb_extension.h>

DUCKDB_EXTENSION_EXTERN

namespace rtindex::sql {

inline void destroy(duckdb_logical_type type) { duckdb_destroy_logical_type(&type); }
inline void destroy(duckdb_value value) { duckdb_destroy_value(&value); }
inline void destroy(duckdb_scalar_function function) { duckdb_destroy_scalar_function(&function); }
inline void destroy(duckdb_table_function function) { duckdb_destroy_table_function(&function); }
inline void destroy(duckdb_aggregate_function function) {
  duckdb_destroy_aggregate_function(&function);
}
inline void destroy(duckdb_aggregate_function_set set) {
  duckdb_destroy_aggregate_function_set(&set);
}

struct Destroy {
  template <class Handle>
  void operator()(Handle* handle) const {
    destroy(handle);
  }
};

/// Owns a handle of DuckDB.
template <class Handle>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

using LogicalType = Owner<duckdb_logical_type>;
using Value = Owner<duckdb_value>;

[[nodiscard]] inline LogicalType logical_type(duckdb_type type) {
  return LogicalType(duckdb_create_logical_type(type));
}

/// Frees the data of a function or of a call.
template <class T>
void delete_object(void* object) {
  delete static_cast<T*>(object);
}

/// Runs `work`; an exception becomes the error of the query.
template <class Info, class SetError, class Work>
void guarded(Info info, SetError set_error, Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    set_error(info, error.what());
  } catch (...) {
    set_error(info, "rtindex: an unknown error; please report it");
  }
}

/// The bytes of a string in a vector, valid as long as the vector.
[[nodiscard]] inline std::string_view text_of(const duckdb_string_t& string) {
  constexpr std::uint32_t inlined = 12;
  const std::uint32_t length = string.value.inlined.length;
  return {length <= inlined ? string.value.inlined.inlined : string.value.pointer.ptr, length};
}

/// The type of an argument of a chunk.
[[nodiscard]] inline LogicalType type_of(duckdb_data_chunk chunk, idx_t argument) {
  return LogicalType(duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk, argument)));
}

/// Whether a row of a vector is not NULL, by its validity mask.
[[nodiscard]] inline bool is_valid(const std::uint64_t* validity, idx_t row) {
  return validity == nullptr || ((validity[row / 64] >> (row % 64)) & 1) != 0;
}

}  // namespace rtindex::sql
