#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "file/file_header.hpp"

namespace rtindex::test {

// The bytes of an index file, to be damaged. The layout of its first bytes is repeated here, so
// that a change of the format fails a test.
class IndexBytes {
 public:
  explicit IndexBytes(const std::string& path);
  explicit IndexBytes(std::span<const std::byte> serialized);
  void write(const std::string& path) const;

  using Section = FileHeader::Section;

  std::string bytes;

  [[nodiscard]] std::string header_bytes() const;
  [[nodiscard]] FileHeader header() const;
  [[nodiscard]] std::vector<Section> sections() const { return header().sections; }
  // Replaces the header and its checksum; what follows it keeps its offset. It must
  // fit before the first section.
  void set_header(const std::string& changed);
  void set_header(const FileHeader& changed) { set_header(bytes_of(changed)); }
  // Replaces a number or a text of the header, which must be there.
  void set_number(const std::string& name, std::uint64_t number);
  void set_text(const std::string& name, const std::string& text);
  // Recomputes the checksums of small sections and of the header.
  void seal();
  void seal_prelude();

  template <class T>
  void put(std::size_t offset, T value) {
    bytes.replace(offset, sizeof(T), reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <class T>
  [[nodiscard]] T get(std::size_t offset) const {
    T value;
    bytes.copy(reinterpret_cast<char*>(&value), sizeof(T), offset);
    return value;
  }

  static constexpr std::size_t byte_order_at = 8;
  static constexpr std::size_t version_at = 12;
  static constexpr std::size_t file_bytes_at = 16;
  static constexpr std::size_t header_bytes_at = 24;
  static constexpr std::size_t header_checksum_at = 32;
  static constexpr std::size_t checksum_at = 56;
  static constexpr std::size_t header_at = 64;
};

}  // namespace rtindex::test
