#include "order/box_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"

namespace rtindex {

namespace {

constexpr std::size_t points_at_once = std::size_t{1} << 14;
constexpr std::size_t blocks_ahead = 4;  // on their way from memory

[[nodiscard]] constexpr std::size_t rounded_up(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

// Bit i is set where byte i is 1, of eight bytes that are 0 or 1.
[[nodiscard]] std::uint32_t bits_of_bytes(const std::uint8_t* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return static_cast<std::uint32_t>(word * 0x0102040810204080ULL >> 56);
}

// Which children of a node touch a side of a box, and which lie inside of it.
struct ZoneBits {
  std::uint32_t touching, inside;
};

template <class Key>
ZoneBits compare_zones(const Key* least, const Key* greatest, Key lower, Key upper) {
  constexpr std::size_t count = BoxTree::fan_out;
  std::uint8_t touching[count];
  std::uint8_t inside[count];
  for (std::size_t i = 0; i < count; ++i)
    touching[i] = static_cast<std::uint8_t>((least[i] <= upper) & (greatest[i] >= lower));
  for (std::size_t i = 0; i < count; ++i)
    inside[i] = static_cast<std::uint8_t>((least[i] >= lower) & (greatest[i] <= upper));
  return {bits_of_bytes(touching) | bits_of_bytes(touching + 8) << 8,
          bits_of_bytes(inside) | bits_of_bytes(inside + 8) << 8};
}

// Sets byte i to whether key i lies in the range, or clears those that do not.
template <bool is_first, class Key>
void compare_keys(const Key* keys, Key lower, Key upper, std::uint8_t* bytes) {
  const auto width = static_cast<Key>(upper - lower);
  for (std::size_t i = 0; i < BoxTree::block_rows; ++i) {
    const auto is_inside = static_cast<std::uint8_t>(static_cast<Key>(keys[i] - lower) <= width);
    bytes[i] = is_first ? is_inside : static_cast<std::uint8_t>(bytes[i] & is_inside);
  }
}

// Calls work(keys) with the array of 4-byte or of 8-byte keys.
template <class Work>
decltype(auto) with_keys(const PackedKeys& keys, Work&& work) {
  return keys.wide() ? work(keys.wide_data()) : work(keys.narrow_data());
}

}  // namespace

BoxTree::BoxTree(std::span<const PackedKeys> columns, std::span<const std::uint32_t> order) {
  lay_out(order.size());
  for (const PackedKeys& from : columns) {
    Column& column = columns_.emplace_back();
    const std::uint64_t widest = from.wide() ? ~std::uint64_t{0} : 0;
    PackedKeys keys(rounded_up(size_, block_rows), widest);
    parallel_for(size_, points_at_once, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) keys.set(i, from[order[i]]);
    });
    for (std::size_t i = size_; i < keys.size(); ++i) keys.set(i, 0);
    column.least = PackedKeys(nodes_, widest);
    column.greatest = PackedKeys(nodes_, widest);
    fill_zones(keys, column);
    column.keys = BlockKeys(std::move(keys), column.least, column.greatest);
  }
}

BoxTree::BoxTree(const FileReader& file, std::size_t size, std::span<const std::uint64_t> largest) {
  lay_out(size);
  for (std::size_t c = 0; c < largest.size(); ++c) {
    const FileReader part = file.part(fmt::format("column{}", c));
    Column& column = columns_.emplace_back();
    column.keys = BlockKeys(part, levels_.front().size, largest[c]);
    column.least = PackedKeys(part, "least", nodes_, largest[c]);
    column.greatest = PackedKeys(part, "greatest", nodes_, largest[c]);
  }
}

void BoxTree::save(FileWriter file) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    FileWriter part = file.part(fmt::format("column{}", c));
    columns_[c].keys.save(part);
    columns_[c].least.save(part, "least");
    columns_[c].greatest.save(part, "greatest");
  }
}

void BoxTree::lay_out(std::size_t size) {
  size_ = size;
  std::size_t nodes = (size + block_rows - 1) / block_rows;
  for (;;) {
    levels_.push_back({nodes_, nodes});
    nodes_ += rounded_up(nodes, fan_out);
    if (nodes <= fan_out) return;
    nodes = (nodes + fan_out - 1) / fan_out;
  }
}

void BoxTree::fill_zones(const PackedKeys& keys, Column& column) const {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::size_t each = level == 0 ? block_rows : fan_out;
    const std::size_t below = level == 0 ? size_ : levels_[level - 1].size;
    const std::size_t from = level == 0 ? 0 : levels_[level - 1].first;
    const PackedKeys& least = level == 0 ? keys : column.least;
    const PackedKeys& greatest = level == 0 ? keys : column.greatest;
    const std::size_t first_node = levels_[level].first;
    const std::size_t nodes = levels_[level].size;
    parallel_for(nodes, points_at_once / fan_out, [&](std::size_t first, std::size_t count) {
      for (std::size_t node = first; node < first + count; ++node) {
        std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t high = 0;
        for (std::size_t i = node * each; i < std::min(below, (node + 1) * each); ++i) {
          low = std::min(low, least[from + i]);
          high = std::max(high, greatest[from + i]);
        }
        column.least.set(first_node + node, low);
        column.greatest.set(first_node + node, high);
      }
    });
    for (std::size_t node = nodes; node < rounded_up(nodes, fan_out); ++node) {
      column.least.set(first_node + node, 0);
      column.greatest.set(first_node + node, 0);
    }
  }
}

std::size_t BoxTree::key_bytes() const {
  std::size_t bytes = 0;
  for (const Column& column : columns_) bytes += column.keys.bytes();
  return bytes;
}

std::size_t BoxTree::zone_bytes() const {
  std::size_t bytes = 0;
  for (const Column& column : columns_) bytes += column.least.bytes() + column.greatest.bytes();
  return bytes;
}

void BoxTree::prefetch_zones(const Box& box, std::uint32_t sides, std::size_t level,
                             std::size_t node) const {
  for (std::uint32_t left = sides; left != 0; left &= left - 1) {
    const Column& column = columns_[box.sides[std::countr_zero(left)].column];
    prefetch(column.least.address(levels_[level].first + node * fan_out));
    prefetch(column.greatest.address(levels_[level].first + node * fan_out));
  }
}

void BoxTree::prefetch_keys(const Box& box, const Block& block) const {
  for (std::uint32_t left = block.sides; left != 0; left &= left - 1)
    columns_[box.sides[std::countr_zero(left)].column].keys.prefetch(block.number);
}

// Level by level, so that the memory of all nodes of a level is on its way together.
BoxTree::Found BoxTree::find(const Box& box) const {
  Found found;
  if (size_ == 0) return found;
  const std::uint32_t all_sides = (std::uint32_t{1} << box.count) - 1;
  if (all_sides == 0) {
    found.runs.push_back({0, size_});
    return found;
  }
  // Nodes whose children are compared next; they look like blocks of a level.
  std::vector<Block> nodes{{0, all_sides}};
  std::size_t rows_each = block_rows;  // of a child
  for (std::size_t level = 1; level < levels_.size(); ++level) rows_each *= fan_out;
  std::vector<Block> next;
  for (std::size_t level = levels_.size(); level-- > 0; rows_each /= fan_out) {
    next.clear();
    for (const Block& node : nodes) {
      const std::size_t first = std::size_t{node.number} * fan_out;
      const std::size_t zones = levels_[level].first + first;
      const std::size_t children = std::min(fan_out, levels_[level].size - first);
      std::uint32_t touching = (std::uint32_t{1} << children) - 1;
      std::array<std::uint32_t, Box::max_sides> inside;
      for (std::uint32_t left = node.sides; left != 0; left &= left - 1) {
        const int side = std::countr_zero(left);
        const BoxSide& range = box.sides[side];
        const Column& column = columns_[range.column];
        const ZoneBits bits = with_keys(column.least, [&]<class Key>(const Key* least) {
          const auto* const greatest = static_cast<const Key*>(column.greatest.address(zones));
          return compare_zones<Key>(least + zones, greatest, static_cast<Key>(range.lower),
                                    static_cast<Key>(range.upper));
        });
        touching &= bits.touching;
        inside[side] = bits.inside;
      }
      for (; touching != 0; touching &= touching - 1) {
        const int child = std::countr_zero(touching);
        std::uint32_t sides = 0;
        for (std::uint32_t left = node.sides; left != 0; left &= left - 1) {
          const int side = std::countr_zero(left);
          if ((inside[side] >> child & 1) == 0) sides |= std::uint32_t{1} << side;
        }
        const std::size_t number = first + static_cast<std::size_t>(child);
        if (sides == 0) {
          const Match run{number * rows_each, std::min(size_, (number + 1) * rows_each)};
          if (!found.runs.empty() && found.runs.back().end == run.begin)
            found.runs.back().end = run.end;
          else
            found.runs.push_back(run);
          continue;
        }
        next.push_back({static_cast<std::uint32_t>(number), sides});
        if (level != 0) prefetch_zones(box, sides, level - 1, number);
      }
    }
    nodes.swap(next);
  }
  found.blocks.swap(nodes);
  return found;
}

BoxTree::BlockBits BoxTree::matching(const Box& box, const Block& block) const {
  std::uint8_t bytes[block_rows];
  const std::size_t first = std::size_t{block.number} * block_rows;
  bool is_first = true;
  for (std::uint32_t left = block.sides; left != 0; left &= left - 1) {
    const BoxSide& range = box.sides[std::countr_zero(left)];
    const Column& column = columns_[range.column];
    std::uint64_t lower = range.lower;
    std::uint64_t upper = range.upper;
    if (column.keys.are_packed()) {
      const std::uint64_t least = column.least[block.number];
      lower = std::max(lower, least) - least;
      upper = std::min(upper, column.greatest[block.number]) - least;
    }
    column.keys.visit(block.number, [&]<class Key>(const Key* keys) {
      if (is_first)
        compare_keys<true>(keys, static_cast<Key>(lower), static_cast<Key>(upper), bytes);
      else
        compare_keys<false>(keys, static_cast<Key>(lower), static_cast<Key>(upper), bytes);
    });
    is_first = false;
  }
  BlockBits bits{};
  for (std::size_t i = 0; i < block_rows; i += 8)
    bits[i / 64] |= std::uint64_t{bits_of_bytes(bytes + i)} << (i % 64);
  for (std::size_t word = 0; word < bits.size(); ++word) {
    const std::size_t begin = first + word * 64;
    if (begin + 64 > size_)
      bits[word] &= begin >= size_ ? 0 : ~std::uint64_t{0} >> (64 - (size_ - begin));
  }
  return bits;
}

std::uint64_t BoxTree::count_rows(const Box& box, const Block* blocks, std::size_t count) const {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < std::min(count, blocks_ahead); ++i) prefetch_keys(box, blocks[i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + blocks_ahead < count) prefetch_keys(box, blocks[i + blocks_ahead]);
    for (const std::uint64_t word : matching(box, blocks[i]))
      rows += static_cast<std::uint64_t>(std::popcount(word));
  }
  return rows;
}

void BoxTree::find_runs(const Box& box, const Block* blocks, std::size_t count,
                        std::vector<Match>& runs) const {
  for (std::size_t i = 0; i < std::min(count, blocks_ahead); ++i) prefetch_keys(box, blocks[i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + blocks_ahead < count) prefetch_keys(box, blocks[i + blocks_ahead]);
    const BlockBits bits = matching(box, blocks[i]);
    std::uint64_t begin = std::uint64_t{blocks[i].number} * block_rows;
    for (std::uint64_t word : bits) {
      while (word != 0) {
        const auto skipped = static_cast<std::uint64_t>(std::countr_zero(word));
        const auto length = static_cast<std::uint64_t>(std::countr_one(word >> skipped));
        runs.push_back({begin + skipped, begin + skipped + length});
        word = skipped + length == 64 ? 0 : word >> (skipped + length) << (skipped + length);
      }
      begin += 64;
    }
  }
}

}  // namespace rtindex
