#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex::bench {

// Strings in Arrow's layout.
struct StringColumn {
  std::vector<std::int64_t> offsets{0};
  std::string bytes;

  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return std::string_view(bytes).substr(static_cast<std::size_t>(offsets[i]),
                                          static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
  [[nodiscard]] ColumnView view() const { return ColumnView::strings(offsets, bytes.data()); }
};

// A kind of strings that columns of real tables hold.
struct StringKind {
  std::string name;
  // A string of a number that no other string of the column has.
  std::function<std::string(std::mt19937_64& random, std::uint64_t number)> make;
};

[[nodiscard]] inline std::vector<StringKind> string_kinds() {
  static const std::vector<std::string> hosts = {"www.example.org", "shop.example.com",
                                                 "en.wiki.example.net", "api.io"};
  static const std::vector<std::string> words = {"about", "blog",  "cart",   "docs",  "help",
                                                 "image", "items", "search", "users", "video"};
  const auto word = [](std::mt19937_64& random) { return words[random() % words.size()]; };
  return {
      {"urls",
       [=](std::mt19937_64& random, std::uint64_t number) {
         return fmt::format("https://{}/{}/{}", hosts[random() % hosts.size()], word(random),
                            number);
       }},
      {"long urls",
       [=](std::mt19937_64& random, std::uint64_t number) {
         return fmt::format("https://{}/{}/{}-{}/{:08x}?id={}", hosts[random() % hosts.size()],
                            word(random), word(random), random() % 1000,
                            static_cast<std::uint32_t>(random()), number);
       }},
      {"uuids", [](std::mt19937_64& random,
                   std::uint64_t) { return fmt::format("{:016x}{:016x}", random(), random()); }},
      {"names", [](std::mt19937_64&,
                   std::uint64_t number) { return fmt::format("customer-{:09}", number); }},
      {"short",
       [](std::mt19937_64&, std::uint64_t number) {
         // Odd factors keep numbers apart.
         return fmt::format("{:x}", number * 2654435761 % (std::uint64_t{1} << 32));
       }},
  };
}

// `size` strings of a kind, all different, in random order.
[[nodiscard]] inline StringColumn string_column(const StringKind& kind, std::size_t size,
                                                std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> numbers(size);
  for (std::size_t i = 0; i < size; ++i) numbers[i] = i;
  for (std::size_t i = size; i > 1; --i) std::swap(numbers[i - 1], numbers[random() % i]);
  StringColumn column;
  for (const std::uint64_t number : numbers) column.add(kind.make(random, number));
  return column;
}

// Rows of a column at random, as lookups.
[[nodiscard]] inline std::vector<std::uint32_t> random_rows(std::size_t size, std::size_t count,
                                                            std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random() % size);
  return rows;
}

}  // namespace rtindex::bench
