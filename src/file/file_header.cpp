#include "file/file_header.hpp"

#include <cstring>
#include <utility>

#include "file/index_file.hpp"
#include "file/stored.hpp"

namespace rtindex {

namespace {

void put(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

template <class T>
void put(std::string& bytes, const std::map<std::string, T>& entries) {
  put(bytes, entries.size());
  for (const auto& [name, value] : entries) {
    put(bytes, name);
    put(bytes, value);
  }
}

class HeaderReader {
 public:
  HeaderReader(const std::string& file, std::string_view bytes) : file_(file), rest_(bytes) {}

  void read(std::uint64_t& number) {
    std::memcpy(&number, next(sizeof(number)).data(), sizeof(number));
  }
  void read(std::string& text) {
    std::uint64_t size = 0;
    read(size);
    text = next(size);
    if (!is_storable_text(text)) reject("a text is not UTF-8");
  }
  template <class T>
  void read(std::map<std::string, T>& entries) {
    std::uint64_t count = 0;
    for (read(count); count > 0; --count) {
      std::pair<std::string, T> entry;
      read(entry.first);
      read(entry.second);
      if (!entries.insert(std::move(entry)).second) reject("a name appears twice");
    }
  }
  void read(std::vector<FileHeader::Section>& sections) {
    std::uint64_t count = 0;
    for (read(count); count > 0; --count) {
      FileHeader::Section section{};
      std::uint64_t small = 0;
      read(section.name);
      for (std::uint64_t* const number :
           {&section.offset, &section.bytes, &section.checksum, &small})
        read(*number);
      section.small = small != 0;
      sections.push_back(std::move(section));
    }
  }
  void require_end() const {
    if (!rest_.empty()) reject("it is too long");
  }

 private:
  [[nodiscard]] std::string_view next(std::uint64_t size) {
    if (size > rest_.size()) reject("it is too short");
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  [[noreturn]] void reject(std::string_view why) const {
    fail_damaged(file_, fmt::format("its header is invalid: {}", why));
  }

  const std::string& file_;
  std::string_view rest_;
};

}  // namespace

std::string bytes_of(const FileHeader& header) {
  std::string bytes;
  put(bytes, header.numbers);
  put(bytes, header.texts);
  put(bytes, header.sections.size());
  for (const FileHeader::Section& section : header.sections) {
    put(bytes, section.name);
    for (const std::uint64_t number : {section.offset, section.bytes, section.checksum,
                                       static_cast<std::uint64_t>(section.small)})
      put(bytes, number);
  }
  return bytes;
}

FileHeader header_in(const std::string& file, std::string_view bytes) {
  FileHeader header;
  HeaderReader reader(file, bytes);
  reader.read(header.numbers);
  reader.read(header.texts);
  reader.read(header.sections);
  reader.require_end();
  return header;
}

}  // namespace rtindex
