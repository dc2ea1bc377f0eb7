#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rtindex {

// How the text of a CSV file is read.
struct CsvFormat {
  std::optional<char> delimiter;  // unset: a comma, in .tsv files a tab
  // Whether the first line holds names. Unset: it does, and a first line of numbers is an error.
  // Columns without names are numbered from 1.
  std::optional<bool> header;
  std::vector<std::string> nulls;            // texts that are null in columns of every type
  std::map<std::string, std::string> types;  // by column; see TextReading::type
  std::string encoding = "utf-8";            // or "latin-1", "utf-16"
};

}  // namespace rtindex
