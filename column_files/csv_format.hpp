#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rtindex {

// How the text of a CSV file is read.
struct CsvFormat {
  // Unset: that of a first line `sep=;`, which Excel writes; else a comma, in .tsv and .bed files a
  // tab.
  std::optional<char> delimiter;
  // Whether the first line holds names. Unset: it does but in .bed files, and a first line of
  // numbers is an error. Columns without names are numbered from 1.
  std::optional<bool> header;
  std::vector<std::string> nulls;            // texts that are null in columns of every type
  std::map<std::string, std::string> types;  // by column; see TextReading::type
  std::string encoding = "utf-8";            // or "latin-1", "utf-16"
  char decimal = '.';                        // or ',': the point of numbers
  std::shared_ptr<std::set<std::string>> names_read;  // receives the names of all columns
};

}  // namespace rtindex
