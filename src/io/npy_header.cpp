#include "io/npy_header.hpp"

#include <charconv>
#include <set>

#include "base/error.hpp"

namespace rtindex {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

// The Python dictionary of a header:
//   {'descr': '<u4', 'fortran_order': False, 'shape': (5,), }
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      if (!seen.insert(key).second) broken("a key stands twice");
      expect(':');
      if (key == "descr")
        header.descr = type_text();
      else if (key == "fortran_order")
        header.fortran_order = boolean();
      else if (key == "shape")
        header.shape = tuple();
      else
        broken("it has an unknown key");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) broken("something stands behind it");
    if (seen.size() != 3) broken("descr, fortran_order or shape is missing");
    return header;
  }

 private:
  [[noreturn]] void broken(std::string_view why) const {
    fail("{} has a broken .npy header ({}): save the array again with numpy.save", path_, why);
  }

  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }

  bool accept(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) broken(fmt::format("'{}' is missing", c));
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
      broken("a quoted text is missing");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) broken("a quote is not closed");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // A plain type is a text; a structured one is a list, which is refused by name.
  std::string type_text() {
    skip_spaces();
    if (rest_.empty() || rest_.front() != '[') return quoted();
    fail("{} holds records with several fields: save one field, such as a['{}']", path_,
         first_field());
  }

  std::string first_field() const {
    const std::size_t open = rest_.find('\'');
    const std::size_t close = rest_.find('\'', open + 1);
    if (open == std::string_view::npos || close == std::string_view::npos) return "name";
    return std::string(rest_.substr(open + 1, close - open - 1));
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) broken("fortran_order is neither True nor False");
    return false;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(');
    while (!accept(')')) {
      std::size_t number = 0;
      skip_spaces();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error == std::errc::result_out_of_range) broken("its shape is impossibly large");
      if (error != std::errc()) broken("its shape is no tuple of numbers");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 wrote long integers so
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view rest_;
  const std::string& path_;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view file, const std::string& path) {
  if (file.empty()) fail("{} is empty: save an array in it with numpy.save", path);
  if (!file.starts_with(magic)) {
    if (magic.starts_with(file)) fail("{} is truncated: it ends within the .npy header", path);
    fail(
        "{} is no .npy file (it does not start with \\x93NUMPY): pass --format for another kind "
        "of file",
        path);
  }
  constexpr std::size_t version_at = magic.size();
  constexpr std::size_t length_at = version_at + 2;
  if (file.size() < length_at) fail("{} is truncated: it ends within the .npy header", path);
  const int major = static_cast<unsigned char>(file[version_at]);
  const int minor = static_cast<unsigned char>(file[version_at + 1]);
  if (major < 1 || major > 3 || minor != 0)
    fail(
        "{} has .npy format version {}.{}, and rtindex reads 1.0, 2.0 and 3.0: save it again "
        "with numpy.save",
        path, major, minor);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t dictionary_at = length_at + length_bytes;
  if (file.size() < dictionary_at) fail("{} is truncated: it ends within the .npy header", path);
  const std::size_t length = little_endian(file.substr(length_at, length_bytes));
  if (length > file.size() - dictionary_at)
    fail("{} is truncated: its .npy header should have {} bytes, and only {} follow", path, length,
         file.size() - dictionary_at);
  NpyHeader header = DictionaryParser(file.substr(dictionary_at, length), path).parse();
  header.data_offset = dictionary_at + length;
  return header;
}

}  // namespace rtindex
