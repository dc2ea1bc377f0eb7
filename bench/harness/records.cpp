#include "harness/records.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <rtindex/error.hpp>
#include <rtindex/version.hpp>

#include "harness/provenance.hpp"

namespace rtindex::bench {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path.string() + " cannot be read: name a file of records");
  return {std::istreambuf_iterator<char>(file), {}};
}

// A run that was interrupted may have left half a line; what follows must not be glued to it.
void end_last_line(const std::string& path) {
  if (!fs::exists(path) || fs::file_size(path) == 0) return;
  if (text_of(path).back() != '\n') std::ofstream(path, std::ios::app) << '\n';
}

void require_folder(const fs::path& folder, const std::string& wanted, const char* what) {
  if (folder.empty() || fs::is_directory(folder)) return;
  throw Error(wanted + " cannot be " + what + ": the folder " + folder.string() +
              " does not exist; create it first");
}

}  // namespace

void make_last_folder(fs::path folder) {
  if (!folder.has_filename()) folder = folder.parent_path();  // "results/here/"
  if (fs::is_directory(folder)) return;
  require_folder(folder.parent_path(), folder.string(), "made");
  std::error_code error;
  if (!fs::create_directory(folder, error))
    throw Error(folder.string() + " cannot be made: " + error.message() + "; name another folder");
}

Records::Records(const std::string& path, std::string command) : command_(std::move(command)) {
  if (path.empty()) return;
  require_folder(fs::path(path).parent_path(), path, "written");
  end_last_line(path);
  file_.open(path, std::ios::app);
  if (!file_) throw Error(path + " cannot be written: name a file in a folder that can");
}

Record Records::add(Record record) {
  // Asking takes a second or two: once, and only where something was measured.
  static const std::string commit_now = commit();
  static const nlohmann::json machine_here = machine();
  record.version = RTINDEX_VERSION_STRING;
  record.commit = commit_now;
  record.command = command_;
  record.machine = machine_here;
  if (!file_.is_open()) return record;
  file_ << to_json(record).dump() << std::endl;
  if (!file_) throw Error("the records cannot be written any more: is the disk full?");
  return record;
}

std::vector<Record> records_in(std::string_view text, const std::string& name) {
  std::vector<Record> records;
  std::size_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (line.empty()) continue;
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    const bool is_cut_off = parsed.is_discarded() && line.front() == '{' && line.back() != '}';
    if (is_cut_off) continue;
    if (parsed.is_discarded())
      throw Error(name + ", line " + std::to_string(number) + ": not a line of JSON");
    records.push_back(record_from(parsed));
  }
  return records;
}

std::vector<Record> read_records(const fs::path& path) {
  if (!fs::is_directory(path)) return records_in(text_of(path), path.string());
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Record> records;
  for (const fs::path& file : files)
    std::ranges::move(read_records(file), std::back_inserter(records));
  return records;
}

}  // namespace rtindex::bench
