#pragma once

#include <string>

#include "column_files/loaded_column.hpp"

namespace rtindex {

// Selects a column of a CSV file.
struct CsvColumn {
  std::string name;                     // empty: the only one
  bool or_the_only_one = false;         // in a file of one column the name may differ
  std::string option = "--csv-column";  // the option that messages mention
};

// One column of a CSV file with a header line. `like`: see TextColumn::finish.
[[nodiscard]] LoadedColumn read_csv(const FileBytes& file, const CsvColumn& column,
                                    const LoadedColumn* like = nullptr);
[[nodiscard]] inline LoadedColumn read_csv(const std::string& path, const CsvColumn& column,
                                           const LoadedColumn* like = nullptr) {
  return read_csv(FileBytes(path), column, like);
}

}  // namespace rtindex
