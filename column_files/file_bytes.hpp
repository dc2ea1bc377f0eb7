#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "file/mapped_file.hpp"

namespace rtindex {

// The bytes of a file: a regular file is mapped, a pipe is read to its end, once, however often it
// is opened. "-" is standard input. Errors name the file.
class FileBytes {
 public:
  FileBytes() = default;
  explicit FileBytes(std::string path, Access access = Access::sequential);
  // Bytes that have been read already, from a file of that name.
  FileBytes(std::string path, std::vector<char> bytes)
      : path_(std::move(path)),
        read_(std::make_shared<const std::vector<char>>(std::move(bytes))) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const char* data() const { return text().data(); }
  [[nodiscard]] std::size_t size() const { return text().size(); }
  [[nodiscard]] std::string_view text() const {
    if (!is_mapped()) return read_ ? std::string_view(read_->data(), read_->size()) : "";
    const std::span<const std::byte> bytes = mapping_->bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] bool is_mapped() const { return mapping_ != nullptr; }

 private:
  std::string path_;
  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const std::vector<char>> read_;
};

}  // namespace rtindex
