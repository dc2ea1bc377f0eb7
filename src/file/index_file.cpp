#include "file/index_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include <rtindex/version.hpp>

#include "base/bytes.hpp"
#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/forbidden.hpp"
#include "base/parallel.hpp"
#include "file/atomic_file.hpp"
#include "file/checksum.hpp"
#include "file/file_header.hpp"
#include "file/mapped_file.hpp"

namespace rtindex {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

// The first byte is not text, and the line ends reveal a transfer in text mode.
constexpr std::array<char, 8> magic = {'\x89', 'R', 'T', 'I', 'X', '\r', '\n', '\x1a'};
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::uint32_t other_byte_order = 0x04030201;
constexpr std::uint32_t format_version = 1;
constexpr std::size_t alignment = 4096;
// Arrays may be read a little beyond their end.
constexpr std::size_t slack = 64;
// A stop waits for one write.
constexpr std::size_t bytes_at_once = std::size_t{4} << 20;

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

std::uint64_t offset_after(std::uint64_t offset, std::uint64_t bytes) {
  return aligned(offset + bytes + slack);
}

Prelude read_prelude(const std::string& path, std::span<const std::byte> bytes) {
  Prelude prelude{};
  if (!bytes.empty()) std::memcpy(&prelude, bytes.data(), std::min(bytes.size(), sizeof(Prelude)));
  if (prelude.magic != magic)
    fail(ErrorKind::corrupt_file,
         "{} is not an index file of rtindex: make one with `rtindex build` or Index::save", path);
  if (bytes.size() < sizeof(Prelude))
    fail_damaged(path, fmt::format("it ends after {} bytes", bytes.size()));
  if (prelude.byte_order == other_byte_order)
    fail(ErrorKind::unsupported,
         "{} was written on a machine with another byte order: build the index on this one", path);
  if (prelude.byte_order != byte_order) fail_damaged(path, "its byte order is unknown");
  if (prelude.version != format_version)
    fail(ErrorKind::unsupported,
         "{} has format version {}, and this rtindex ({}) reads version {} only: build the index "
         "again, or open it with the rtindex that wrote it",
         path, prelude.version, RTINDEX_VERSION_STRING, format_version);
  if (prelude.checksum != checksum_of(prelude))
    fail_damaged(path, "the checksum of its first 64 bytes is wrong");
  if (prelude.file_bytes != bytes.size())
    fail_damaged(path, fmt::format("it has {} bytes but was written with {}", bytes.size(),
                                   prelude.file_bytes));
  if (prelude.header_bytes > bytes.size() - sizeof(Prelude))
    fail_damaged(path, "its header is larger than the file");
  return prelude;
}

using Table = std::vector<FileHeader::Section>;

// Sections follow each other, aligned, inside the file.
void require_sound(const std::string& path, const Table& table, std::uint64_t start,
                   std::uint64_t file_bytes) {
  for (const FileHeader::Section& line : table) {
    if (line.offset % alignment != 0)
      fail_damaged(path, fmt::format("section {} is not aligned", line.name));
    if (line.offset < start)
      fail_damaged(path, fmt::format("section {} overlaps what is before it", line.name));
    if (line.offset > file_bytes || line.bytes > file_bytes - line.offset ||
        file_bytes - line.offset - line.bytes < slack)
      fail_damaged(path, fmt::format("section {} reaches beyond the end", line.name));
    start = offset_after(line.offset, line.bytes);
  }
}

// The stage of a section of so many bytes, when `left` bytes are left, of which it takes them off.
ProgressStage section_stage(std::uint64_t bytes, std::uint64_t& left) {
  const double share = left == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(left);
  left -= bytes;
  return ProgressStage(share, 1);
}

void take_sections(Stored& stored, std::span<const std::byte> all, const Table& table,
                   Verify verify) {
  std::uint64_t left = 0;
  for (const FileHeader::Section& line : table) left += line.bytes;
  for (const FileHeader::Section& line : table) {
    const ProgressStage stage = section_stage(line.bytes, left);
    const std::span<const std::byte> bytes = all.subspan(line.offset, line.bytes);
    if ((line.small || verify == Verify::full) && block_checksum(bytes) != line.checksum)
      fail_damaged(stored.file, fmt::format("the checksum of section {} is wrong", line.name));
    if (!stored.sections.emplace(line.name, Stored::Section{bytes, line.small}).second)
      fail_damaged(stored.file, fmt::format("section {} appears twice", line.name));
    const std::uint64_t end = line.offset + line.bytes + slack;
    forbid_reading(all.data() + end, std::min<std::uint64_t>(aligned(end), all.size()) - end);
  }
}

// Writes the container into a sink with write_at(offset, bytes) and resize(bytes).
template <class Sink>
void write_container(Sink& sink, const Stored& stored) {
  FileHeader table{stored.numbers, stored.texts, {}};
  std::uint64_t left = 0;
  for (const auto& [name, section] : stored.sections) left += section.bytes.size();
  {
    const ProgressStage checksums(0.25);
    std::uint64_t unread = left;
    for (const auto& [name, section] : stored.sections) {
      const ProgressStage stage = section_stage(section.bytes.size(), unread);
      table.sections.push_back(
          {name, 0, section.bytes.size(), block_checksum(section.bytes), section.small});
    }
  }
  std::uint64_t total = aligned(sizeof(Prelude) + bytes_of(table).size());
  for (FileHeader::Section& line : table.sections) {
    line.offset = total;
    total = offset_after(total, line.bytes);
  }

  sink.resize(total);
  for (const FileHeader::Section& line : table.sections) {
    const std::span<const std::byte> bytes = stored.sections.at(line.name).bytes;
    const ProgressStage stage = section_stage(bytes.size(), left);
    serial_for(bytes.size(), bytes_at_once, [&](std::size_t first, std::size_t count) {
      sink.write_at(line.offset + first, bytes.subspan(first, count));
    });
  }
  const std::string header = bytes_of(table);
  sink.write_at(sizeof(Prelude), std::as_bytes(std::span(header)));
  Prelude prelude{magic,
                  byte_order,
                  format_version,
                  total,
                  header.size(),
                  xxh64(std::as_bytes(std::span(header))),
                  {},
                  0};
  prelude.checksum = checksum_of(prelude);
  sink.write_at(0, std::as_bytes(std::span(&prelude, 1)));
}

struct MemorySink {
  Array<std::byte> bytes;
  void resize(std::uint64_t size) {
    bytes = Array<std::byte>(size);
    std::memset(bytes.data(), 0, size);
  }
  void write_at(std::uint64_t offset, std::span<const std::byte> from) {
    if (!from.empty()) std::memcpy(bytes.data() + offset, from.data(), from.size());
  }
};

// Bytes of a container in memory. Reading between its sections is an error while it lives.
class KeptBytes {
 public:
  explicit KeptBytes(Array<std::byte> bytes) : bytes_(std::move(bytes)) {}
  ~KeptBytes() { allow_reading(span().data(), span().size()); }
  KeptBytes(const KeptBytes&) = delete;
  KeptBytes& operator=(const KeptBytes&) = delete;

  [[nodiscard]] std::span<const std::byte> span() const { return bytes_.span(); }

 private:
  Array<std::byte> bytes_;
};

// `name` is what messages call the container; `mapping` owns its bytes.
Stored read_container(const std::string& name, std::span<const std::byte> bytes,
                      std::shared_ptr<const void> mapping, Verify verify) {
  const Prelude prelude = read_prelude(name, bytes);
  const auto header = bytes.subspan(sizeof(Prelude), prelude.header_bytes);
  if (xxh64(header) != prelude.header_checksum)
    fail_damaged(name, "the checksum of its header is wrong");

  Stored stored;
  stored.file = name;
  stored.mapping = std::move(mapping);
  FileHeader parsed =
      header_in(name, {reinterpret_cast<const char*>(header.data()), header.size()});
  stored.numbers = std::move(parsed.numbers);
  stored.texts = std::move(parsed.texts);
  require_sound(name, parsed.sections, aligned(sizeof(Prelude) + header.size()), bytes.size());
  take_sections(stored, bytes, parsed.sections, verify);
  return stored;
}

}  // namespace

bool is_storable_text(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void write_index_file(const std::string& path, const Stored& stored) {
  AtomicFile file(path);
  write_container(file, stored);
  file.sync();
  file.commit();
}

Array<std::byte> write_index_bytes(const Stored& stored) {
  MemorySink sink;
  write_container(sink, stored);
  return std::move(sink.bytes);
}

Stored read_index_file(const std::string& path, Verify verify) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path, Access::random);
  return read_container(path, file->bytes(), file, verify);
}

Stored read_index_bytes(Array<std::byte> bytes, Verify verify) {
  const auto kept = std::make_shared<const KeptBytes>(std::move(bytes));
  return read_container("the serialized index", kept->span(), kept, verify);
}

}  // namespace rtindex
