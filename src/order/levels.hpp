#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "answers/aggregate.hpp"
#include "answers/deleted_positions.hpp"
#include "answers/deleted_sets.hpp"
#include "answers/matches.hpp"
#include "answers/page_sums.hpp"
#include "answers/values.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "order/included.hpp"
#include "rows/shared_pages.hpp"

// The aggregates of IncludedValues: how they are made and read.
namespace rtindex {

inline constexpr std::size_t level_block = IncludedValues::block;

// A sum of integers before a block, in two's complement. A sum of 2^32 values of 32 bits fits 64
// bits, so that no sum wraps that a mean is made of.
template <class T>
using prefix_sum_t = std::conditional_t<sizeof(T) == 8, uint128, std::uint64_t>;

// The sum before every block of values (integers only), and the aggregates of blocks: level 0 are
// those of values, level n + 1 those of level n.
template <class T>
struct Levels {
  using Class = value_class_t<T>;
  static constexpr bool has_prefix = !std::is_same_v<Class, double>;

  Array<prefix_sum_t<T>> prefix;
  std::vector<Array<ValueAggregate<Class>>> blocks;

  [[nodiscard]] const prefix_sum_t<T>* prefix_address(std::size_t block) const {
    return prefix.data() + block;
  }
  [[nodiscard]] prefix_sum_t<T> sum_before(std::size_t block) const { return prefix.data()[block]; }
  [[nodiscard]] const ValueAggregate<Class>& entry(std::size_t level, std::size_t at) const {
    return blocks[level].data()[at];
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = prefix.bytes();
    for (const auto& level : blocks) bytes += level.bytes();
    return bytes;
  }
};

// Levels in pages, so that a copy for other deleted rows shares most of them; moved from their only
// owner, they are changed in place. Sums before a block are relative to that before its page.
template <class T>
struct ValidLevels final : ValidAggregates {
  using Class = value_class_t<T>;
  using Total = prefix_sum_t<T>;
  using Aggregates = SharedPages<ValueAggregate<Class>, 8>;
  using Sums = SharedPages<Total, 8>;

  Sums prefix;
  PageSums<Total> prefix_before_page;
  std::vector<Aggregates> blocks;
  // The positions that are deleted or have a null value; unset where no value is null.
  std::optional<DeletedPositions> skipped;

  explicit ValidLevels(const Levels<T>& flat) {
    for (const auto& level : flat.blocks) blocks.emplace_back(level.span());
    if constexpr (Levels<T>::has_prefix) {
      typename Sums::Editor sums({}, flat.prefix.size());
      std::vector<Total> before_page;
      for (std::size_t page = 0; page < sums.page_count(); ++page) {
        const std::size_t first = page * Sums::page_size;
        before_page.push_back(flat.prefix[first]);
        Total* const in_page = sums.edit(page);
        for (std::size_t i = 0; i < sums.elements_in(page); ++i)
          in_page[i] = flat.prefix[first + i] - before_page.back();
      }
      prefix = std::move(sums).finish();
      prefix_before_page = PageSums(before_page);
    }
  }
  // Makes them those after the values at some more positions were deleted; `deleted` has all.
  void remove(const T* values, std::size_t size, const DeletedBits& deleted,
              std::span<const std::uint32_t> added);
  // Removes values from the aggregate of a block; false, with the aggregate unchanged, where that
  // needs the values that are left.
  [[nodiscard]] static bool subtract(const T* values, std::span<const std::uint32_t> removed,
                                     ValueAggregate<Class>& aggregate);

  [[nodiscard]] const Total* prefix_address(std::size_t block) const { return &prefix[block]; }
  [[nodiscard]] Total sum_before(std::size_t block) const {
    return prefix_before_page[block / Sums::page_size] + prefix[block];
  }
  [[nodiscard]] const ValueAggregate<Class>& entry(std::size_t level, std::size_t at) const {
    return blocks[level][at];
  }
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t bytes = prefix.bytes() + prefix_before_page.bytes();
    for (const auto& level : blocks) bytes += level.bytes();
    if (skipped) bytes += skipped->bytes();
    return bytes;
  }
};

// The valid values and aggregates over them.
template <class T, class Deleted, class LevelsOfValues = Levels<T>>
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
  // The number of values.
  [[nodiscard]] std::uint64_t count(const Match& match) const {
    return match.size() - deleted.count(match);
  }
  // Integers only. Total is prefix_sum_t<T>, or std::uint64_t where the sum may wrap.
  template <class Total>
  [[nodiscard]] Total sum(const Match& match) const {
    return sum_before<Total>(match.end) - sum_before<Total>(match.begin);
  }
  template <class Total>
  [[nodiscard]] Total sum_before(std::size_t position) const {
    const std::size_t start = position / level_block * level_block;
    return static_cast<Total>(levels->sum_before(position / level_block)) +
           sum_of<Total>({start, position});
  }
  // Adds up single values.
  template <class Total>
  [[nodiscard]] Total sum_of(const Match& match) const {
    Total sum = 0;
    for (std::size_t at = match.begin; at < match.end; ++at) sum += value_as<Total>(at);
    deleted.visit_deleted(match, [&](std::uint64_t at) { sum -= value_as<Total>(at); });
    return sum;
  }
  template <class Total>
  [[nodiscard]] Total value_as(std::size_t at) const {
    return static_cast<Total>(to_class(values[at]));
  }
};

// A LevelReader over aggregates that include deleted values. It adds up a block with deleted rows
// in the order of its aggregate, so that sums of floats are equal.
// Nulls are the positions of null values. Its functions are out of line: few queries need them, and
// inlined into every loop over matches they took a third of the time to compile included.cpp.
template <class T, class Nulls>
struct ValidWalker {
  using Class = value_class_t<T>;
  using Aggregate = ValueAggregate<Class>;

  LevelReader<T, Nulls> all;
  const DeletedBits* deleted;

  [[nodiscard]] std::size_t top() const { return all.top(); }
  [[nodiscard, gnu::noinline]] Aggregate entry(std::size_t level, std::size_t at) const {
    if (level == 0) return deleted->has(at) ? Aggregate{} : all.entry(0, at);
    std::size_t width = 1;
    for (std::size_t i = 0; i < level; ++i) width *= level_block;
    if (deleted->count({at * width, (at + 1) * width}) == 0) return all.entry(level, at);
    Aggregate aggregate = entry(level - 1, at * level_block);
    for (std::size_t i = 1; i < level_block; ++i)
      aggregate.merge(entry(level - 1, at * level_block + i));
    return aggregate;
  }
  [[nodiscard, gnu::noinline]] std::uint64_t count(const Match& match) const {
    std::uint64_t count = all.count(match);
    visit_deleted_values(match, [&](std::uint64_t) { --count; });
    return count;
  }
  template <class Total>
  [[nodiscard, gnu::noinline]] Total sum(const Match& match) const {
    auto sum = all.template sum<Total>(match);
    visit_deleted_values(match, [&](std::uint64_t at) { sum -= all.template value_as<Total>(at); });
    return sum;
  }

 private:
  template <class Visit>
  void visit_deleted_values(const Match& match, Visit&& visit) const {
    deleted->visit_deleted(match, [&](std::uint64_t at) {
      if (!all.deleted.has(at)) visit(at);
    });
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

template <class T, class Deleted>
[[nodiscard]] Array<prefix_sum_t<T>> prefix_over(const LevelReader<T, Deleted>& reader,
                                                 std::size_t size) {
  constexpr std::size_t blocks_at_once = std::size_t{1} << 9;
  Array<prefix_sum_t<T>> prefix(size / level_block + 1);
  prefix[0] = 0;
  parallel_for(prefix.size() - 1, blocks_at_once, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      prefix[i + 1] =
          reader.template sum_of<prefix_sum_t<T>>({i * level_block, (i + 1) * level_block});
  });
  for (std::size_t i = 1; i < prefix.size(); ++i) prefix[i] += prefix[i - 1];
  return prefix;
}

// The aggregates of the valid values.
template <class T, class Deleted>
[[nodiscard]] Levels<T> levels_over(std::span<const T> values, const Deleted& deleted) {
  using Class = value_class_t<T>;
  constexpr std::size_t blocks_at_once = std::size_t{1} << 9;
  Levels<T> levels;
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
  if constexpr (Levels<T>::has_prefix) levels.prefix = prefix_over(reader, values.size());
  return levels;
}

template <class T>
void ValidLevels<T>::remove(const T* values, std::size_t size, const DeletedBits& deleted,
                            std::span<const std::uint32_t> added) {
  if constexpr (Levels<T>::has_prefix) {
    const std::size_t sum_count = prefix.size();
    typename Sums::Editor sums(std::move(prefix), sum_count);
    for (const std::uint32_t position : added) {
      const auto value = static_cast<Total>(to_class(values[position]));
      add_from(position / level_block + 1, Total{0} - value, sums, prefix_before_page);
    }
    prefix = std::move(sums).finish();
  }
  std::vector<std::uint32_t> sorted(added.begin(), added.end());
  std::sort(sorted.begin(), sorted.end());
  constexpr int log2_block = std::countr_zero(level_block);
  int log2_width = 0;  // of a block, in values
  std::size_t below = size;
  for (std::size_t level = 0; level < blocks.size(); ++level) {
    log2_width += log2_block;
    const LevelReader<T, DeletedBits, ValidLevels> reader{values, this, deleted};
    const std::size_t entries = blocks[level].size();
    typename Aggregates::Editor editor(std::move(blocks[level]), entries);
    for (auto next = sorted.begin(); next != sorted.end();) {
      const auto first = next;
      const std::size_t block = *first >> log2_width;
      next = std::find_if(first, sorted.end(),
                          [&](std::uint32_t at) { return at >> log2_width != block; });
      ValueAggregate<Class>& aggregate = editor.edit_element(block);
      if (subtract(values, {first, next}, aggregate)) continue;
      aggregate = reader.entry(level, block * level_block);
      for (std::size_t at = block * level_block + 1;
           at < std::min(below, (block + 1) * level_block); ++at)
        aggregate.merge(reader.entry(level, at));
    }
    blocks[level] = std::move(editor).finish();
    below = entries;
  }
}

// Integer sums are exact, so that most blocks need not be read again.
template <class T>
bool ValidLevels<T>::subtract(const T* values, std::span<const std::uint32_t> removed,
                              ValueAggregate<Class>& aggregate) {
  if constexpr (!Levels<T>::has_prefix) return false;
  std::uint64_t sum = 0;
  for (const std::uint32_t position : removed) {
    const Class value = to_class(values[position]);
    if (value == aggregate.min || value == aggregate.max) return false;
    sum += static_cast<std::uint64_t>(value);
  }
  aggregate.sum = static_cast<Class>(static_cast<std::uint64_t>(aggregate.sum) - sum);
  return true;
}

}  // namespace rtindex
