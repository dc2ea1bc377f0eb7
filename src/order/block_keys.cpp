#include "order/block_keys.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t blocks_at_once = 128;

// Of the distances in a block.
[[nodiscard]] std::uint32_t bytes_of(std::uint64_t largest) {
  const auto bytes = static_cast<std::uint32_t>(std::bit_width(largest) + 7) / 8;
  return std::bit_ceil(std::max<std::uint32_t>(bytes, 1));
}

}  // namespace

BlockKeys::BlockKeys(PackedKeys keys, const PackedKeys& least, const PackedKeys& greatest) {
  const std::size_t blocks = keys.size() / block_rows;
  Array<std::uint32_t> starts(blocks + 1);
  starts[0] = 0;
  for (std::size_t block = 0; block < blocks; ++block)
    starts[block + 1] = starts[block] + bytes_of(greatest[block] - least[block]);
  const std::size_t bytes = std::size_t{starts[blocks]} * block_rows;
  if (bytes + starts.bytes() > keys.bytes() / 4 * 3) {
    keys_ = std::move(keys);
    return;
  }
  starts_ = std::move(starts);
  packed_ = Array<std::byte>(bytes);
  parallel_for(blocks, blocks_at_once, [&](std::size_t first, std::size_t count) {
    for (std::size_t block = first; block < first + count; ++block)
      visit(block, [&]<class Key>(const Key* from) {
        Key* const to = const_cast<Key*>(from);  // of packed_, which is ours
        for (std::size_t i = 0; i < block_rows; ++i)
          to[i] = static_cast<Key>(keys[block * block_rows + i] - least[block]);
      });
  });
}

BlockKeys::BlockKeys(const FileReader& file, std::size_t blocks, std::uint64_t largest) {
  if (!file.has("packed")) {
    keys_ = PackedKeys(file, "keys", blocks * block_rows, largest);
    return;
  }
  const auto widths = file.array<std::uint8_t>("widths", blocks);
  starts_ = Array<std::uint32_t>(blocks + 1);
  starts_[0] = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint32_t width = widths[block];
    if (!std::has_single_bit(width) || width > sizeof(std::uint64_t))
      file.reject("a block has keys of {} bytes, expected 1, 2, 4 or 8", width);
    starts_[block + 1] = starts_[block] + width;
  }
  packed_ = file.array<std::byte>("packed", std::size_t{starts_[blocks]} * block_rows);
}

void BlockKeys::save(FileWriter& file) const {
  if (!are_packed()) return keys_.save(file, "keys");
  Array<std::uint8_t> widths(starts_.size() - 1);
  for (std::size_t block = 0; block < widths.size(); ++block)
    widths[block] = static_cast<std::uint8_t>(starts_[block + 1] - starts_[block]);
  file.array("widths", std::move(widths));
  file.array("packed", packed_.span());
}

}  // namespace rtindex
