#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <set>
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
  // The names of the columns of all CSV files read so far.
  std::shared_ptr<std::set<std::string>> names_read = std::make_shared<std::set<std::string>>();

  void add_to(CLI::App& verb);
  // Throws if a text is invalid.
  [[nodiscard]] CsvFormat format() const;
  // Once all files were read: throws if one of these options has no effect.
  void require_effect() const;
  // Throws if no CSV file has one of the columns that an option names; empty names are unset.
  void require_columns(const std::string& option, const std::vector<std::string>& names) const;
};

}  // namespace rtindex::cli
