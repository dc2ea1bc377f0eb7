#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "file/stored.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// The strings of a column that are compared in the hit, without the first bytes that they share.
// Other strings are empty here.
class StringTails {
 public:
  StringTails() = default;

  // Element i is kept if is_kept(i).
  template <class IsKept>
  StringTails(const ColumnView& column, std::size_t dropped, const IsKept& is_kept) {
    const auto tail = [&](std::size_t i) {
      return is_kept(i) ? column.string(i).substr(dropped) : std::string_view();
    };
    const std::size_t blocks = (column.size() + block_size - 1) / block_size;
    std::vector<std::uint64_t> starts(blocks + 1, 0);
    parallel_for(column.size(), block_size, [&](std::size_t first, std::size_t count) {
      std::uint64_t bytes = 0;
      for (std::size_t i = first; i < first + count; ++i) bytes += tail(i).size();
      starts[first / block_size + 1] = bytes;
    });
    for (std::size_t block = 0; block < blocks; ++block) starts[block + 1] += starts[block];
    starts_ = PackedKeys(column.size() + 1, starts[blocks]);
    bytes_ = Array<char>(starts[blocks]);
    parallel_for(column.size(), block_size, [&](std::size_t first, std::size_t count) {
      std::uint64_t next = starts[first / block_size];
      for (std::size_t i = first; i < first + count; ++i) {
        const std::string_view bytes = tail(i);
        starts_.set(i, next);
        bytes.copy(bytes_.data() + next, bytes.size());
        next += bytes.size();
      }
    });
    starts_.set(column.size(), starts[blocks]);
  }

  StringTails(PackedKeys starts, Array<char> bytes)
      : starts_(std::move(starts)), bytes_(std::move(bytes)) {}

  StringTails(const FileReader& file, std::size_t elements) : bytes_(file.array<char>("bytes")) {
    starts_ = PackedKeys(file, "starts", elements + 1, bytes_.size());
  }
  void save(FileWriter file) const {
    starts_.save(file, "starts");
    file.array("bytes", bytes_.span());
  }

  [[nodiscard]] std::size_t bytes() const { return starts_.bytes() + bytes_.bytes(); }

  [[nodiscard]] const PackedKeys& starts() const { return starts_; }
  [[nodiscard]] const Array<char>& all_bytes() const { return bytes_; }

  // Starts from a file can have any value.
  [[nodiscard]] std::string_view operator[](std::size_t element) const {
    const std::uint64_t end = std::min<std::uint64_t>(starts_[element + 1], bytes_.size());
    const std::uint64_t begin = std::min(starts_[element], end);
    return {bytes_.data() + begin, end - begin};
  }

  // In two steps: 0, then 1.
  [[gnu::always_inline]] void prefetch_element(std::size_t element, int step) const {
    if (step == 0) return prefetch(starts_.address(element));
    const std::string_view tail = (*this)[element];
    prefetch(tail.data());
    if (!tail.empty()) prefetch(tail.data() + tail.size() - 1);
  }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 14;

  PackedKeys starts_;
  Array<char> bytes_;
};

}  // namespace rtindex
