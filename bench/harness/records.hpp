#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record.hpp"

namespace rtindex::bench {

// Appends records to a file of JSON lines, with machine, commit and command. Every line is flushed
// before the next point starts, so that an interrupted run loses nothing. Without a file it only
// fills in these fields.
class Records {
 public:
  // `command` reproduces the records. The folder of the file must exist.
  Records(const std::string& path, std::string command);

  // Returns the record as written.
  Record add(Record record);

 private:
  std::ofstream file_;
  std::string command_;
};

// The records of a program that compares rtindex with other libraries: one experiment, whose
// questions are part of the workload.
class PeerRecords {
 public:
  PeerRecords(const std::string& path, std::string experiment, std::string command)
      : records_(path, std::move(command)), experiment_(std::move(experiment)) {}

  void add(const std::string& index, const nlohmann::json& workload, const std::string& metric,
           double value, const std::vector<double>& runs = {}) {
    records_.add({.experiment = experiment_,
                  .index = index,
                  .metric = metric,
                  .value = value,
                  .runs = runs,
                  .workload = workload});
  }

 private:
  Records records_;
  std::string experiment_;
};

// Creates a folder for several files of records if it is missing. Its parent must exist: a whole
// path of new folders is probably a typo.
void make_last_folder(std::filesystem::path folder);

// The records in JSON lines; `name` is for error messages. A truncated line, which an interrupted
// run may leave, is skipped.
[[nodiscard]] std::vector<Record> records_in(std::string_view text, const std::string& name);
// The *.jsonl files in a folder and its folders, by name.
[[nodiscard]] std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder);
// The records of a file, or of all *.jsonl files in a folder and its folders.
[[nodiscard]] std::vector<Record> read_records(const std::filesystem::path& path);

// The figures that the paper's authors published, as records (results/paper/).
[[nodiscard]] const std::vector<Record>& published_records();

// These figures as JSON lines, embedded by the build.
[[nodiscard]] std::string_view published_text();

}  // namespace rtindex::bench
