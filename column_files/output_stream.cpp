#include "column_files/output_stream.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace rtindex {

namespace fs = std::filesystem;

bool is_output_stream(const std::string& path) {
  if (path == "-") return true;
  std::error_code error;
  fs::path at = path;
  for (int links = 0; links < 40 && fs::is_symlink(at, error); ++links) {
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (folder.string().starts_with("/proc/")) return true;  // links of open files
    at = folder / fs::read_symlink(at, error);
  }
  const fs::file_status status = fs::status(at, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

OutputStream::OutputStream(std::string path)
    : path_(std::move(path)), file_(path_ == "-" ? stdout : std::fopen(path_.c_str(), "a")) {
  if (file_ == nullptr) fail_writing();
}

void OutputStream::append(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() &&
      file_.get() != stdout)
    fail_writing();
}

void OutputStream::commit() {
  if (file_.get() != stdout && std::fflush(file_.get()) != 0) fail_writing();
}

void OutputStream::fail_writing() const {
  fail(ErrorKind::io, "{} cannot be written: {}", path_, std::strerror(errno));
}

}  // namespace rtindex
