#include "support/index_bytes.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "base/checksum.hpp"

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

std::string IndexBytes::header() const {
  return bytes.substr(header_at, get<std::uint64_t>(header_bytes_at));
}

std::vector<IndexBytes::Section> IndexBytes::sections() const {
  std::vector<Section> list;
  const nlohmann::json json = nlohmann::json::parse(header());
  for (const auto& line : json.at("sections"))
    list.push_back({line.at("name"), line.at("offset"), line.at("bytes"), line.at("small")});
  return list;
}

void IndexBytes::set_header(const std::string& text) {
  if (text.size() > header().size() + 256) throw std::logic_error("the header grew too much");
  bytes.replace(header_at, text.size(), text);
  put<std::uint64_t>(header_bytes_at, text.size());
  put<std::uint64_t>(header_checksum_at, xxh64(span_of(text)));
  seal_prelude();
}

void IndexBytes::edit_header(std::string_view from, std::string_view to) {
  std::string text = header();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the header has no " + std::string(from));
  set_header(text.replace(at, from.size(), to));
}

void IndexBytes::seal() {
  nlohmann::json json = nlohmann::json::parse(header());
  for (auto& line : json.at("sections"))
    if (line.at("small"))
      line["checksum"] = block_checksum(
          span_of(std::string_view(bytes).substr(line.at("offset"), line.at("bytes"))));
  set_header(json.dump(1) + "\n");
}

void IndexBytes::seal_prelude() {
  put<std::uint64_t>(checksum_at, xxh64(span_of(std::string_view(bytes).substr(0, checksum_at))));
}

}  // namespace rtindex::test
