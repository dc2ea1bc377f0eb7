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
#include "rows/shared_pages.hpp"

// The aggregates of IncludedValues: how they are made and read.
namespace rtindex {

inline constexpr std::size_t level_block = IncludedValues::block;

// The sum before every block of values (integers only), and the aggregates of blocks: level 0 are
// those of values, level n + 1 those of level n.
template <class Class>
struct Levels {
  static constexpr bool has_prefix = !std::is_same_v<Class, double>;

  Array<Class> prefix;
  std::vector<Array<ValueAggregate<Class>>> blocks;

  [[nodiscard]] const Class* prefix_address(std::size_t block) const {
    return prefix.data() + block;
  }
  [[nodiscard]] Class sum_before(std::size_t block) const { return prefix.data()[block]; }
  [[nodiscard]] const ValueAggregate<Class>& entry(std::size_t level, std::size_t at) const {
    return blocks[level].data()[at];
  }
  [[nodiscard]] std::size_t bytes() const {
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

// Levels in pages, so that a copy for other deleted rows shares most of them. Sums before a block
// are relative to that before its page.
template <class Class>
struct ValidLevels final : ValidAggregates {
  using Aggregates = SharedPages<ValueAggregate<Class>, 8>;
  using Sums = SharedPages<Class, 9>;

  Sums prefix;
  std::vector<Class> prefix_before_page;
  std::vector<Aggregates> blocks;

  explicit ValidLevels(const Levels<Class>& flat) {
    for (const auto& level : flat.blocks) blocks.emplace_back(level.span());
    if constexpr (Levels<Class>::has_prefix) {
      typename Sums::Editor sums({}, flat.prefix.size());
      for (std::size_t i = 0; i < flat.prefix.size(); ++i) {
        if (i % Sums::page_size == 0) prefix_before_page.push_back(flat.prefix[i]);
        sums.edit_element(i) = difference(flat.prefix[i], prefix_before_page.back());
      }
      prefix = std::move(sums).finish();
    }
  }
  // Those of `before` after the values at some more positions were deleted; `deleted` has all.
  template <class T>
  ValidLevels(const ValidLevels& before, const T* values, std::size_t size,
              const DeletedBits& deleted, std::span<const std::uint32_t> added);

  [[nodiscard]] const Class* prefix_address(std::size_t block) const { return &prefix[block]; }
  [[nodiscard]] Class sum_before(std::size_t block) const {
    return Sum{}(prefix_before_page[block / Sums::page_size], prefix[block]);
  }
  [[nodiscard]] const ValueAggregate<Class>& entry(std::size_t level, std::size_t at) const {
    return blocks[level][at];
  }
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t bytes = prefix.bytes() + prefix_before_page.size() * sizeof(Class);
    for (const auto& level : blocks) bytes += level.bytes();
    return bytes;
  }
};

// The valid values and aggregates over them.
template <class T, class Deleted, class LevelsOfValues = Levels<value_class_t<T>>>
struct LevelReader {
  using Class = value_class_t<T>;
  using Aggregate = ValueAggregate<Class>;

  const T* values;
  const LevelsOfValues* levels;
  Deleted deleted;

  [[nodiscard]] std::size_t top() const { return levels->blocks.size(); }
  // Level 0 are the values, level n + 1 the aggregates in blocks[n].
  [[nodiscard]] Aggregate entry(std::size_t level, std::size_t at) const {
    if (level != 0) return levels->entry(level - 1, at);
    return deleted.has(at) ? Aggregate{} : Aggregate::of(to_class(values[at]));
  }
  // Integers only.
  [[nodiscard]] Class sum(const Match& match) const {
    return difference(sum_before(match.end), sum_before(match.begin));
  }
  [[nodiscard]] Class sum_before(std::size_t position) const {
    Class sum = levels->sum_before(position / level_block);
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

template <class Class>
template <class T>
ValidLevels<Class>::ValidLevels(const ValidLevels& before, const T* values, std::size_t size,
                                const DeletedBits& deleted, std::span<const std::uint32_t> added)
    : prefix_before_page(before.prefix_before_page), blocks(before.blocks) {
  if constexpr (Levels<Class>::has_prefix) {
    typename Sums::Editor sums(before.prefix, before.prefix.size());
    for (const std::uint32_t position : added) {
      const Class value = to_class(values[position]);
      const std::size_t first = position / level_block + 1;
      const std::size_t page = first / Sums::page_size;
      if (first >= before.prefix.size()) continue;
      const std::size_t end = std::min(before.prefix.size(), (page + 1) * Sums::page_size);
      // The sum before a page lies in it, relative to itself.
      const bool starts_page = first % Sums::page_size == 0;
      if (!starts_page) {
        Class* const in_page = sums.edit(page);
        for (std::size_t i = first; i < end; ++i)
          in_page[i % Sums::page_size] = difference(in_page[i % Sums::page_size], value);
      }
      for (std::size_t i = page + (starts_page ? 0 : 1); i < prefix_before_page.size(); ++i)
        prefix_before_page[i] = difference(prefix_before_page[i], value);
    }
    prefix = std::move(sums).finish();
  }
  std::vector<std::size_t> changed(added.begin(), added.end());  // entries of the level below
  std::size_t below = size;
  for (std::size_t level = 0; level < blocks.size(); ++level) {
    for (std::size_t& entry : changed) entry /= level_block;
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    const LevelReader<T, DeletedBits, ValidLevels> reader{values, this, deleted};
    const std::size_t entries = blocks[level].size();
    typename Aggregates::Editor editor(std::move(blocks[level]), entries);
    for (const std::size_t block : changed) {
      ValueAggregate<Class> aggregate = reader.entry(level, block * level_block);
      for (std::size_t at = block * level_block + 1;
           at < std::min(below, (block + 1) * level_block); ++at)
        aggregate.merge(reader.entry(level, at));
      editor.edit_element(block) = aggregate;
    }
    blocks[level] = std::move(editor).finish();
    below = entries;
  }
}

}  // namespace rtindex
