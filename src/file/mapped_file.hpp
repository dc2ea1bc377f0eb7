#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rtindex {

// The order in which the bytes are read: whether the system should read ahead.
enum class Access : std::uint8_t { sequential, random };

// A regular file, mapped to be read only. The mapping outlives the file's name; a file that is made
// shorter while it is mapped ends the process (SIGBUS), as with every mapping.
class MappedFile {
 public:
  // Throws an Error that names the file if it cannot be opened or is not a regular file.
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::string& path,
                                                              Access access);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile() = default;

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rtindex
