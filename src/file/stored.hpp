#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/array.hpp"

namespace rtindex {

// The content of an index file: named numbers, short texts and sections of bytes. Each part of an
// index is written by a FileWriter and read by a FileReader; file/index_file.hpp defines the file.
struct Stored {
  struct Section {
    std::span<const std::byte> bytes;
    bool small = false;  // its checksum is compared whenever the file is opened
  };

  std::string file;  // its name in messages
  std::map<std::string, std::uint64_t> numbers;
  std::map<std::string, std::string> texts;  // ASCII; arbitrary bytes are sections
  std::map<std::string, Section> sections;
  std::shared_ptr<const void> mapping;            // owns the sections of a file that is read
  std::vector<std::shared_ptr<const void>> kept;  // own sections that are written
};

// "FILE is damaged (why): ..." as an Error.
[[noreturn]] void fail_damaged(const std::string& file, std::string_view why);
// For data in use, whose file name is no longer known.
[[noreturn]] void fail_damaged_in_use(std::string_view why);

// Names are prefixed by those of the enclosing parts: "codec.part1.base".
class FileWriter {
 public:
  explicit FileWriter(Stored& stored, std::string prefix = {})
      : stored_(&stored), prefix_(std::move(prefix)) {}

  [[nodiscard]] FileWriter part(std::string_view name) const {
    return FileWriter(*stored_, fmt::format("{}{}.", prefix_, name));
  }
  void number(std::string_view name, std::uint64_t value);
  void text(std::string_view name, std::string value);
  // Views the elements until the file is written.
  template <class T>
  void array(std::string_view name, std::span<const T> elements) {
    add(name, {std::as_bytes(elements), false});
  }
  // Keeps the elements until the file is written.
  template <class T>
  void array(std::string_view name, Array<T>&& elements) {
    const auto kept = std::make_shared<const Array<T>>(std::move(elements));
    stored_->kept.push_back(kept);
    array(name, kept->span());
  }
  // Keeps an object whose arrays are viewed until the file is written.
  void keep(std::shared_ptr<const void> object) { stored_->kept.push_back(std::move(object)); }
  // Few elements, which the reader may trust: their checksum is compared whenever a file is opened.
  template <class T>
  void small_array(std::string_view name, std::vector<T> elements) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would reach the file");
    const auto kept = std::make_shared<const std::vector<T>>(std::move(elements));
    stored_->kept.push_back(kept);
    add(name, {std::as_bytes(std::span(*kept)), true});
  }

 private:
  void add(std::string_view name, Stored::Section section);

  Stored* stored_;
  std::string prefix_;
};

// Numbers, texts and small arrays have verified checksums. Other arrays view the mapped file and
// can hold anything: their users check what could lead out of bounds.
class FileReader {
 public:
  explicit FileReader(const Stored& stored, std::string prefix = {})
      : stored_(&stored), prefix_(std::move(prefix)) {}

  [[nodiscard]] FileReader part(std::string_view name) const {
    return FileReader(*stored_, fmt::format("{}{}.", prefix_, name));
  }
  [[nodiscard]] const std::string& file() const { return stored_->file; }
  // Whether there is a number, text or array of that name.
  [[nodiscard]] bool has(std::string_view name) const;
  // A number that is not above `largest`.
  [[nodiscard]] std::uint64_t number(
      std::string_view name,
      std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] bool flag(std::string_view name) const { return number(name, 1) != 0; }
  [[nodiscard]] const std::string& text(std::string_view name) const;
  // An array of exactly `size` elements.
  template <class T>
  [[nodiscard]] Array<T> array(std::string_view name, std::uint64_t size) const {
    const std::span<const std::byte> bytes = section(name, false);
    if (bytes.size() / sizeof(T) != size || bytes.size() % sizeof(T) != 0)
      reject("{}{} has {} bytes, expected {} times {}", prefix_, name, bytes.size(), size,
             sizeof(T));
    return {stored_->mapping, bytes.data(), static_cast<std::size_t>(size)};
  }
  template <class T>
  [[nodiscard]] Array<T> array(std::string_view name) const {
    return array<T>(name, section(name, false).size() / sizeof(T));
  }
  template <class T>
  [[nodiscard]] std::vector<T> small_array(std::string_view name) const {
    const std::span<const std::byte> bytes = section(name, true);
    if (bytes.size() % sizeof(T) != 0)
      reject("{}{} has {} bytes, expected a multiple of {}", prefix_, name, bytes.size(),
             sizeof(T));
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
    return elements;
  }

  // All texts of this part, by name.
  [[nodiscard]] std::map<std::string, std::string> texts() const;

  // Throws: the content is invalid.
  template <class... Args>
  [[noreturn]] void reject(fmt::format_string<Args...> format, Args&&... args) const {
    fail_damaged(stored_->file, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  [[nodiscard]] std::span<const std::byte> section(std::string_view name, bool small) const;

  const Stored* stored_;
  std::string prefix_;
};

}  // namespace rtindex
