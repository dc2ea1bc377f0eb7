#include "harness/records.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <thread>

#include <rtindex/error.hpp>
#include <rtindex/version.hpp>

namespace rtindex::bench {

namespace {

// What a command prints, without the line end; empty where it fails.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return {};
  std::string text;
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

nlohmann::json machine() {
  utsname system{};
  uname(&system);
  std::string cpu =
      output_of("LC_ALL=C lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -1");
  const auto memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<double>(sysconf(_SC_PAGE_SIZE)) / (1 << 30);
  return {{"cpu", cpu.empty() ? "unknown" : cpu},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_gib", static_cast<int>(memory + 0.5)},
          {"arch", system.machine},
          {"system", std::string(system.sysname) + " " + system.release},
          {"compiler", "g++ " __VERSION__}};
}

std::string commit() {
  const std::string git = "git -C '" RTINDEX_SOURCE_DIR "' ";
  const std::string hash = output_of(git + "rev-parse --short=12 HEAD 2>/dev/null");
  if (hash.empty()) return "unknown";
  const std::string changes =
      output_of(git + "status --porcelain --untracked-files=no -- src include bench 2>/dev/null");
  return hash + (changes.empty() ? "" : "+");
}

Records::Records(const std::string& path, std::string experiment, std::string command)
    : common_({{"experiment", std::move(experiment)},
               {"version", RTINDEX_VERSION_STRING},
               {"commit", commit()},
               {"command", std::move(command)},
               {"machine", machine()}}) {
  if (path.empty()) return;
  file_.open(path, std::ios::app);
  if (!file_) throw Error(path + " cannot be written: name a file in a folder that exists");
}

void Records::add(const std::string& index, const nlohmann::json& workload,
                  const std::string& metric, double value, const std::vector<double>& runs) {
  nlohmann::json record = common_;
  record["index"] = index;
  record["workload"] = workload;
  record["metric"] = metric;
  record["value"] = value;
  if (!runs.empty()) record["runs"] = runs;
  if (file_.is_open()) file_ << record.dump() << std::endl;
}

}  // namespace rtindex::bench
