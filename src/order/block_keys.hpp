#pragma once

#include <cstddef>
#include <cstdint>

#include "base/array.hpp"
#include "base/prefetch.hpp"
#include "file/stored.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// The keys of a column in blocks. Each block is packed: its keys are stored as their distance from
// the smallest of them, in 1, 2, 4 or 8 bytes each. A column that packing would hardly make smaller
// is stored as it is, because it is searched slightly faster.
class BlockKeys {
 public:
  static constexpr std::size_t block_rows = 128;

  BlockKeys() = default;
  // `keys`: of whole blocks, whose smallest and largest keys are `least` and `greatest`.
  BlockKeys(PackedKeys keys, const PackedKeys& least, const PackedKeys& greatest);
  // `largest`: the largest key of the column.
  BlockKeys(const FileReader& file, std::size_t blocks, std::uint64_t largest);
  void save(FileWriter& file) const;

  [[nodiscard]] std::size_t bytes() const {
    return keys_.bytes() + packed_.bytes() + starts_.bytes();
  }
  [[nodiscard]] bool are_packed() const { return !starts_.empty(); }

  // Calls visit(keys) with the stored keys of a block.
  template <class Visit>
  void visit(std::size_t block, const Visit& visit) const {
    if (!are_packed())
      return keys_.wide() ? visit(keys_.wide_data() + block * block_rows)
                          : visit(keys_.narrow_data() + block * block_rows);
    const void* const packed = address(block);
    switch (key_bytes(block)) {
      case 1: return visit(static_cast<const std::uint8_t*>(packed));
      case 2: return visit(static_cast<const std::uint16_t*>(packed));
      case 4: return visit(static_cast<const std::uint32_t*>(packed));
      default: return visit(static_cast<const std::uint64_t*>(packed));
    }
  }
  void prefetch(std::size_t block) const {
    constexpr std::size_t line = 64;
    const auto* const from = static_cast<const std::byte*>(address(block));
    const std::size_t size = block_rows * key_bytes(block);
    for (std::size_t i = 0; i < size; i += line) rtindex::prefetch(from + i);
  }

 private:
  [[nodiscard]] std::size_t key_bytes(std::size_t block) const {
    if (!are_packed()) return keys_.wide() ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    return starts_[block + 1] - starts_[block];
  }
  [[nodiscard]] const void* address(std::size_t block) const {
    if (!are_packed()) return keys_.address(block * block_rows);
    return packed_.data() + std::size_t{starts_[block]} * block_rows;
  }

  PackedKeys keys_;  // empty where they are packed
  Array<std::byte> packed_;
  Array<std::uint32_t> starts_;  // of each block in packed_, and the end; in units of block_rows
};

}  // namespace rtindex
