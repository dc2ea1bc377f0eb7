#include <rtindex/partition.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/ordered_bits.hpp"
#include "order/key_model.hpp"

namespace rtindex {

namespace {

constexpr std::size_t routing_grain = std::size_t{1} << 16;
constexpr std::size_t routing_chunk = 1024;  // keys whose partitions are found in step
constexpr std::size_t few_bounds = 8;        // that every key is compared with

// Calls visitor.template operator()<T>() with an unsigned integer of that many bytes.
template <class Visitor>
void visit_width(std::size_t width, Visitor&& visitor) {
  switch (width) {
    case 1: return visitor.template operator()<std::uint8_t>();
    case 2: return visitor.template operator()<std::uint16_t>();
    case 4: return visitor.template operator()<std::uint32_t>();
    default: return visitor.template operator()<std::uint64_t>();
  }
}

// An answer in the width of the output.
template <class To, class From>
To widened(From answer, Widen widen) {
  if constexpr (sizeof(To) > sizeof(From))
    if (widen == Widen::rows && answer == std::numeric_limits<From>::max())
      return std::numeric_limits<To>::max();
  return static_cast<To>(answer);
}

// Where the elements of every partition begin in each block: a block for each thread, but not
// more counters than elements.
struct Blocks {
  Blocks(std::span<const std::uint16_t> partitions, std::size_t partition_count)
      : count(partition_count) {
    const auto threads = static_cast<std::size_t>(parallel_threads());
    size = std::max({routing_grain, count, (partitions.size() + threads - 1) / threads});
    const std::size_t blocks = (partitions.size() + size - 1) / size;
    offsets.assign(blocks * count, 0);
    parallel_for(partitions.size(), size, [&](std::size_t first, std::size_t some) {
      std::uint64_t* const counts = of(first);
      for (std::size_t i = first; i < first + some; ++i) ++counts[partitions[i]];
    });
    starts.reserve(count + 1);
    std::uint64_t next = 0;
    for (std::size_t partition = 0; partition < count; ++partition) {
      starts.push_back(next);
      for (std::size_t i = 0; i < blocks; ++i)
        next += std::exchange(offsets[i * count + partition], next);
    }
    starts.push_back(next);
  }

  // The offsets of the block that begins at `first`.
  [[nodiscard]] std::uint64_t* of(std::size_t first) { return &offsets[first / size * count]; }

  std::size_t count, size = 0;
  std::vector<std::uint64_t> offsets, starts;
};

// Finds how many bounds are not after a key and its row.
class BoundSearch {
 public:
  explicit BoundSearch(const PartitionBounds& bounds);
  // For some keys, which are in rows from `first_row` on.
  template <class T>
  void find(const T* keys, std::size_t count, std::uint64_t first_row,
            std::uint16_t* partitions) const;

 private:
  void count_not_after(const std::uint64_t* ordered, std::size_t count, std::uint32_t* found,
                       std::uint16_t* partitions) const;
  void break_ties(const std::uint64_t* ordered, std::size_t count, std::uint64_t first_row,
                  const std::uint32_t* found, std::uint16_t* partitions) const;

  std::uint64_t lowest_, span_;            // of all bounds, as ordered bits
  std::vector<std::uint64_t> firsts_;      // bounds of different keys, from the lowest one on
  std::vector<std::uint16_t> ends_ = {0};  // how many bounds precede each of them, and all
  std::span<const std::uint64_t> rows_;    // of all bounds; empty: keys alone decide
  MadeRoot root_;
};

BoundSearch::BoundSearch(const PartitionBounds& bounds) : rows_(bounds.rows) {
  const ColumnView& keys = bounds.keys;
  std::vector<std::uint64_t> ordered(keys.size());
  visit_native(keys.type(), [&]<class T>() {
    const auto* const elements = static_cast<const T*>(keys.data());
    for (std::size_t i = 0; i < ordered.size(); ++i)
      ordered[i] = ordered_bits(value_of(elements[i]));
  });
  lowest_ = ordered.front();
  span_ = ordered.back() - lowest_;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (i + 1 < ordered.size() && ordered[i + 1] == ordered[i]) continue;
    firsts_.push_back(ordered[i] - lowest_);
    ends_.push_back(static_cast<std::uint16_t>(i + 1));
  }
  root_ = make_root(firsts_, span_, PieceSearch::in_step);
}

// How many bounds are not after some keys. All keys take the same steps, without branches.
void BoundSearch::count_not_after(const std::uint64_t* ordered, std::size_t count,
                                  std::uint32_t* found, std::uint16_t* partitions) const {
  const std::uint64_t* const firsts = firsts_.data();
  const std::uint16_t* const ends = ends_.data();
  const std::size_t bounds = firsts_.size();
  if (bounds <= few_bounds) {
    std::fill_n(found, count, 0U);
    for (std::size_t bound = 0; bound < bounds; ++bound) {
      const std::uint64_t first = firsts[bound] + lowest_;
      for (std::size_t i = 0; i < count; ++i) found[i] += ordered[i] >= first ? 1U : 0U;
    }
  } else {
    std::uint64_t offsets[routing_chunk];  // from the lowest bound
    const std::uint64_t lowest = lowest_;
    const std::uint64_t span = span_;
    for (std::size_t i = 0; i < count; ++i)
      offsets[i] = ordered[i] < lowest ? 0 : std::min(ordered[i] - lowest, span);
    const PieceRoot root = root_.root;
    const std::uint32_t* const table = root_.table.data();
    if (root.has_table)
      for (std::size_t i = 0; i < count; ++i) found[i] = table[root.slot(offsets[i])];
    else
      std::fill_n(found, count, 0U);
    step_to_pieces(
        root.steps, root.last, offsets, count,
        [&](std::uint32_t partition) { return firsts[partition]; }, found);
    for (std::size_t i = 0; i < count; ++i) found[i] = ordered[i] < lowest ? 0 : found[i] + 1;
  }
  for (std::size_t i = 0; i < count; ++i) partitions[i] = ends[found[i]];
}

// Among rows that hold the key of a bound, the rows of bounds decide.
void BoundSearch::break_ties(const std::uint64_t* ordered, std::size_t count,
                             std::uint64_t first_row, const std::uint32_t* found,
                             std::uint16_t* partitions) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i] == 0 || ordered[i] - lowest_ != firsts_[found[i] - 1]) continue;
    const auto first = rows_.begin() + ends_[found[i] - 1];
    const auto end = rows_.begin() + ends_[found[i]];
    partitions[i] =
        static_cast<std::uint16_t>(std::upper_bound(first, end, first_row + i) - rows_.begin());
  }
}

template <class T>
void BoundSearch::find(const T* keys, std::size_t count, std::uint64_t first_row,
                       std::uint16_t* partitions) const {
  std::uint64_t ordered[routing_chunk];
  std::uint32_t found[routing_chunk];  // how many different bounds are not after the key
  for (std::size_t begin = 0; begin < count; begin += routing_chunk) {
    const std::size_t some = std::min(routing_chunk, count - begin);
    for (std::size_t i = 0; i < some; ++i) ordered[i] = ordered_bits(value_of(keys[begin + i]));
    count_not_after(ordered, some, found, partitions + begin);
    if (!rows_.empty()) break_ties(ordered, some, first_row + begin, found, partitions + begin);
  }
}

void require_native(const ColumnView& column) {
  if (!is_native(column.type()) || column.memory_space() == MemorySpace::device)
    fail("expected an array of a native type in host memory, got {} in {} memory",
         name_of(column.type()), name_of(column.memory_space()));
}

// Throws unless each slice has the elements of its partitions.
void require_sizes(const Blocks& blocks, std::span<const PartitionSlice> slices) {
  std::size_t partition = 0;
  for (const PartitionSlice& slice : slices) {
    const std::uint64_t wanted =
        blocks.starts[partition + slice.partitions] - blocks.starts[partition];
    if (slice.elements.size() != wanted)
      fail("expected {} elements in a slice, got {}", wanted, slice.elements.size());
    partition += slice.partitions;
  }
}

template <class From, class To>
void copy_ungrouped(std::span<const std::uint16_t> partitions,
                    std::span<const PartitionSlice> slices, Blocks& blocks, To* out, Widen widen) {
  parallel_for(partitions.size(), blocks.size, [&](std::size_t first, std::size_t some) {
    const std::uint64_t* const offset = blocks.of(first);
    std::vector<const From*> next(blocks.count);
    std::size_t partition = 0;
    for (const PartitionSlice& slice : slices) {
      const std::uint64_t start = blocks.starts[partition];
      for (const std::size_t end = partition + slice.partitions; partition < end; ++partition)
        next[partition] =
            static_cast<const From*>(slice.elements.data()) + (offset[partition] - start);
    }
    for (std::size_t i = first; i < first + some; ++i)
      out[i] = widened<To>(*next[partitions[i]]++, widen);
  });
}

}  // namespace

void find_partitions(const ColumnView& keys, const PartitionBounds& bounds, std::uint64_t first_row,
                     std::span<std::uint16_t> partitions, int threads) {
  require_native(keys);
  require_native(bounds.keys);
  const std::size_t count = bounds.keys.size();
  if (count == 0 || count > max_partition_bounds || bounds.keys.type() != keys.type())
    fail("expected 1 to {} bounds of type {}, got {} of type {}", max_partition_bounds,
         name_of(keys.type()), count, name_of(bounds.keys.type()));
  if (!bounds.rows.empty() && bounds.rows.size() != count)
    fail("expected a row for each of {} bounds, got {}", count, bounds.rows.size());
  if (partitions.size() != keys.size())
    fail("expected an output for each of {} keys, got {}", keys.size(), partitions.size());
  ThreadLimit(threads).run([&] {
    const BoundSearch search(bounds);
    visit_native(keys.type(), [&]<class T>() {
      const auto* const elements = static_cast<const T*>(keys.data());
      parallel_for(keys.size(), routing_grain, [&](std::size_t first, std::size_t some) {
        search.find(elements + first, some, first_row + first, partitions.data() + first);
      });
    });
  });
}

void group_by_partition(std::span<const std::uint16_t> partitions, const ColumnView& elements,
                        void* to, std::uint32_t* positions, std::span<std::uint64_t> starts,
                        int threads) {
  require_native(elements);
  if (starts.empty()) fail("expected the number of partitions and one more starts, got none");
  if (to != nullptr && elements.size() != partitions.size())
    fail("expected {} elements, got {}", partitions.size(), elements.size());
  const auto wrong = std::find_if(partitions.begin(), partitions.end(), [&](std::uint16_t number) {
    return number >= starts.size() - 1;
  });
  if (wrong != partitions.end())
    fail("expected partitions below {}, got {}", starts.size() - 1, *wrong);
  ThreadLimit(threads).run([&] {
    Blocks blocks(partitions, starts.size() - 1);
    std::copy(blocks.starts.begin(), blocks.starts.end(), starts.begin());
    visit_width(width_of(elements.type()), [&]<class T>() {
      const auto* const source = static_cast<const T*>(elements.data());
      auto* const out = static_cast<T*>(to);
      parallel_for(partitions.size(), blocks.size, [&](std::size_t first, std::size_t some) {
        std::uint64_t* const offset = blocks.of(first);
        for (std::size_t i = first; i < first + some; ++i) {
          const std::uint64_t position = offset[partitions[i]]++;
          if (out != nullptr) out[position] = source[i];
          if (positions != nullptr) positions[position] = static_cast<std::uint32_t>(i);
        }
      });
    });
  });
}

void ungroup_partitions(std::span<const std::uint16_t> partitions,
                        std::span<const PartitionSlice> slices, void* to, std::size_t width,
                        Widen widen, int threads) {
  std::size_t count = 0;
  std::size_t slice_width = width;
  for (const PartitionSlice& slice : slices) {
    require_native(slice.elements);
    count += slice.partitions;
    // A slice without elements may have any type.
    if (!slice.elements.empty()) slice_width = width_of(slice.elements.type());
  }
  for (const PartitionSlice& slice : slices)
    if (!slice.elements.empty() && width_of(slice.elements.type()) != slice_width)
      fail("expected slices of one width, got {} and {} bytes an element", slice_width,
           width_of(slice.elements.type()));
  if (slice_width != width && !(slice_width == 4 && width == 8))
    fail("expected slices of {} bytes an element, or of 4 for 8, got {}", width, slice_width);
  ThreadLimit(threads).run([&] {
    Blocks blocks(partitions, count);
    require_sizes(blocks, slices);
    visit_width(width, [&]<class To>() {
      auto* const out = static_cast<To*>(to);
      if (slice_width == width)
        copy_ungrouped<To>(partitions, slices, blocks, out, widen);
      else
        copy_ungrouped<std::uint32_t>(partitions, slices, blocks, out, widen);
    });
  });
}

void widen_rows(std::span<const std::uint32_t> rows, std::span<std::uint64_t> to, int threads) {
  if (to.size() != rows.size())
    fail("expected an output for each of {} rows, got {}", rows.size(), to.size());
  ThreadLimit(threads).run([&] {
    parallel_for(rows.size(), routing_grain, [&](std::size_t first, std::size_t some) {
      for (std::size_t i = first; i < first + some; ++i)
        to[i] = widened<std::uint64_t>(rows[i], Widen::rows);
    });
  });
}

void global_rows(std::span<const std::uint32_t> local, const ColumnView& rows, void* to,
                 int threads) {
  if (rows.type() != Type::u32 && rows.type() != Type::u64)
    fail("expected rows of type uint32 or uint64, got {}", name_of(rows.type()));
  require_native(rows);
  const auto wrong = std::find_if(local.begin(), local.end(), [&](std::uint32_t row) {
    return row != miss_row && row >= rows.size();
  });
  if (wrong != local.end()) fail("expected rows below {}, got {}", rows.size(), *wrong);
  ThreadLimit(threads).run([&] {
    visit_width(width_of(rows.type()), [&]<class Row>() {
      const auto* const source = static_cast<const Row*>(rows.data());
      auto* const out = static_cast<Row*>(to);
      parallel_for(local.size(), routing_grain, [&](std::size_t first, std::size_t some) {
        for (std::size_t i = first; i < first + some; ++i)
          out[i] = local[i] == miss_row ? std::numeric_limits<Row>::max() : source[local[i]];
      });
    });
  });
}

}  // namespace rtindex
