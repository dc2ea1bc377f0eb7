#include "io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace rtindex {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// Where `path` leads; an Error where nothing can be written there.
fs::path resolve_target(const std::string& path) {
  if (path.empty()) fail("the name of an output file is empty: name a file");
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(target, error)) {
    target = fs::weakly_canonical(target, error);
    if (error) fail("{} cannot be written: the link leads nowhere ({})", path, error.message());
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) fail("{} is a folder: name a file in it", path);
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail("{} cannot be written: it is a device or pipe; name a regular file", path);
  const fs::path folder = folder_of(target);
  if (!fs::is_directory(folder, error))
    fail("{} cannot be written: the folder {} does not exist; create it first", path,
         folder.string());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail("{} cannot be written: the folder {} does not let you ({})", path, folder.string(),
         std::strerror(errno));
  return target;
}

// A name beside the target that nobody else uses.
std::string temporary_name(const fs::path& target) {
  static std::atomic<unsigned> counter = 0;
  return (folder_of(target) /
          fmt::format(".{}.{}-{}.tmp", target.filename().string(), getpid(), counter++))
      .string();
}

[[noreturn]] void fail_writing(const std::string& path, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    fail("{} cannot be written: {}; free some space, or write to another disk", path,
         std::strerror(error));
  fail("{} cannot be written: {}", path, std::strerror(error));
}

}  // namespace

void OutputFile::require_writable(const std::string& path) {
  static_cast<void>(resolve_target(path));
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  const fs::path target = resolve_target(path_);
  target_ = target.string();
  std::string name = temporary_name(target);
  descriptor_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_writing(path_, errno);
  temporary_ = std::move(name);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0)
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail_writing(path_, errno);
  }
}

void OutputFile::rewrite_start(std::span<const std::byte> bytes) {
  const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), 0);
  if (written < 0) fail_writing(path_, errno);
  if (static_cast<std::size_t>(written) != bytes.size()) fail_writing(path_, EIO);
}

void OutputFile::commit() {
  if (close(std::exchange(descriptor_, -1)) != 0) fail_writing(path_, errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_writing(path_, errno);
  temporary_.clear();
}

}  // namespace rtindex
