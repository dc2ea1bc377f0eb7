#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace rtindex {

// A file that appears whole or not at all: written beside its place under a temporary name,
// which `commit` changes to the real one. Without a commit nothing stays behind.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  void append(std::span<const std::byte> bytes);
  // Replaces the first bytes of the file.
  void rewrite_start(std::span<const std::byte> bytes);
  void commit();

  // An Error where a file could not be written there, told before the work of filling it.
  static void require_writable(const std::string& path);

 private:
  std::string path_;       // as the user wrote it
  std::string target_;     // where it really goes, links followed
  std::string temporary_;  // empty once committed
  int descriptor_ = -1;
};

}  // namespace rtindex
