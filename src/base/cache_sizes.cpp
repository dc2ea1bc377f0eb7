#include "base/cache_sizes.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace rtindex {

namespace {

constexpr std::size_t usual_core = std::size_t{1} << 20;
constexpr std::size_t usual_last_level = std::size_t{32} << 20;

// 0 where glibc cannot read the size, as on Arm.
[[nodiscard]] std::size_t from_sysconf(int name) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

// The cache of a level that holds data, 0 where the system lists none.
[[nodiscard]] std::size_t from_system_files(int level) {
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    int found = 0;
    std::string type;
    std::size_t kibibytes = 0;  // "2048K"
    if (!(std::ifstream(folder + "level") >> found)) return 0;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "size") >> kibibytes;
    if (found == level && type != "Instruction") return kibibytes << 10U;
  }
}

[[nodiscard]] std::size_t first_known(std::size_t a, std::size_t b, std::size_t c) {
  return a != 0 ? a : b != 0 ? b : c;
}

}  // namespace

const CacheSizes& cache_sizes() {
  static const CacheSizes sizes = [] {
    const std::size_t core =
        first_known(from_sysconf(_SC_LEVEL2_CACHE_SIZE), from_system_files(2), usual_core);
    return CacheSizes{core, first_known(from_sysconf(_SC_LEVEL3_CACHE_SIZE), from_system_files(3),
                                        usual_last_level)};
  }();
  return sizes;
}

}  // namespace rtindex
