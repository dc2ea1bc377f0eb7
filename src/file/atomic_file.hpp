#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rtindex {

// A file that appears whole or not at all: written beside its place without a name, or under a
// temporary one where the file system has no files without names. `commit` gives it the real name
// once the bytes are on the disk. Without a commit nothing stays behind, unless the process is
// killed while the file has its temporary name.
class AtomicFile {
 public:
  // Where `path` is a symbolic link, the file that it leads to is written.
  explicit AtomicFile(std::string path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // An Error where a file could not be written there, told before the work of filling it.
  static void require_writable(const std::string& path);

  // As the user wrote it.
  [[nodiscard]] const std::string& path() const { return path_; }
  // Writes behind what was appended before.
  void append(std::span<const std::byte> bytes);
  // Writes at a place of its own; what is never written reads as zeros.
  void write_at(std::size_t offset, std::span<const std::byte> bytes);
  // The file gets exactly this size.
  void resize(std::size_t bytes);
  void commit();

 private:
  [[noreturn]] void fail_writing(int error) const;

  std::string path_;
  std::filesystem::path target_;  // where it really goes, links followed
  std::string temporary_;         // empty before it has one, and once committed
  int descriptor_ = -1;
  std::size_t appended_ = 0;
};

}  // namespace rtindex
