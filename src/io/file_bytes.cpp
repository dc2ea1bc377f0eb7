#include "io/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace rtindex {

namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {  // NOLINT(*-vararg)
    if (number_ >= 0) return;
    if (errno == ENOENT)
      fail("{} does not exist: check the name, and the folder that it is relative to", path);
    if (errno == EACCES) fail("{} cannot be read: you have no permission to read it", path);
    fail("{} cannot be opened: {}", path, std::strerror(errno));
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::vector<char> read_to_end(int descriptor, const std::string& path) {
  std::vector<char> bytes;
  std::array<char, std::size_t{1} << 16> block{};
  for (;;) {
    const ssize_t got = read(descriptor, block.data(), block.size());
    if (got == 0) return bytes;
    if (got > 0)
      bytes.insert(bytes.end(), block.begin(), block.begin() + got);
    else if (errno != EINTR)
      fail("{} cannot be read: {}", path, std::strerror(errno));
  }
}

}  // namespace

FileBytes::FileBytes(std::string path, Access access) : path_(std::move(path)) {
  if (path_.empty()) fail("the name of an input file is empty: name a file");
  const Descriptor file(path_);
  struct stat status {};
  if (fstat(file.number(), &status) != 0)
    fail("{} cannot be read: {}", path_, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("{} is a folder: name a file in it", path_);
  if (!S_ISREG(status.st_mode)) {
    read_ = read_to_end(file.number(), path_);
    return;
  }
  if (status.st_size == 0) return;  // nothing to map; the format's reader says what is missing
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* mapping = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapping == MAP_FAILED) fail("{} cannot be mapped: {}", path_, std::strerror(errno));
  madvise(mapping, bytes, access == Access::sequential ? MADV_SEQUENTIAL : MADV_WILLNEED);
  mapping_ = static_cast<const char*>(mapping);
  mapped_ = bytes;
}

FileBytes::~FileBytes() {
  if (mapping_ != nullptr) munmap(const_cast<char*>(mapping_), mapped_);
}

void FileBytes::swap(FileBytes& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(read_, other.read_);
}

}  // namespace rtindex
