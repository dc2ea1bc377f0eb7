#include "cli/reading.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "cli/interrupt.hpp"

namespace rtindex::cli {

LoadedColumn read_column(const ColumnFile& file, Progress::Style style) {
  const std::string& column = file.csv_column.name;
  const std::string title =
      fmt::format("reading {}{}", file.path, column.empty() ? "" : ", " + column);
  std::error_code error;
  // A read from a pipe can wait forever: Ctrl-C ends the program at once.
  if (!std::filesystem::is_regular_file(file.path, error)) {
    const Progress progress(title, 0, style);
    return load(file);
  }
  const InterruptGuard guard;
  Progress progress(title, Progress::of_call, style);
  const ControlledCalls controlled(progress.control());
  return load(file);
}

}  // namespace rtindex::cli
