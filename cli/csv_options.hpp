#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "column_files/csv_format.hpp"

namespace rtindex::cli {

// How the CSV files of a call are read.
struct CsvOptions {
  bool header = false, no_header = false;
  std::string delimiter;
  std::vector<std::string> nulls, types;
  std::string encoding = "utf-8";
  std::string decimal = ".";

  void add_to(CLI::App& verb);
  // Throws if a text is invalid.
  [[nodiscard]] CsvFormat format() const;
};

}  // namespace rtindex::cli
