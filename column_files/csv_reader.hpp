#pragma once

#include <string>
#include <vector>

#include "column_files/csv_format.hpp"
#include "column_files/loaded_column.hpp"

namespace rtindex {

// Selects a column of a CSV file.
struct CsvColumn {
  std::string name;                     // empty: the only one
  bool or_the_only_one = false;         // in a file of one column the name may differ
  std::string option = "--csv-column";  // the option that messages mention
};

// Throws for gzip and Parquet files, which have to be converted.
void require_uncompressed(const FileBytes& file);

// The names of the columns of a CSV file.
[[nodiscard]] std::vector<std::string> csv_names(const FileBytes& file, const CsvFormat& format);

// One column of a CSV file. `like`: see TextReading.
[[nodiscard]] LoadedColumn read_csv(const FileBytes& file, const CsvColumn& column,
                                    const LoadedColumn* like = nullptr,
                                    const CsvFormat& format = {});
[[nodiscard]] inline LoadedColumn read_csv(const std::string& path, const CsvColumn& column,
                                           const LoadedColumn* like = nullptr,
                                           const CsvFormat& format = {}) {
  return read_csv(FileBytes(path), column, like, format);
}

}  // namespace rtindex
