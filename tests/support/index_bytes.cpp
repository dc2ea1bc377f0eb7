#include "support/index_bytes.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "file/checksum.hpp"

namespace rtindex::test {

namespace {

std::span<const std::byte> span_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

IndexBytes::IndexBytes(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  bytes = all.str();
}

IndexBytes::IndexBytes(std::span<const std::byte> serialized)
    : bytes(reinterpret_cast<const char*>(serialized.data()), serialized.size()) {}

void IndexBytes::write(const std::string& path) const {
  std::filesystem::remove(path);  // a file that is cut and written again would wait for the disk
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string IndexBytes::header_bytes() const {
  return bytes.substr(header_at, get<std::uint64_t>(header_bytes_at));
}

FileHeader IndexBytes::header() const { return header_in("the spoilt file", header_bytes()); }

void IndexBytes::set_header(const std::string& changed) {
  if (changed.size() > header_bytes().size() + 256)
    throw std::logic_error("the header grew too much");
  bytes.replace(header_at, changed.size(), changed);
  put<std::uint64_t>(header_bytes_at, changed.size());
  put<std::uint64_t>(header_checksum_at, xxh64(span_of(changed)));
  seal_prelude();
}

void IndexBytes::set_number(const std::string& name, std::uint64_t number) {
  FileHeader changed = header();
  changed.numbers.at(name) = number;
  set_header(changed);
}

void IndexBytes::set_text(const std::string& name, const std::string& text) {
  FileHeader changed = header();
  changed.texts.at(name) = text;
  set_header(changed);
}

void IndexBytes::seal() {
  FileHeader sealed = header();
  for (Section& section : sealed.sections)
    if (section.small)
      section.checksum =
          block_checksum(span_of(std::string_view(bytes).substr(section.offset, section.bytes)));
  set_header(sealed);
}

void IndexBytes::seal_prelude() {
  put<std::uint64_t>(checksum_at, xxh64(span_of(std::string_view(bytes).substr(0, checksum_at))));
}

}  // namespace rtindex::test
