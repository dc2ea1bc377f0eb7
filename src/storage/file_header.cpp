#include "storage/file_header.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <rtindex/version.hpp>

#include "base/error.hpp"
#include "base/stored.hpp"

namespace rtindex {

namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string json_of(const std::string& text) { return quoted(text); }
std::string json_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string json_of(bool truth) { return truth ? "true" : "false"; }

// Lines of a list or object, between commas.
class Lines {
 public:
  Lines(std::string& text, char open, char close, std::size_t depth)
      : text_(text), close_(close), depth_(depth) {
    text_ += open;
  }
  void next() {
    if (count_++ != 0) text_ += ',';
    text_ += '\n';
    text_.append(depth_ + 1, ' ');
  }
  void next(const std::string& name) {
    next();
    text_ += quoted(name) + ": ";
  }
  template <class T>
  void add(const std::string& name, const T& value) {
    next(name);
    text_ += json_of(value);
  }
  void end() {
    if (count_ != 0) text_.append(1, '\n').append(depth_, ' ');
    text_ += close_;
  }

 private:
  std::string& text_;
  char close_;
  std::size_t depth_;
  std::size_t count_ = 0;
};

template <class T>
void add_map(std::string& text, const std::map<std::string, T>& values) {
  Lines lines(text, '{', '}', 1);
  for (const auto& [name, value] : values) lines.add(name, value);
  lines.end();
}

// Takes what the parser reports, value by value.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  [[nodiscard]] FileHeader finish() {
    for (const char* const part : {"numbers", "sections", "texts"})
      if (!found_.contains(part)) refuse(fmt::format("it has no {}", part));
    return std::move(header_);
  }

  bool null() override { return other(); }
  bool boolean(bool truth) override {
    if (in_section()) return truth_.insert_or_assign(key_, truth), true;
    return other();
  }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_unsigned(number_unsigned_t number) override {
    if (in_section()) return numbers_.insert_or_assign(key_, number), true;
    if (!in_map("numbers")) return other();
    header_.numbers.insert_or_assign(key_, number);
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool string(string_t& text) override {
    if (in_section() && key_ == "name") return name_ = std::move(text), true;
    if (!in_map("texts")) return other();
    header_.texts.insert_or_assign(key_, std::move(text));
    return true;
  }
  bool binary(binary_t&) override { return other(); }

  bool start_object(std::size_t) override {
    // The header, a map in it, or a line of the table.
    const bool expected = depth_ == 0 || (depth_ == 1 && top_ != "sections") ||
                          (depth_ == 2 && top_ == "sections" && is_list_);
    if (!expected) static_cast<void>(other());
    return enter(false);
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      top_ = name;
      found_.insert_or_assign(name, true);
    }
    key_ = std::move(name);
    return true;
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 2 && top_ == "sections") add_section();
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 1 || top_ != "sections") static_cast<void>(other());
    return enter(true);
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    refuse(error.what());
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    fail_damaged(file_, fmt::format("its header is invalid: {}", why));
  }

  bool enter(bool is_list) {
    if (depth_ == 0 && is_list) refuse("it is a list");
    if (depth_ == 1) is_list_ = is_list;
    ++depth_;
    return true;
  }
  [[nodiscard]] bool in_map(const char* name) const { return depth_ == 2 && top_ == name; }
  [[nodiscard]] bool in_section() const { return depth_ == 3 && top_ == "sections"; }

  // A value that has no place: skipped where nothing is known of its place.
  [[nodiscard]] bool other() const {
    const bool is_known = top_ == "numbers" || top_ == "texts" || top_ == "sections";
    if (depth_ == 0 || (is_known && !in_section()))
      refuse(fmt::format("{} has another type", depth_ == 0 ? "it" : key_));
    return true;
  }

  void add_section() {
    const auto taken = [&](const char* name, auto& from) {
      const auto found = from.find(name);
      if (found == from.end()) refuse(fmt::format("a section has no {}", name));
      return found->second;
    };
    if (!name_) refuse("a section has no name");
    header_.sections.push_back({std::move(*name_), taken("offset", numbers_),
                                taken("bytes", numbers_), taken("checksum", numbers_),
                                taken("small", truth_)});
    name_.reset();
    numbers_.clear();
    truth_.clear();
  }

  const std::string& file_;
  FileHeader header_;
  std::size_t depth_ = 0;  // of the containers around the next value
  std::string top_, key_;  // the part of the header, and the last name
  bool is_list_ = false;   // whether that part is a list
  std::map<std::string, bool> found_;
  // Of the section that is being read.
  std::optional<std::string> name_;
  std::map<std::string, std::uint64_t> numbers_;
  std::map<std::string, bool> truth_;
};

}  // namespace

std::string text_of(const FileHeader& header) {
  std::string text;
  Lines parts(text, '{', '}', 0);
  parts.add("library", std::string(RTINDEX_VERSION_STRING));
  parts.next("numbers");
  add_map(text, header.numbers);
  parts.next("sections");
  Lines sections(text, '[', ']', 1);
  for (const FileHeader::Section& section : header.sections) {
    sections.next();
    Lines line(text, '{', '}', 2);
    line.add("bytes", section.bytes);
    line.add("checksum", section.checksum);
    line.add("name", section.name);
    line.add("offset", section.offset);
    line.add("small", section.small);
    line.end();
  }
  sections.end();
  parts.next("texts");
  add_map(text, header.texts);
  parts.end();
  return text + "\n";
}

FileHeader header_in(const std::string& file, std::string_view text) {
  HeaderReader reader(file);
  nlohmann::json::sax_parse(text, &reader);
  return reader.finish();
}

}  // namespace rtindex
