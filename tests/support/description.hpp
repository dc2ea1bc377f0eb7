#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

namespace rtindex::test {

using DescribedNumbers = std::vector<std::uint64_t>;

// The value of the line "name: value" of Index::describe(); empty without such a line.
inline std::string described(const Index& index, const std::string& name) {
  const std::string text = "\n" + index.describe();
  const std::string start = "\n" + name + ": ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + start.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

// The first numbers of that line, so that tests do not depend on the words between them; at most
// `max_count`.
inline DescribedNumbers described_numbers(const Index& index, const std::string& name,
                                          std::size_t max_count) {
  DescribedNumbers numbers;
  bool in_number = false;
  for (const char character : described(index, name)) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(character)) != 0;
    if (is_digit && !in_number) {
      if (numbers.size() == max_count) break;
      numbers.push_back(0);
    }
    if (is_digit)
      numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(character - '0');
    in_number = is_digit;
  }
  return numbers;
}

}  // namespace rtindex::test
