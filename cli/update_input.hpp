#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "cli/batch.hpp"
#include "cli/changes.hpp"

namespace rtindex::cli {

struct UpdateOptions : BatchOptions {
  std::string insert, erase, erase_keys;
  std::vector<std::string> insert_key, erase_key;  // on the command line
  std::vector<std::uint32_t> erase_row;
  std::pair<std::string, std::string> set_keys, set_included;  // files of rows, of elements
  std::string rows_csv_column;
  bool merge = false;

  [[nodiscard]] std::vector<std::string> input_files() const {
    std::vector<std::string> files = {insert,
                                      erase,
                                      erase_keys,
                                      set_keys.first,
                                      set_keys.second,
                                      set_included.first,
                                      set_included.second,
                                      set_included_file().path};
    files.insert(files.end(), include.begin(), include.end());
    if (inserts_files()) files.insert(files.end(), {intervals.start, intervals.end});
    return files;
  }
  // The file of --set-included, and the column that NAME=FILE names; empty: none.
  struct IncludedFile {
    std::string name, path;
  };
  [[nodiscard]] IncludedFile set_included_file() const {
    const std::string& text = set_included.second;
    const std::size_t equals = text.find('=');
    std::error_code error;
    if (equals == std::string::npos || std::filesystem::exists(text, error)) return {"", text};
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  // Whether --start and --end are files, not the columns of another one.
  [[nodiscard]] bool inserts_files() const {
    return !intervals.start.empty() && insert.empty() && set_keys.first.empty();
  }
  [[nodiscard]] bool inserts() const {
    return !insert.empty() || !insert_key.empty() || inserts_files();
  }
  [[nodiscard]] bool erases_rows() const { return !erase.empty() || !erase_row.empty(); }
  [[nodiscard]] bool erases_keys() const { return !erase_keys.empty() || !erase_key.empty(); }
  [[nodiscard]] bool sets_keys() const { return !set_keys.first.empty(); }
  [[nodiscard]] bool sets_included() const { return !set_included.first.empty(); }
  [[nodiscard]] bool changes() const {
    return inserts() || erases_rows() || erases_keys() || sets_keys() || sets_included() || merge;
  }
};

// Reads the changes; throws if they do not fit the index.
[[nodiscard]] Changes load_changes(const UpdateOptions& options, const Index& index);

}  // namespace rtindex::cli
