#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rtindex {

// A file that appears whole or not at all. It is written in the folder of its target, unnamed
// (O_TMPFILE) or, if the file system does not support that, under a temporary name. `commit` links
// it to its name once the bytes are on the disk. Without a commit it is removed; only a process
// that is killed can leave a file with a temporary name.
class AtomicFile {
 public:
  // If `path` is a symbolic link, its target is written.
  explicit AtomicFile(std::string path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // Throws if no file can be written there: for a check before the work of filling it.
  static void require_writable(const std::string& path);

  // As passed to the constructor, for messages.
  [[nodiscard]] const std::string& path() const { return path_; }
  // Writes after everything appended so far.
  void append(std::span<const std::byte> bytes);
  // Bytes that are never written read as zeros.
  void write_at(std::size_t offset, std::span<const std::byte> bytes);
  void resize(std::size_t bytes);
  // Waits until the bytes are on the disk; throws if the call is stopped meanwhile.
  void sync();
  void commit();

 private:
  [[noreturn]] void fail_writing(int error) const;

  std::string path_;
  std::filesystem::path target_;  // the path with links resolved
  std::string temporary_;         // empty while unnamed, and once committed
  int descriptor_ = -1;
  std::size_t appended_ = 0;
};

}  // namespace rtindex
