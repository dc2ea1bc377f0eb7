#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace rtindex::test {

// A folder for a test's files, removed at the end. It is in memory where the system has a folder
// there: tests would often wait for a disk.
class TemporaryFolder {
 public:
  enum class Medium { disk, memory };

  explicit TemporaryFolder(Medium medium = Medium::disk) {
    const bool in_memory = medium == Medium::memory && access("/dev/shm", W_OK | X_OK) == 0;
    const std::filesystem::path folder =
        in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (folder / "rtindex-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t count_files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rtindex::test
