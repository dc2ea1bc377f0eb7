// Texts of numbers, dates and times. What is printed is read again without a change.

#include "column_files/text_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "fuzz/support/input.hpp"

namespace rtindex {

namespace {

template <class T>
void read_number(std::string_view text) {
  const std::optional<T> number = parse_number<T>(text);
  if (!number) return;
  if constexpr (std::integral<T>)
    fuzz::require(is_integer_text(text), "a text that is not an integer was read as one");
  const std::optional<T> again = parse_number<T>(fmt::format("{}", *number));
  fuzz::require(again && (*again == *number || std::isnan(static_cast<double>(*number))),
                "a number changes when read");
}

void print_and_read(std::int64_t ticks, std::string_view unit) {
  const std::string text = time_text(ticks, unit);
  if (unit == "D" && text.size() == 8 && is_integer_text(text)) return;  // meant as 20240131
  fuzz::require(parse_time(text, unit) == ticks, "a time changes when printed and read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto ticks = input.read<std::int64_t>();
  const std::vector<char> bytes = input.rest();
  const std::string_view text(bytes.data(), bytes.size());
  read_number<std::int64_t>(text);
  read_number<std::uint64_t>(text);
  read_number<float>(text);
  read_number<double>(text);
  for (const std::string_view unit : {"D", "h", "m", "s", "ms", "us", "ns", "W"}) {
    print_and_read(ticks, unit);
    if (const auto read = parse_time(text, unit)) print_and_read(*read, unit);
    fuzz::require(!time_forms(unit).empty(), "no hint how to write a time");
  }
  return 0;
}

}  // namespace rtindex
