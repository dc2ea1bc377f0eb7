#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "column_files/loaded_column.hpp"

namespace rtindex::cli {

// Metadata of an index file: the unit of its column if TimeUnit has no name for it ("25s").
inline constexpr const char* numpy_unit_name = "numpy_time_unit";
// The names of the columns of points, as a JSON array. The Python package reads and writes them
// too.
inline constexpr const char* column_names_entry = "names";

// The entry of an index's metadata with the columns that became text although no type was given:
// for each part of a key its name, one of its fields and the point of its numbers, or three empty
// texts.
inline constexpr const char* inferred_text_entry = "read_as_text";

// The summary of a call, printed to stderr.
struct Summary {
  double build_seconds = 0;  // or of the load
  bool loaded = false;
  std::uint64_t lookups = 0;
  double lookup_seconds = 0;
  std::uint64_t matched = 0;
  double join_seconds = 0;  // of a join, instead of the two above
  std::uint64_t pairs = 0;
  Counters counters;  // with --counters
  std::vector<std::string> files;
  std::vector<std::string> notes;  // on files other than the column

  // `column`: its name in the file; empty: none.
  void add_note(const LoadedColumn& of_file, const std::string& column = {});
  [[nodiscard]] std::string text(const LoadedColumn& column, const Index& index) const;
};

// "0.41 ms", "12.3 ms", "4,210 ms".
[[nodiscard]] std::string milliseconds_text(double seconds);

}  // namespace rtindex::cli
