#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/deleted_positions.hpp"
#include "answers/deleted_sets.hpp"
#include "answers/matches.hpp"
#include "answers/values.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "order/included.hpp"

// The aggregates of IncludedValues: how they are made and read.
namespace rtindex {

inline constexpr std::size_t level_block = IncludedValues::block;

// The sum before every block of values (integers only), and the aggregates of blocks: level 0 are
// those of values, level n + 1 those of level n.
template <class Class>
struct Levels final : ValidAggregates {
  static constexpr bool has_prefix = !std::is_same_v<Class, double>;

  Array<Class> prefix;
  std::vector<Array<ValueAggregate<Class>>> blocks;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t bytes = prefix.bytes();
    for (const auto& level : blocks) bytes += level.bytes();
    return bytes;
  }
};

// Integers only; wraps around, as sums do.
template <class Class>
[[nodiscard]] Class difference(Class a, Class b) {
  return static_cast<Class>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The valid values and aggregates over them.
template <class T, class Deleted>
struct LevelReader {
  using Class = value_class_t<T>;
  using Aggregate = ValueAggregate<Class>;

  const T* values;
  const Levels<Class>* levels;
  Deleted deleted;

  [[nodiscard]] std::size_t top() const { return levels->blocks.size(); }
  // Level 0 are the values, level n + 1 the aggregates in blocks[n].
  [[nodiscard]] Aggregate entry(std::size_t level, std::size_t at) const {
    if (level != 0) return levels->blocks[level - 1].data()[at];
    return deleted.has(at) ? Aggregate{} : Aggregate::of(to_class(values[at]));
  }
  // Integers only.
  [[nodiscard]] Class sum(const Match& match) const {
    return difference(sum_before(match.end), sum_before(match.begin));
  }
  [[nodiscard]] Class sum_before(std::size_t position) const {
    Class sum = levels->prefix.data()[position / level_block];
    const std::size_t start = position / level_block * level_block;
    for (std::size_t at = start; at < position; ++at) sum = Sum{}(sum, to_class(values[at]));
    deleted.visit_deleted({start, position},
                          [&](std::uint64_t at) { sum = difference(sum, to_class(values[at])); });
    return sum;
  }
};

// A LevelReader over aggregates that include deleted values. It adds up a block with deleted rows
// in the order of its aggregate, so that sums of floats are equal.
template <class T>
struct ValidWalker {
  using Class = value_class_t<T>;
  using Aggregate = ValueAggregate<Class>;

  LevelReader<T, AllValid::Deleted> all;
  const DeletedBits* deleted;

  [[nodiscard]] std::size_t top() const { return all.top(); }
  [[nodiscard]] Aggregate entry(std::size_t level, std::size_t at) const {
    if (level == 0) return deleted->has(at) ? Aggregate{} : all.entry(0, at);
    std::size_t width = 1;
    for (std::size_t i = 0; i < level; ++i) width *= level_block;
    if (deleted->count({at * width, (at + 1) * width}) == 0) return all.entry(level, at);
    Aggregate aggregate = entry(level - 1, at * level_block);
    for (std::size_t i = 1; i < level_block; ++i)
      aggregate.merge(entry(level - 1, at * level_block + i));
    return aggregate;
  }
  [[nodiscard]] Class sum(const Match& match) const {
    Class deleted_sum{};
    deleted->visit_deleted(match, [&](std::uint64_t at) {
      deleted_sum = Sum{}(deleted_sum, to_class(all.values[at]));
    });
    return difference(all.sum(match), deleted_sum);
  }
};

// Adds up single entries up to the next block, then blocks, and so on.
template <class Reader>
[[nodiscard]] auto aggregate_of(const Reader& reader, const Match& match) {
  auto aggregate = reader.entry(0, match.begin);
  std::size_t begin = match.begin + 1;
  std::size_t end = match.end;
  for (std::size_t level = 0; begin < end; ++level) {
    const bool top = level == reader.top();
    for (; begin < end && (top || begin % level_block != 0); ++begin)
      aggregate.merge(reader.entry(level, begin));
    for (; begin < end && end % level_block != 0; --end)
      aggregate.merge(reader.entry(level, end - 1));
    begin /= level_block;
    end /= level_block;
  }
  return aggregate;
}

// The prefix sums, from the lowest level of blocks if there is one.
template <class T, class Deleted>
[[nodiscard]] Array<value_class_t<T>> prefix_over(const LevelReader<T, Deleted>& reader,
                                                  std::size_t size) {
  using Class = value_class_t<T>;
  Array<Class> prefix(size / level_block + 1);
  prefix[0] = Class{};
  for (std::size_t i = 1; i < prefix.size(); ++i) {
    const ValueAggregate<Class> before =
        reader.top() != 0 ? reader.entry(1, i - 1)
                          : aggregate_of(reader, {(i - 1) * level_block, i * level_block});
    prefix[i] = Sum{}(prefix[i - 1], before.sum);
  }
  return prefix;
}

// The aggregates of the valid values.
template <class T, class Deleted>
[[nodiscard]] Levels<value_class_t<T>> levels_over(std::span<const T> values,
                                                   const Deleted& deleted) {
  using Class = value_class_t<T>;
  constexpr std::size_t blocks_at_once = std::size_t{1} << 9;
  Levels<Class> levels;
  const LevelReader<T, Deleted> reader{values.data(), &levels, deleted};
  for (std::size_t left = values.size(); left > level_block; left = levels.blocks.back().size()) {
    Array<ValueAggregate<Class>> level((left + level_block - 1) / level_block);
    parallel_for(level.size(), blocks_at_once, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        level[i] = reader.entry(levels.blocks.size(), i * level_block);
        for (std::size_t at = i * level_block + 1; at < std::min(left, (i + 1) * level_block); ++at)
          level[i].merge(reader.entry(levels.blocks.size(), at));
      }
    });
    levels.blocks.push_back(std::move(level));
  }
  if constexpr (Levels<Class>::has_prefix) levels.prefix = prefix_over(reader, values.size());
  return levels;
}

}  // namespace rtindex
