#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex {

// The header of an index file: its numbers and texts by name, and the table of its sections.
struct FileHeader {
  struct Section {
    std::string name;
    std::uint64_t offset, bytes, checksum;
    bool small;
  };

  std::map<std::string, std::uint64_t> numbers;
  std::map<std::string, std::string> texts;
  std::vector<Section> sections;
};

// Numbers are 64 bits, texts follow their length, and lists their count. The size does not depend
// on the values of numbers.
[[nodiscard]] std::string bytes_of(const FileHeader& header);

// The header in untrusted bytes; `file` is for errors.
[[nodiscard]] FileHeader header_in(const std::string& file, std::string_view bytes);

}  // namespace rtindex
