#include "file/stored.hpp"

#include <cassert>

#include "base/error.hpp"

namespace rtindex {

void fail_damaged(const std::string& file, std::string_view why) {
  fail(ErrorKind::corrupt_file, "{} is damaged ({}): restore the file, or build the index again",
       file, why);
}

void fail_damaged_in_use(std::string_view why) {
  fail(ErrorKind::corrupt_file,
       "the index is damaged ({}): it was loaded from a damaged file; load it with full "
       "verification, or build it again",
       why);
}

void FileWriter::number(std::string_view name, std::uint64_t value) {
  const bool is_new = stored_->numbers.emplace(fmt::format("{}{}", prefix_, name), value).second;
  assert(is_new);
  static_cast<void>(is_new);
}

void FileWriter::text(std::string_view name, std::string value) {
  const bool is_new =
      stored_->texts.emplace(fmt::format("{}{}", prefix_, name), std::move(value)).second;
  assert(is_new);
  static_cast<void>(is_new);
}

void FileWriter::add(std::string_view name, Stored::Section section) {
  const bool is_new = stored_->sections.emplace(fmt::format("{}{}", prefix_, name), section).second;
  assert(is_new);
  static_cast<void>(is_new);
}

bool FileReader::has(std::string_view name) const {
  const std::string whole = fmt::format("{}{}", prefix_, name);
  return stored_->numbers.contains(whole) || stored_->texts.contains(whole) ||
         stored_->sections.contains(whole);
}

std::uint64_t FileReader::number(std::string_view name, std::uint64_t largest) const {
  const auto found = stored_->numbers.find(fmt::format("{}{}", prefix_, name));
  if (found == stored_->numbers.end()) reject("there is no {}{}", prefix_, name);
  if (found->second > largest)
    reject("{}{} is {} but can be {} at most", prefix_, name, found->second, largest);
  return found->second;
}

const std::string& FileReader::text(std::string_view name) const {
  const auto found = stored_->texts.find(fmt::format("{}{}", prefix_, name));
  if (found == stored_->texts.end()) reject("there is no {}{}", prefix_, name);
  return found->second;
}

std::map<std::string, std::string> FileReader::texts() const {
  std::map<std::string, std::string> found;
  for (auto at = stored_->texts.lower_bound(prefix_);
       at != stored_->texts.end() && at->first.starts_with(prefix_); ++at)
    found.emplace(at->first.substr(prefix_.size()), at->second);
  return found;
}

std::span<const std::byte> FileReader::section(std::string_view name, bool small) const {
  const auto found = stored_->sections.find(fmt::format("{}{}", prefix_, name));
  if (found == stored_->sections.end()) reject("there is no section {}{}", prefix_, name);
  if (small && !found->second.small) reject("section {}{} is not checked", prefix_, name);
  return found->second.bytes;
}

}  // namespace rtindex
