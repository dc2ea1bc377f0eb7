#include "failing_files/failing_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace {

using rtindex::test::FailingFiles;
using rtindex::test::FileCall;

bool is_armed = false;
FailingFiles::How how;
long calls_left = 0;
long failures = 0;
bool was_interrupted = false;

// Whether this call fails; errno is set then.
bool fails(FileCall call) {
  if (!is_armed || how.error == 0 || how.call != call || calls_left-- != 0) return false;
  ++failures;
  errno = how.error;
  return true;
}

// The system's own function behind ours.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

// NOLINTBEGIN(*-vararg,*-reserved-identifier)
int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  static auto* const real = next(&open, "open");
  if (is_armed && !how.has_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return fails(FileCall::open) ? -1 : real(path, flags, mode);
}

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  static auto* const real = next(&pwrite, "pwrite");
  if (fails(FileCall::write)) return -1;
  if (is_armed && how.interrupts && !was_interrupted) {
    was_interrupted = true;
    errno = EINTR;
    return -1;
  }
  was_interrupted = false;
  if (is_armed && how.max_bytes != 0) size = std::min(size, how.max_bytes);
  return real(file, bytes, size, offset);
}

int ftruncate(int file, off_t size) noexcept {
  static auto* const real = next(&ftruncate, "ftruncate");
  return fails(FileCall::truncate) ? -1 : real(file, size);
}

int fsync(int file) {
  static auto* const real = next(&fsync, "fsync");
  return fails(FileCall::sync) ? -1 : real(file);
}

int linkat(int from, const char* old_name, int to, const char* name, int flags) noexcept {
  static auto* const real = next(&linkat, "linkat");
  return fails(FileCall::link) ? -1 : real(from, old_name, to, name, flags);
}

// The descriptor is closed all the same, as by the system.
int close(int file) {
  static auto* const real = next(&close, "close");
  const bool does_fail = fails(FileCall::close);
  const int error = errno;
  const int result = real(file);
  if (!does_fail) return result;
  errno = error;
  return -1;
}

int rename(const char* old_name, const char* name) noexcept {
  static auto* const real = next(&rename, "rename");
  return fails(FileCall::rename) ? -1 : real(old_name, name);
}

int fstat(int file, struct stat* status) noexcept {
  static auto* const real = next(&fstat, "fstat");
  return fails(FileCall::status) ? -1 : real(file, status);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file,
           off_t offset) noexcept {
  static auto* const real = next(&mmap, "mmap");
  if (file >= 0 && fails(FileCall::map)) return MAP_FAILED;
  return real(address, size, protection, flags, file, offset);
}
// NOLINTEND(*-vararg,*-reserved-identifier)

}  // extern "C"

namespace rtindex::test {

std::string name_of(FileCall call) {
  switch (call) {
    case FileCall::open: return "open";
    case FileCall::write: return "pwrite";
    case FileCall::truncate: return "ftruncate";
    case FileCall::sync: return "fsync";
    case FileCall::link: return "linkat";
    case FileCall::close: return "close";
    case FileCall::rename: return "rename";
    case FileCall::status: return "fstat";
    case FileCall::map: return "mmap";
  }
  return {};
}

FailingFiles::FailingFiles(const How& wanted) {
  how = wanted;
  calls_left = wanted.after;
  failures = 0;
  was_interrupted = false;
  is_armed = true;
}

FailingFiles::~FailingFiles() { is_armed = false; }

long FailingFiles::failed() { return failures; }

}  // namespace rtindex::test
