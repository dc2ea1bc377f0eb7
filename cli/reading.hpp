#pragma once

#include "cli/progress.hpp"
#include "column_files/column_file.hpp"

namespace rtindex::cli {

// load() with a bar of its progress. Of a pipe, whose length is unknown, it shows the elapsed time.
[[nodiscard]] LoadedColumn read_column(const ColumnFile& file, Progress::Style style);

}  // namespace rtindex::cli
