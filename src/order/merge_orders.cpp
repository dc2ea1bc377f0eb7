#include "order/merge_orders.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "keys/interval.hpp"

namespace rtindex {

namespace {

constexpr std::size_t merge_block = std::size_t{1} << 15;

// The keys and rows of an input, by position.
template <class StoredKey>
struct PairSource {
  const Pair<StoredKey>* pairs;
  [[nodiscard]] StoredKey key(std::size_t i) const { return pairs[i].key; }
  [[nodiscard]] std::uint32_t row(std::size_t i) const { return pairs[i].row; }
};
template <class StoredKey>
struct KeySource {
  const StoredKey* keys;
  std::uint32_t first_row;
  [[nodiscard]] StoredKey key(std::size_t i) const { return keys[i]; }
  [[nodiscard]] std::uint32_t row(std::size_t i) const {
    return first_row + static_cast<std::uint32_t>(i);
  }
};
struct SequenceSource {
  std::uint64_t first_key;
  std::uint32_t first_row;
  [[nodiscard]] std::uint64_t key(std::size_t i) const { return first_key + i; }
  [[nodiscard]] std::uint32_t row(std::size_t i) const {
    return first_row + static_cast<std::uint32_t>(i);
  }
};

// Calls visit(source).
template <class Visit>
decltype(auto) with_source(const OrderInput& input, Visit&& visit) {
  return with_key_type(input.is_wide, [&](auto stored) {
    using StoredKey = decltype(stored);
    if (input.pairs != nullptr)
      return visit(PairSource<StoredKey>{static_cast<const Pair<StoredKey>*>(input.pairs)});
    if (input.keys != nullptr)
      return visit(
          KeySource<StoredKey>{static_cast<const StoredKey*>(input.keys), input.first_row});
    return visit(SequenceSource{input.first_key, input.first_row});
  });
}

// One side of a merge of two.
template <class Key, class Source>
struct Side {
  Source from;
  std::size_t size;
  Key shift;
  RowBits deleted;
  const std::uint32_t* sources;  // null: `first_source` and those that follow
  std::uint32_t first_source;

  [[nodiscard]] Pair<Key> pair(std::size_t i) const {
    return {static_cast<Key>(static_cast<Key>(from.key(i)) + shift), from.row(i)};
  }
  [[nodiscard]] std::uint32_t source(std::size_t i) const {
    return sources == nullptr ? first_source + static_cast<std::uint32_t>(i) : sources[i];
  }
  [[nodiscard]] std::size_t valid(std::size_t begin, std::size_t end) const {
    if (deleted.empty()) return end - begin;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += deleted.has(from.row(i)) ? 0 : 1;
    return count;
  }
};

template <class Key>
[[nodiscard]] bool comes_before(const Pair<Key>& a, const Pair<Key>& b) {
  const Key x = a.key;
  const Key y = b.key;
  return x != y ? x < y : a.row < b.row;
}

template <class Key>
struct Output {
  Pair<Key>* pairs;
  std::uint32_t* sources;  // null: not requested
};

// Merges [a_begin, a_end) and [b_begin, b_end) into `out`. Usually b is much smaller: pairs of a
// between two pairs of b are copied in a tight loop.
template <bool has_deleted, class Key, class A, class B>
void merge_some(const Side<Key, A>& a, std::size_t a_at, std::size_t a_end, const Side<Key, B>& b,
                std::size_t b_at, std::size_t b_end, const Output<Key>& out) {
  std::size_t to = 0;
  const auto write = [&](const auto& side, std::size_t at, const Pair<Key>& pair) {
    out.pairs[to] = pair;
    if (out.sources != nullptr) out.sources[to] = side.source(at);
    if constexpr (has_deleted)
      to += side.deleted.has(pair.row) ? 0 : 1;
    else
      ++to;
  };
  for (; b_at < b_end; ++b_at) {
    const Pair<Key> next = b.pair(b_at);
    for (; a_at < a_end; ++a_at) {
      const Pair<Key> pair = a.pair(a_at);
      if (!comes_before(pair, next)) break;
      write(a, a_at, pair);
    }
    write(b, b_at, next);
  }
  for (; a_at < a_end; ++a_at) write(a, a_at, a.pair(a_at));
}

// How many of the first `diagonal` pairs of the merged order come from a.
template <class Key, class A, class B>
[[nodiscard]] std::size_t taken_from(const Side<Key, A>& a, const Side<Key, B>& b,
                                     std::size_t diagonal) {
  std::size_t low = diagonal > b.size ? diagonal - b.size : 0;
  std::size_t high = std::min(diagonal, a.size);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (comes_before(b.pair(diagonal - 1 - middle), a.pair(middle)))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Arrays of `size` pairs.
template <class Key>
MergedOrders<Key> room_for(std::size_t size, std::size_t padding, bool wants_sources) {
  MergedOrders<Key> merged;
  merged.arrays.size = size;
  // A deleted pair is written before it is skipped: the end of a block may need room for one more.
  merged.arrays.pairs = Array<Pair<Key>>(size + std::max<std::size_t>(padding, 1));
  if (wants_sources) merged.sources = Array<std::uint32_t>(size + 1);
  return merged;
}

template <class Key, class A, class B>
MergedOrders<Key> merge_two(const Side<Key, A>& a, const Side<Key, B>& b, std::size_t padding,
                            bool wants_sources) {
  const bool has_deleted = !a.deleted.empty() || !b.deleted.empty();
  const auto merge = has_deleted ? merge_some<true, Key, A, B> : merge_some<false, Key, A, B>;
  const std::size_t total = a.size + b.size;
  if (total <= merge_block) {
    MergedOrders<Key> merged =
        room_for<Key>(a.valid(0, a.size) + b.valid(0, b.size), padding, wants_sources);
    merge(a, 0, a.size, b, 0, b.size, {merged.arrays.pairs.data(), merged.sources.data()});
    return merged;
  }
  const std::size_t blocks = (total + merge_block - 1) / merge_block;
  std::vector<std::size_t> from_a(blocks + 1, a.size);
  std::vector<std::size_t> starts(blocks + 1, 0);  // in the output
  const auto from_b = [&](std::size_t block) {
    return std::min(block * merge_block, total) - from_a[block];
  };
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    from_a[block] = taken_from(a, b, block * merge_block);
  });
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    starts[block + 1] =
        a.valid(from_a[block], from_a[block + 1]) + b.valid(from_b(block), from_b(block + 1));
  });
  for (std::size_t block = 0; block < blocks; ++block) starts[block + 1] += starts[block];

  MergedOrders<Key> merged = room_for<Key>(starts[blocks], padding, wants_sources);
  Array<Pair<Key>>& merged_pairs = merged.arrays.pairs;
  const auto merge_here = [&](std::size_t block, const Output<Key>& out) {
    merge(a, from_a[block], from_a[block + 1], b, from_b(block), from_b(block + 1), out);
  };
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    const std::size_t start = starts[block];
    const std::size_t size = starts[block + 1] - start;
    if (!has_deleted || block + 1 == blocks) {
      merge_here(block, {merged_pairs.data() + start,
                         wants_sources ? merged.sources.data() + start : nullptr});
      return;
    }
    // In a buffer of its own: that extra pair would overwrite the next block.
    std::vector<Pair<Key>> pairs(merge_block + 1);
    std::vector<std::uint32_t> sources(wants_sources ? merge_block + 1 : 0);
    merge_here(block, {pairs.data(), wants_sources ? sources.data() : nullptr});
    std::copy_n(pairs.data(), size, merged_pairs.data() + start);
    if (wants_sources) std::copy_n(sources.data(), size, merged.sources.data() + start);
  });
  return merged;
}

template <class Key>
MergedOrders<Key> merge_all(std::span<const OrderInput> inputs, std::size_t padding,
                            bool wants_sources) {
  std::vector<std::uint32_t> first_source(inputs.size(), 0);
  for (std::size_t i = 1; i < inputs.size(); ++i)
    first_source[i] = first_source[i - 1] + static_cast<std::uint32_t>(inputs[i - 1].size);
  using Merged = Side<Key, PairSource<Key>>;
  MergedOrders<Key> merged;
  for (std::size_t i = inputs.size(); i-- > 0;) {
    const MergedOrders<Key> newer = std::exchange(merged, MergedOrders<Key>());
    const Merged b = newer.arrays.size == 0
                         ? Merged{}
                         : Merged{{newer.arrays.pairs.data()},
                                  newer.arrays.size,
                                  0,
                                  {},
                                  newer.sources.empty() ? nullptr : newer.sources.data(),
                                  0};
    const OrderInput& input = inputs[i];
    with_source(input, [&](const auto& source) {
      // Keys that are wider than the merged ones cannot come from a valid column.
      const Side<Key, std::decay_t<decltype(source)>> a{
          source,        input.size, static_cast<Key>(input.shift),
          input.deleted, nullptr,    first_source[i]};
      merged = merge_two(a, b, i == 0 ? padding : 0, wants_sources);
    });
  }
  return merged;
}

// Positions of an input without rowIDs.
struct Slice {
  const OrderInput* input;
  std::size_t begin, end;
  std::uint32_t source;  // of its first key

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] std::uint32_t row(std::size_t position) const {
    return input->first_row + static_cast<std::uint32_t>(position);
  }
  [[nodiscard]] std::uint64_t key(std::size_t position) const {
    return input->shift + with_source(*input, [&](const auto& from) -> std::uint64_t {
             return from.key(position);
           });
  }
  [[nodiscard]] bool is_sequence() const { return input->keys == nullptr || size() == 1; }
};

// The slices of valid rows if each follows the one before, by row and by key; else none.
std::optional<std::vector<Slice>> following_slices(std::span<const OrderInput> inputs) {
  std::vector<Slice> slices;
  std::uint32_t source = 0;
  for (const OrderInput& input : inputs) {
    Slice slice{&input, 0, input.size, source};
    source += static_cast<std::uint32_t>(input.size);
    if (input.size == 0) continue;
    if (input.pairs != nullptr) return std::nullopt;
    const auto is_deleted = [&](std::size_t at) { return input.deleted.has(slice.row(at)); };
    if (!input.deleted.empty()) {
      while (slice.size() != 0 && is_deleted(slice.begin)) ++slice.begin;
      while (slice.size() != 0 && is_deleted(slice.end - 1)) --slice.end;
      for (std::size_t at = slice.begin; at < slice.end; ++at)
        if (is_deleted(at)) return std::nullopt;
    }
    if (slice.size() == 0) continue;
    slice.source += static_cast<std::uint32_t>(slice.begin);
    if (!slices.empty()) {
      const Slice& last = slices.back();
      if (slice.row(slice.begin) != last.row(last.end) ||
          slice.key(slice.begin) < last.key(last.end - 1))
        return std::nullopt;
    }
    slices.push_back(slice);
  }
  return slices;
}

template <class Key>
MergedOrders<Key> concatenated(std::span<const Slice> slices, std::size_t padding,
                               bool wants_sources) {
  MergedOrders<Key> merged;
  OrderArrays<Key>& arrays = merged.arrays;
  bool is_sequence = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    arrays.size += slice.size();
    is_sequence =
        is_sequence && slice.is_sequence() &&
        (i == 0 || slice.key(slice.begin) == slices[i - 1].key(slices[i - 1].end - 1) + 1);
  }
  if (!slices.empty()) {
    arrays.first_row = slices.front().row(slices.front().begin);
    arrays.first_key = static_cast<Key>(slices.front().key(slices.front().begin));
  }
  if (!is_sequence) arrays.keys = Array<Key>(arrays.size + padding);
  if (wants_sources) merged.sources = Array<std::uint32_t>(arrays.size);
  std::size_t to = 0;
  for (const Slice& slice : slices) {
    with_source(*slice.input, [&](const auto& from) {
      const auto shift = static_cast<Key>(slice.input->shift);
      parallel_for(slice.size(), merge_block, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count && !is_sequence; ++i)
          arrays.keys[to + i] =
              static_cast<Key>(static_cast<Key>(from.key(slice.begin + i)) + shift);
        for (std::size_t i = first; i < first + count && wants_sources; ++i)
          merged.sources[to + i] = slice.source + static_cast<std::uint32_t>(i);
      });
    });
    to += slice.size();
  }
  return merged;
}

// Drops rowIDs that follow each other, as after new values for rows of a sorted column.
template <class Key>
void drop_rows(OrderArrays<Key>& arrays, std::size_t padding) {
  const Pair<Key>* const pairs = std::as_const(arrays.pairs).data();
  const std::size_t size = arrays.size;
  if (size == 0 || pairs[size - 1].row - pairs[0].row != size - 1) return;
  bool is_sequence = true;
  for (std::size_t i = 1; i < size; ++i) {
    if (pairs[i].row != pairs[i - 1].row + 1) return;
    is_sequence = is_sequence && pairs[i].key - pairs[i - 1].key == 1;
  }
  arrays.first_row = pairs[0].row;
  arrays.first_key = pairs[0].key;
  if (!is_sequence) {
    arrays.keys = Array<Key>(size + padding);
    parallel_for(size, merge_block, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) arrays.keys[i] = pairs[i].key;
    });
  }
  arrays.pairs = {};
}

}  // namespace

template <class Key>
MergedOrders<Key> merge_orders(std::span<const OrderInput> inputs, std::size_t padding,
                               bool wants_sources) {
  if (const auto slices = following_slices(inputs))
    return concatenated<Key>(*slices, padding, wants_sources);
  MergedOrders<Key> merged = merge_all<Key>(inputs, padding, wants_sources);
  drop_rows(merged.arrays, padding);
  return merged;
}

template MergedOrders<std::uint32_t> merge_orders(std::span<const OrderInput>, std::size_t, bool);
template MergedOrders<std::uint64_t> merge_orders(std::span<const OrderInput>, std::size_t, bool);

}  // namespace rtindex
