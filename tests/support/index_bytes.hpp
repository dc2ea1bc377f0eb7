#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex::test {

// The bytes of an index file, to be spoilt. The layout is written down here once more, so that a
// change of the format is noticed.
class IndexBytes {
 public:
  explicit IndexBytes(const std::string& path);
  explicit IndexBytes(std::span<const std::byte> serialized);
  void write(const std::string& path) const;

  struct Section {
    std::string name;
    std::size_t offset, bytes;
    bool small;
  };

  std::string bytes;

  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::vector<Section> sections() const;
  // Replaces the header; what follows it stays at its place. It must fit before the first section.
  void set_header(const std::string& text);
  // The first `from` in the header becomes `to`; checksums are made right.
  void edit_header(std::string_view from, std::string_view to);
  // Makes the checksums of small sections and of the header right again.
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
