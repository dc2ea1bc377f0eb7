#pragma once

#include <cstddef>
#include <string>

namespace rtindex::test {

enum class FileCall { open, write, truncate, sync, link, close, rename, status, map };
inline constexpr FileCall all_file_calls[] = {
    FileCall::open,  FileCall::write,  FileCall::truncate, FileCall::sync, FileCall::link,
    FileCall::close, FileCall::rename, FileCall::status,   FileCall::map};
[[nodiscard]] std::string name_of(FileCall call);

// What the system does to the files of this process, as long as it lives.
class FailingFiles {
 public:
  struct How {
    FileCall call = FileCall::write;
    int error = 0;              // 0: no call fails
    long after = 0;             // so many of these calls succeed before
    bool has_nameless = true;   // whether the file system has files without names
    std::size_t max_bytes = 0;  // that one write takes; 0: all
    bool interrupts = false;    // every other write is interrupted by a signal first
  };

  explicit FailingFiles(const How& how);
  ~FailingFiles();
  FailingFiles(const FailingFiles&) = delete;
  FailingFiles& operator=(const FailingFiles&) = delete;

  // How many calls have failed.
  [[nodiscard]] static long failed();
};

}  // namespace rtindex::test
