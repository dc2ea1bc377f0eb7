#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rtindex::fuzz {

// The bytes of one run, read from front to back. Past their end everything is 0.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] T read() {
    T value{};
    const std::size_t size = std::min(sizeof(T), rest_.size());
    if (size != 0) std::memcpy(&value, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  // A number below `n`, which is at least 1.
  [[nodiscard]] std::size_t below(std::size_t n) {
    return (n <= 256 ? read<std::uint8_t>() : read<std::uint32_t>()) % n;
  }
  [[nodiscard]] bool flag() { return below(2) == 1; }
  template <class List>
  [[nodiscard]] const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }
  // At most `size` bytes, as they are.
  [[nodiscard]] std::string text(std::size_t size) {
    size = std::min(size, rest_.size());
    std::string bytes(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return bytes;
  }
  // All that is left, in memory of exactly that size: the address sanitizer sees its ends.
  [[nodiscard]] std::vector<char> rest() {
    std::vector<char> bytes(rest_.begin(), rest_.end());
    rest_ = {};
    return bytes;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

// Ends the run as a failure that libFuzzer reports with its input.
inline void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace rtindex::fuzz
