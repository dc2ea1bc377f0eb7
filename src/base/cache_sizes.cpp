#include "base/cache_sizes.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
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

// The first characters of a file, "" where it cannot be read. A Python package may link libstdc++
// statically beside libraries that do not, and streams need facets that both then share: C's files
// do not.
[[nodiscard]] std::string beginning_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             std::fclose);
  if (!file) return "";
  std::array<char, 32> text{};
  return {text.data(), std::fread(text.data(), 1, text.size(), file.get())};
}

// The number that a text begins with.
[[nodiscard]] std::size_t number_in(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The cache of a level that holds data, 0 where the system lists none.
[[nodiscard]] std::size_t from_system_files(int level) {
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string found = beginning_of(folder + "level");
    if (found.empty()) return 0;
    if (number_in(found) != static_cast<std::size_t>(level) ||
        beginning_of(folder + "type").starts_with("Instr"))
      continue;
    return number_in(beginning_of(folder + "size")) << 10U;  // "2048K"
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
