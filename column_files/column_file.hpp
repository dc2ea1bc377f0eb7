#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "column_files/csv_reader.hpp"
#include "column_files/loaded_column.hpp"

namespace rtindex {

enum class FileFormat : std::uint8_t { npy, sosd32, sosd64, csv };

// "npy", "sosd32", "sosd64" or "csv"; any other text is an Error.
[[nodiscard]] FileFormat file_format_named(std::string_view name);
// By the file's extension; nothing for an unknown one. Standard input, "-", is .npy or CSV.
[[nodiscard]] std::optional<FileFormat> file_format_of(std::string_view path);

// A file that holds a column, and how to read it.
struct ColumnFile {
  std::string path;
  std::optional<FileFormat> format;  // unset: by the file's extension
  CsvColumn csv_column;
  CsvFormat csv_format = {};
  Access access = Access::sequential;  // in which order the elements are read
  // Text and NumPy's days are read as the type of this column where possible.
  const LoadedColumn* like = nullptr;
};

[[nodiscard]] LoadedColumn load(const ColumnFile& file);

// A file of the SOSD benchmark: a uint64 count, then that many keys. `type`: u32 or u64.
[[nodiscard]] LoadedColumn read_sosd(FileBytes file, Type type);
[[nodiscard]] inline LoadedColumn read_sosd(const std::string& path, Type type,
                                            Access access = Access::sequential) {
  return read_sosd(FileBytes(path, access), type);
}

}  // namespace rtindex
