#include "file/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/forbidden.hpp"

namespace rtindex {

namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // NOLINT(*-vararg)
    if (number_ >= 0) return;
    if (errno == ENOENT)
      fail(ErrorKind::io,
           "{} does not exist: check the name, and the folder that it is relative to", path);
    if (errno == EACCES) fail(ErrorKind::io, "{} cannot be read: permission denied", path);
    fail(ErrorKind::io, "{} cannot be opened: {}", path, std::strerror(errno));
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, Access access) {
  if (path.empty()) fail(ErrorKind::io, "expected the name of a file to read, got an empty name");
  const Descriptor file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0)
    fail(ErrorKind::io, "{} cannot be read: {}", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::io, "{} is a folder: name a file in it", path);
  if (!S_ISREG(status.st_mode))
    fail(ErrorKind::io, "{} is a device or pipe, which cannot be mapped: name a regular file",
         path);
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::shared_ptr<MappedFile> mapped(new MappedFile);
  if (size == 0) return mapped;
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (data == MAP_FAILED && errno == ENOMEM)
    fail(ErrorKind::out_of_memory, "{} cannot be mapped: out of memory for {} bytes", path, size);
  if (data == MAP_FAILED)
    fail(ErrorKind::io, "{} cannot be mapped: {}", path, std::strerror(errno));
  mapped->data_ = static_cast<const std::byte*>(data);
  mapped->size_ = size;
  // For random access the system may use huge pages.
  madvise(data, size, access == Access::sequential ? MADV_SEQUENTIAL : MADV_HUGEPAGE);
  return mapped;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  allow_reading(data_, size_);
  munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace rtindex
