#include "harness/provenance.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#if defined(RTINDEX_HAS_CUDA)
#include "tracers/optix/library.hpp"
#endif

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

}  // namespace

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

std::string commit() {
  // A source tree without its history can be told where it comes from.
  if (const char* given = std::getenv("RTINDEX_COMMIT")) return given;
  const std::string git = "git -C '" RTINDEX_SOURCE_DIR "' ";
  const std::string hash = output_of(git + "rev-parse --short=12 HEAD 2>/dev/null");
  if (hash.empty()) return "unknown";
  const std::string changes =
      output_of(git + "status --porcelain --untracked-files=no -- src include bench 2>/dev/null");
  return hash + (changes.empty() ? "" : "+");
}

}  // namespace rtindex::bench
