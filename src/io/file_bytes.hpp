#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex {

// How the bytes will be visited, so that the system reads ahead or not.
enum class Access : std::uint8_t { sequential, random };

// The bytes of a file: a private read-only mapping of a regular file, or what a pipe delivers.
// A file that cannot be read is an Error that names it.
class FileBytes {
 public:
  FileBytes() = default;
  explicit FileBytes(std::string path, Access access = Access::sequential);
  FileBytes(FileBytes&& other) noexcept { swap(other); }
  FileBytes& operator=(FileBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FileBytes();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const char* data() const { return mapping_ ? mapping_ : read_.data(); }
  [[nodiscard]] std::size_t size() const { return mapping_ ? mapped_ : read_.size(); }
  [[nodiscard]] std::string_view text() const { return {data(), size()}; }
  [[nodiscard]] bool is_mapped() const { return mapping_ != nullptr; }

 private:
  void swap(FileBytes& other) noexcept;

  std::string path_;
  const char* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::vector<char> read_;
};

}  // namespace rtindex
