#include "harness/records.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include <rtindex/error.hpp>
#include <rtindex/version.hpp>

#if defined(RTINDEX_HAS_CUDA)
#include "kinds/optix/library.hpp"
#endif

namespace rtindex::bench {

namespace fs = std::filesystem;

namespace {

// The output of a command, without the line end; empty if it fails.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return {};
  std::string text;
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// "NVIDIA H200, 580.65.06": the first GPU and its driver.
void add_gpu(nlohmann::json& machine) {
  const std::string line = output_of(
      "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1");
  const std::size_t comma = line.find(", ");
  if (comma == std::string::npos) return;
  machine["gpu"] = line.substr(0, comma);
  machine["driver"] = line.substr(comma + 2);
#if defined(RTINDEX_HAS_CUDA)
  // 0: none, and OptiX traverses in software.
  if (!optix::unusable()) machine["rt_cores"] = optix::context_of(0).rtcore_version;
#endif
}

// The machine that this process runs on: CPU, cores, memory, system, and the GPU if there is one.
nlohmann::json machine() {
  utsname system{};
  uname(&system);
  std::string cpu =
      output_of("LC_ALL=C lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -1");
  const auto memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<double>(sysconf(_SC_PAGE_SIZE)) / (1 << 30);
  nlohmann::json machine = {{"cpu", cpu.empty() ? "unknown" : cpu},
                            {"cores", std::thread::hardware_concurrency()},
                            {"memory_gib", std::lround(memory)},
                            {"arch", system.machine},
                            {"system", std::string(system.sysname) + " " + system.release},
                            {"compiler", "g++ " __VERSION__}};
  add_gpu(machine);
  return machine;
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

// The commit of the source tree, with "+" for uncommitted changes; "unknown" without a repository.
std::string commit() {
  // For source trees without a repository.
  if (const char* given = std::getenv("RTINDEX_COMMIT")) return given;
  // A packaged command does not run git in a folder that may belong to others by now.
  if constexpr (!RTINDEX_ASKS_GIT) return "unknown";
  const std::string git = "git -C '" RTINDEX_SOURCE_DIR "' ";
  const std::string hash = output_of(git + "rev-parse --short=12 HEAD 2>/dev/null");
  if (hash.empty()) return "unknown";
  const std::string changes =
      output_of(git + "status --porcelain --untracked-files=no -- src include bench 2>/dev/null");
  return hash + (changes.empty() ? "" : "+");
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error("cannot read " + path.string() + ": expected a file of records", ErrorKind::io);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An interrupted run may leave a truncated line; new records start on a line of their own.
void end_last_line(const std::string& path) {
  if (!fs::exists(path) || fs::file_size(path) == 0) return;
  if (text_of(path).back() != '\n') std::ofstream(path, std::ios::app) << '\n';
}

void require_folder(const fs::path& folder, const std::string& doing, const std::string& path) {
  if (folder.empty() || fs::is_directory(folder)) return;
  throw Error("cannot " + doing + " " + path + ": the folder " + folder.string() +
                  " does not exist; create it first",
              ErrorKind::io);
}

}  // namespace

void make_last_folder(fs::path folder) {
  if (!folder.has_filename()) folder = folder.parent_path();  // "results/here/"
  if (fs::is_directory(folder)) return;
  require_folder(folder.parent_path(), "create", folder.string());
  std::error_code error;
  if (!fs::create_directory(folder, error))
    throw Error(
        "cannot create " + folder.string() + ": " + error.message() + "; pass another folder",
        ErrorKind::io);
}

Records::Records(const std::string& path, std::string command) : command_(std::move(command)) {
  if (path.empty()) return;
  require_folder(fs::path(path).parent_path(), "write", path);
  end_last_line(path);
  file_.open(path, std::ios::app);
  if (!file_) throw Error("cannot write " + path + ": check its permissions", ErrorKind::io);
}

Record Records::add(Record record) {
  // These queries take a second or two: once, and only if something was measured.
  static const std::string commit_now = commit();
  static const nlohmann::json machine_here = machine();
  record.version = RTINDEX_VERSION_STRING;
  record.date = now();
  record.commit = commit_now;
  record.command = command_;
  record.machine = machine_here;
  if (!file_.is_open()) return record;
  file_ << to_json(record).dump() << std::endl;
  if (!file_) throw Error("cannot write the records: is the disk full?", ErrorKind::io);
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
      throw Error(name + ", line " + std::to_string(number) + ": expected JSON");
    records.push_back(record_from(parsed));
  }
  return records;
}

std::vector<fs::path> record_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Record> read_records(const fs::path& path) {
  if (!fs::is_directory(path)) return records_in(text_of(path), path.string());
  std::vector<Record> records;
  for (const fs::path& file : record_files(path))
    std::ranges::move(read_records(file), std::back_inserter(records));
  return records;
}

const std::vector<Record>& published_records() {
  static const std::vector<Record> records = records_in(published_text(), "results/paper");
  return records;
}

}  // namespace rtindex::bench
