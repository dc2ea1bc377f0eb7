#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record.hpp"

namespace rtindex::bench {

// Appends records to a file of JSON lines, stamped with machine, commit and command. Every line is
// on disk before the next point starts, so that an interrupted run loses nothing. Without a file it
// only stamps.
class Records {
 public:
  // `command` is how the records can be made again. The folder of the file must be there.
  Records(const std::string& path, std::string command);

  // Returns the record as it was written.
  Record add(Record record);

 private:
  std::ofstream file_;
  std::string command_;
};

// Makes a folder for several files of records where it is missing. What it stands in must be there:
// a whole path of new folders is rather a slip of the pen.
void make_last_folder(std::filesystem::path folder);

// The records of a text of JSON lines; `name` is what errors call it. A last line that was cut off,
// as an interrupted run may leave it, is passed over.
[[nodiscard]] std::vector<Record> records_in(std::string_view text, const std::string& name);
// The records of a file, or of all *.jsonl files in a folder and its folders.
[[nodiscard]] std::vector<Record> read_records(const std::filesystem::path& path);

}  // namespace rtindex::bench
