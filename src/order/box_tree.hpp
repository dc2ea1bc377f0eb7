#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "answers/matches.hpp"
#include "base/array.hpp"
#include "file/stored.hpp"
#include "keys/encoded_column.hpp"
#include "order/block_keys.hpp"

namespace rtindex {

// A condition of a box: encoded keys of a column from `lower` to `upper`, both included.
struct BoxSide {
  std::uint64_t lower, upper;
  std::uint32_t column;
};

// A box query. Columns without a condition have no side.
struct Box {
  static constexpr std::size_t max_sides = 8;

  std::array<BoxSide, max_sides> sides;
  std::uint32_t count = 0;  // of the sides
  bool is_empty = false;    // no row matches

  void add(const BoxSide& side) { sides[count++] = side; }
};

// Points in blocks of 128, in an order that keeps neighbours in all columns together, with the
// smallest and largest key of each column in every block, in every 16 blocks and so on. A query
// skips nodes outside of its box, returns nodes inside of it as they are, and compares the keys of
// the blocks between.
class BoxTree {
 public:
  static constexpr std::size_t block_rows = BlockKeys::block_rows;
  static constexpr std::size_t fan_out = 16;

  BoxTree() = default;
  // `order`: the elements of the columns, as order_of_points() returns them.
  BoxTree(std::span<const PackedKeys> columns, std::span<const std::uint32_t> order);
  // `largest`: the largest key of each column.
  BoxTree(const FileReader& file, std::size_t size, std::span<const std::uint64_t> largest);
  void save(FileWriter file) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  [[nodiscard]] std::size_t key_bytes() const;
  [[nodiscard]] std::size_t zone_bytes() const;
  // The key of a position.
  [[nodiscard]] std::uint64_t key(std::size_t column, std::size_t position) const {
    const std::size_t block = position / block_rows;
    std::uint64_t key = columns_[column].base(block);
    columns_[column].keys.visit(block,
                                [&](const auto* keys) { key += keys[position % block_rows]; });
    return key;
  }

  // A block, and which sides of the box its keys must be compared with.
  struct Block {
    std::uint32_t number;
    std::uint32_t sides;
  };
  // What may match a box: runs of positions that do, and blocks of which some rows may.
  struct Found {
    std::vector<Match> runs;
    std::vector<Block> blocks;
  };
  [[nodiscard]] Found find(const Box& box) const;
  // The rows of blocks [first, first + count) that match, counted or as runs of positions.
  [[nodiscard]] std::uint64_t count_rows(const Box& box, const Block* blocks,
                                         std::size_t count) const;
  void find_runs(const Box& box, const Block* blocks, std::size_t count,
                 std::vector<Match>& runs) const;

 private:
  struct Level {
    std::size_t first;  // of its nodes, among those of all levels
    std::size_t size;
  };
  struct Column {
    BlockKeys keys;
    PackedKeys least, greatest;  // of the nodes of all levels, blocks first

    // What is added to the stored keys of a block.
    [[nodiscard]] std::uint64_t base(std::size_t block) const {
      return keys.are_packed() ? least[block] : 0;
    }
  };
  // A bit for each row of a block.
  using BlockBits = std::array<std::uint64_t, block_rows / 64>;

  void lay_out(std::size_t size);
  void fill_zones(const PackedKeys& keys, Column& column) const;
  void prefetch_zones(const Box& box, std::uint32_t sides, std::size_t level,
                      std::size_t node) const;
  void prefetch_keys(const Box& box, const Block& block) const;
  [[nodiscard]] BlockBits matching(const Box& box, const Block& block) const;

  std::size_t size_ = 0;
  std::vector<Column> columns_;
  std::vector<Level> levels_;  // blocks first
  std::size_t nodes_ = 0;
};

}  // namespace rtindex
