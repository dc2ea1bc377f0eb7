#include "storage/index_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include <rtindex/version.hpp>

#include "base/atomic_file.hpp"
#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/mapped_file.hpp"

namespace rtindex {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

// The first byte is no text, and the line ends show a transfer that took the file for text.
constexpr std::array<char, 8> magic = {'\x89', 'R', 'T', 'I', 'X', '\r', '\n', '\x1a'};
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::uint32_t other_byte_order = 0x04030201;
constexpr std::uint32_t newest_version = 1;
constexpr std::size_t alignment = 4096;
// Arrays may be read a little beyond their end.
constexpr std::size_t slack = 64;

struct Prelude {
  std::array<char, 8> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t file_bytes;
  std::uint64_t header_bytes;
  std::uint64_t header_checksum;
  std::array<std::uint64_t, 2> reserved;
  std::uint64_t checksum;  // of all before it
};

static_assert(sizeof(Prelude) == 64 && std::is_trivially_copyable_v<Prelude>);

std::uint64_t checksum_of(const Prelude& prelude) {
  return xxh64(std::as_bytes(std::span(&prelude, 1)).first(offsetof(Prelude, checksum)));
}

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::uint64_t behind(std::uint64_t offset, std::uint64_t bytes) {
  return aligned(offset + bytes + slack);
}

nlohmann::json section_table(const Stored& stored, std::uint64_t start,
                             const std::vector<std::uint64_t>& checksums) {
  nlohmann::json table = nlohmann::json::array();
  for (const auto& [name, section] : stored.sections) {
    table.push_back({{"name", name},
                     {"offset", start},
                     {"bytes", section.bytes.size()},
                     {"checksum", checksums[table.size()]},
                     {"small", section.small}});
    start = behind(start, section.bytes.size());
  }
  return table;
}

std::string header_text(const Stored& stored, std::uint64_t start,
                        const std::vector<std::uint64_t>& checksums) {
  nlohmann::json header;
  header["library"] = RTINDEX_VERSION_STRING;
  header["numbers"] = stored.numbers;
  header["texts"] = stored.texts;
  header["sections"] = section_table(stored, start, checksums);
  return header.dump(1) + "\n";
}

Prelude read_prelude(const std::string& path, std::span<const std::byte> bytes) {
  Prelude prelude{};
  if (!bytes.empty()) std::memcpy(&prelude, bytes.data(), std::min(bytes.size(), sizeof(Prelude)));
  if (prelude.magic != magic)
    fail("{} is no index file of rtindex: make one with `rtindex build` or Index::save", path);
  if (bytes.size() < sizeof(Prelude))
    fail_damaged(path, fmt::format("it ends after {} bytes", bytes.size()));
  if (prelude.byte_order == other_byte_order)
    fail("{} was written on a machine with the other byte order: build the index on this one",
         path);
  if (prelude.byte_order != byte_order) fail_damaged(path, "its byte order is unknown");
  if (prelude.version > newest_version)
    fail(
        "{} has format version {}, and this rtindex ({}) reads up to version {}: update rtindex, "
        "or build the index anew",
        path, prelude.version, RTINDEX_VERSION_STRING, newest_version);
  if (prelude.version == 0 || prelude.checksum != checksum_of(prelude))
    fail_damaged(path, "the checksum of its first 64 bytes is wrong");
  if (prelude.file_bytes != bytes.size())
    fail_damaged(path, fmt::format("it has {} bytes but was written with {}", bytes.size(),
                                   prelude.file_bytes));
  if (prelude.header_bytes > bytes.size() - sizeof(Prelude))
    fail_damaged(path, "its header is larger than the file");
  return prelude;
}

// One line of the section table, as it should be.
struct TableLine {
  std::string name;
  std::uint64_t offset, bytes, checksum;
  bool small;
};

// The parts of a header. What is missing or of another type throws nlohmann's exception.
class Header {
 public:
  explicit Header(std::string_view text) : json_(nlohmann::json::parse(text)) {}

  template <class T>
  [[nodiscard]] std::map<std::string, T> values(const char* name) const {
    std::map<std::string, T> values;
    for (const auto& [key, value] : json_.at(name).items()) values[key] = exactly<T>(value);
    return values;
  }

  [[nodiscard]] std::vector<TableLine> table() const {
    std::vector<TableLine> lines;
    for (const nlohmann::json& line : json_.at("sections"))
      lines.push_back(
          {exactly<std::string>(line.at("name")), exactly<std::uint64_t>(line.at("offset")),
           exactly<std::uint64_t>(line.at("bytes")), exactly<std::uint64_t>(line.at("checksum")),
           exactly<bool>(line.at("small"))});
    return lines;
  }

 private:
  // No conversions: -1 and 1.5 are no sizes.
  template <class T>
  [[nodiscard]] static T exactly(const nlohmann::json& value) {
    if (std::is_same_v<T, std::uint64_t> && !value.is_number_unsigned())
      throw nlohmann::json::type_error::create(302, "a number is not unsigned", &value);
    return value.get<T>();
  }

  nlohmann::json json_;
};

// Sections lie one behind the other, aligned, inside the file.
void require_sound(const std::string& path, const std::vector<TableLine>& table,
                   std::uint64_t start, std::uint64_t file_bytes) {
  for (const TableLine& line : table) {
    if (line.offset % alignment != 0)
      fail_damaged(path, fmt::format("section {} is not aligned", line.name));
    if (line.offset < start)
      fail_damaged(path, fmt::format("section {} overlaps what is before it", line.name));
    if (line.offset > file_bytes || line.bytes > file_bytes - line.offset ||
        file_bytes - line.offset - line.bytes < slack)
      fail_damaged(path, fmt::format("section {} reaches beyond the end", line.name));
    start = behind(line.offset, line.bytes);
  }
}

void take_sections(Stored& stored, const MappedFile& file, const std::vector<TableLine>& table,
                   Verify verify) {
  const std::span<const std::byte> all = file.bytes();
  for (const TableLine& line : table) {
    const std::span<const std::byte> bytes = all.subspan(line.offset, line.bytes);
    if ((line.small || verify == Verify::full) && block_checksum(bytes) != line.checksum)
      fail_damaged(stored.file, fmt::format("the checksum of section {} is wrong", line.name));
    if (!stored.sections.emplace(line.name, Stored::Section{bytes, line.small}).second)
      fail_damaged(stored.file, fmt::format("section {} is there twice", line.name));
    const std::uint64_t end = line.offset + line.bytes + slack;
    file.forbid(end, std::min<std::uint64_t>(aligned(end), all.size()) - end);
  }
}

}  // namespace

void write_index_file(const std::string& path, const Stored& stored) {
  AtomicFile file(path);
  std::vector<std::uint64_t> checksums;
  for (const auto& [name, section] : stored.sections)
    checksums.push_back(block_checksum(section.bytes));
  // The header holds offsets, whose digits decide how long it is: leave room for all of them.
  const std::size_t longest = header_text(stored, std::uint64_t{1} << 62, checksums).size();
  std::uint64_t offset = aligned(sizeof(Prelude) + longest);
  const std::string header = header_text(stored, offset, checksums);

  for (const auto& [name, section] : stored.sections) {
    file.write_at(offset, section.bytes);
    offset = behind(offset, section.bytes.size());
  }
  file.resize(offset);
  file.write_at(sizeof(Prelude), std::as_bytes(std::span(header)));
  Prelude prelude{magic,
                  byte_order,
                  newest_version,
                  offset,
                  header.size(),
                  xxh64(std::as_bytes(std::span(header))),
                  {},
                  0};
  prelude.checksum = checksum_of(prelude);
  file.write_at(0, std::as_bytes(std::span(&prelude, 1)));
  file.commit();
}

Stored read_index_file(const std::string& path, Verify verify) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path, Access::random);
  const std::span<const std::byte> bytes = file->bytes();
  const Prelude prelude = read_prelude(path, bytes);
  const auto header = bytes.subspan(sizeof(Prelude), prelude.header_bytes);
  if (xxh64(header) != prelude.header_checksum)
    fail_damaged(path, "the checksum of its header is wrong");

  Stored stored;
  stored.file = path;
  stored.mapping = file;
  std::vector<TableLine> table;
  try {
    const Header parsed({reinterpret_cast<const char*>(header.data()), header.size()});
    stored.numbers = parsed.values<std::uint64_t>("numbers");
    stored.texts = parsed.values<std::string>("texts");
    table = parsed.table();
  } catch (const nlohmann::json::exception& error) {
    fail_damaged(path, fmt::format("its header makes no sense: {}", error.what()));
  }
  require_sound(path, table, aligned(sizeof(Prelude) + header.size()), bytes.size());
  take_sections(stored, *file, table, verify);
  return stored;
}

}  // namespace rtindex
