#include "file/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "base/call_control.hpp"
#include "base/error.hpp"

namespace rtindex {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// `path` with links resolved; throws if nothing can be written there.
fs::path resolve_target(const std::string& path) {
  if (path.empty()) fail(ErrorKind::io, "expected the name of a file to write, got an empty name");
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(target, error)) {
    target = fs::weakly_canonical(target, error);
    if (error)
      fail(ErrorKind::io, "{} cannot be written: broken symbolic link ({})", path, error.message());
  }
  const fs::file_status status = fs::symlink_status(target, error);
  if (fs::is_directory(status)) fail(ErrorKind::io, "{} is a folder: name a file in it", path);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_symlink(status))
    fail(ErrorKind::io, "{} cannot be written: it is a device or pipe; name a regular file", path);
  const fs::path folder = folder_of(target);
  if (!fs::is_directory(folder, error))
    fail(ErrorKind::io, "{} cannot be written: the folder {} does not exist; create it first", path,
         folder.string());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail(ErrorKind::io, "{} cannot be written: permission denied in the folder {} ({})", path,
         folder.string(), std::strerror(errno));
  return target;
}

// Calls make(name) with unpredictable names in the folder of the target until one is free and the
// result is not negative.
template <class Make>
int make_temporary(const fs::path& target, std::string& name, Make&& make) {
  std::random_device random;
  int made = -1;
  do {
    name = (folder_of(target) /
            fmt::format(".{}.{:08x}{:08x}.tmp", target.filename().string(), random(), random()))
               .string();
    made = make(name.c_str());
  } while (made < 0 && errno == EEXIST);
  return made;
}

// The name of an open file that has none. Allocates nothing, which could fail.
std::array<char, 32> name_of_descriptor(int descriptor) {
  std::array<char, 32> name{};
  fmt::format_to_n(name.data(), name.size() - 1, "/proc/self/fd/{}", descriptor);
  return name;
}

// An unnamed file, which the system removes with the process; -1 if unsupported.
int open_nameless(const fs::path& folder, mode_t mode) {
  const int descriptor =
      open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);  // NOLINT(*-vararg)
  if (descriptor < 0 || access(name_of_descriptor(descriptor).data(), F_OK) == 0) return descriptor;
  close(descriptor);  // without /proc it would never get a name
  return -1;
}

// The new file is readable only by users who could read the old one.
mode_t mode_of(const fs::path& target) {
  constexpr mode_t any = 0666;  // without the bits of the umask
  struct stat old = {};
  return stat(target.c_str(), &old) == 0 ? old.st_mode & any : any;
}

// The new name itself must survive a power cut; a file system that cannot promise it is no error.
void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // NOLINT
  if (descriptor < 0) return;
  static_cast<void>(fsync(descriptor));
  close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolve_target(path_)) {
  const mode_t mode = mode_of(target_);
  descriptor_ = open_nameless(folder_of(target_), mode);
  if (descriptor_ >= 0) return;
  std::string name;
  descriptor_ = make_temporary(target_, name, [mode](const char* free) {
    return open(free, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);  // NOLINT(*-vararg)
  });
  if (descriptor_ < 0) fail_writing(errno);
  temporary_ = std::move(name);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      appended_(other.appended_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::require_writable(const std::string& path) {
  static_cast<void>(resolve_target(path));
}

void AtomicFile::fail_writing(int error) const {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    fail(ErrorKind::io, "{} cannot be written: {}; free some space, or write to another disk",
         path_, std::strerror(error));
  fail(ErrorKind::io, "{} cannot be written: {}; name a file in another folder", path_,
       std::strerror(error));
}

void AtomicFile::write_at(std::size_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      fail_writing(written == 0 ? ENOSPC : errno);
    }
  }
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  write_at(appended_, bytes);
  appended_ += bytes.size();
}

void AtomicFile::resize(std::size_t bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail_writing(errno);
}

void AtomicFile::sync() {
  // In parts, because nothing interrupts a system call that waits for the disk. Where the file
  // system cannot, commit() waits for all of it.
  constexpr off_t bytes_at_once = off_t{4} << 20;
  struct stat file = {};
  if (fstat(descriptor_, &file) != 0) fail_writing(errno);
  for (off_t at = 0; at < file.st_size; at += bytes_at_once) {
    check_stop();
    static_cast<void>(sync_file_range(
        descriptor_, at, bytes_at_once,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
  }
}

void AtomicFile::commit() {
  const fs::path folder = folder_of(target_);  // first: nothing may fail once the file is in place
  if (fsync(descriptor_) != 0) fail_writing(errno);
  finish_progress();  // the last chance to stop
  if (temporary_.empty()) {
    std::string name;
    const std::array<char, 32> nameless = name_of_descriptor(descriptor_);
    if (make_temporary(target_, name, [&](const char* free) {
          return linkat(AT_FDCWD, nameless.data(), AT_FDCWD, free, AT_SYMLINK_FOLLOW);
        }) < 0)
      fail_writing(errno);
    temporary_ = std::move(name);
  }
  // The descriptor is closed even where a signal interrupts it, and the bytes are on the disk.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_writing(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_writing(errno);
  temporary_.clear();
  sync_folder(folder);
}

}  // namespace rtindex
