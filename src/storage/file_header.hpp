#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex {

// The header of an index file: JSON text that a person can read. A map of JSON values would be
// shorter here, but nlohmann's allocates when it is destroyed, which ends the process where memory
// has run out.
struct FileHeader {
  // One line of the section table.
  struct Section {
    std::string name;
    std::uint64_t offset, bytes, checksum;
    bool small;
  };

  std::map<std::string, std::uint64_t> numbers;
  std::map<std::string, std::string> texts;
  std::vector<Section> sections;
};

[[nodiscard]] std::string text_of(const FileHeader& header);

// The header in a text; `file` is for errors. What is missing or of another type is refused, what
// is unknown skipped.
[[nodiscard]] FileHeader header_in(const std::string& file, std::string_view text);

}  // namespace rtindex
