#include "base/cache_size.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

namespace rtindex {

namespace {

constexpr std::size_t core_level = 2;
constexpr std::size_t usual_bytes = std::size_t{1} << 20;

// 0 where glibc cannot read the size, as on Arm.
[[nodiscard]] std::size_t from_sysconf() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
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

// 0 where the system lists no cache of this level that holds data.
[[nodiscard]] std::size_t from_system_files() {
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string found = beginning_of(folder + "level");
    if (found.empty()) return 0;
    if (number_in(found) != core_level || beginning_of(folder + "type").starts_with("Instr"))
      continue;
    return number_in(beginning_of(folder + "size")) << 10U;  // "2048K"
  }
}

}  // namespace

std::size_t core_cache_bytes() {
  // Read once per process.
  static const std::size_t bytes = [] {
    if (const std::size_t found = from_sysconf(); found != 0) return found;
    if (const std::size_t found = from_system_files(); found != 0) return found;
    return usual_bytes;
  }();
  return bytes;
}

}  // namespace rtindex
