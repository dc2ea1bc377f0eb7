#include "column_files/file_bytes.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace rtindex {

namespace {

namespace fs = std::filesystem;

// Pipes and devices cannot be mapped.
bool is_stream(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

std::vector<char> read_to_end(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ErrorKind::io, "cannot open {}: check its permissions", path);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) fail(ErrorKind::io, "cannot read {} to its end", path);
  return bytes;
}

// A pipe is empty after it was read, and a CSV file is read once for each of its columns.
std::shared_ptr<const std::vector<char>> read_once(const std::string& path) {
  static std::map<std::string, std::shared_ptr<const std::vector<char>>> streams;
  auto& bytes = streams[path];
  if (bytes == nullptr) bytes = std::make_shared<const std::vector<char>>(read_to_end(path));
  return bytes;
}

}  // namespace

FileBytes::FileBytes(std::string path, Access access) : path_(std::move(path)) {
  if (path_ == "-") {
    read_ = read_once("/dev/stdin");
    path_ = "standard input";
  } else if (is_stream(path_))
    read_ = read_once(path_);
  else
    mapping_ = MappedFile::open(path_, access);
}

}  // namespace rtindex
