#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace rtindex {

// Whether an output is written directly, as nothing can replace it: "-" (standard output), a
// device, a pipe, an open file such as /dev/fd/3, or a link to one of these.
[[nodiscard]] bool is_output_stream(const std::string& path);

// Such an output.
class OutputStream {
 public:
  explicit OutputStream(std::string path);
  void append(std::span<const std::byte> bytes);
  // Throws if not all was written; run_command() checks standard output itself.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  [[noreturn]] void fail_writing() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace rtindex
