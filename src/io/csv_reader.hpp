#pragma once

#include <string>

#include "io/loaded_column.hpp"

namespace rtindex {

// Which column of a CSV file is meant.
struct CsvColumn {
  std::string name;                     // empty: the only one
  bool or_the_only_one = false;         // a file of one column gives it, whatever its name
  std::string option = "--csv-column";  // what a message tells the user to pass
};

// One column of a CSV file with a header line. `like`: see TextColumn::finish.
[[nodiscard]] LoadedColumn read_csv(const std::string& path, const CsvColumn& column,
                                    const LoadedColumn* like = nullptr);

}  // namespace rtindex
