#include "order/merge_orders.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "keys/interval.hpp"

namespace rtindex {

namespace {

constexpr std::size_t merge_block = std::size_t{1} << 15;

// One side of a merge of two.
template <class Key, class StoredKey>
struct Side {
  const Pair<StoredKey>* pairs;
  std::size_t size;
  Key shift;
  RowBits deleted;
  const std::uint32_t* sources;  // null: `first_source` and those that follow
  std::uint32_t first_source;

  [[nodiscard]] Pair<Key> pair(std::size_t i) const {
    return {static_cast<Key>(static_cast<Key>(pairs[i].key) + shift), pairs[i].row};
  }
  [[nodiscard]] std::uint32_t source(std::size_t i) const {
    return sources == nullptr ? first_source + static_cast<std::uint32_t>(i) : sources[i];
  }
  [[nodiscard]] std::size_t valid(std::size_t begin, std::size_t end) const {
    if (deleted.empty()) return end - begin;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += deleted.has(pairs[i].row) ? 0 : 1;
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
template <bool is_plain, class Key, class A, class B>
void merge_some(const Side<Key, A>& a, std::size_t a_at, std::size_t a_end, const Side<Key, B>& b,
                std::size_t b_at, std::size_t b_end, const Output<Key>& out) {
  std::size_t to = 0;
  const auto write = [&]([[maybe_unused]] const auto& side, [[maybe_unused]] std::size_t at,
                         const Pair<Key>& pair) {
    out.pairs[to] = pair;
    if constexpr (is_plain) {
      ++to;
    } else {
      if (out.sources != nullptr) out.sources[to] = side.source(at);
      to += side.deleted.has(pair.row) ? 0 : 1;
    }
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

template <class Key, class A, class B>
MergedOrders<Key> merge_two(const Side<Key, A>& a, const Side<Key, B>& b, std::size_t padding,
                            bool wants_sources) {
  const std::size_t total = a.size + b.size;
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

  MergedOrders<Key> merged;
  merged.size = starts[blocks];
  // A deleted pair is written before it is skipped: the end of a block may need room for one more.
  merged.pairs = Array<Pair<Key>>(merged.size + std::max<std::size_t>(padding, 1));
  if (wants_sources) merged.sources = Array<std::uint32_t>(merged.size + 1);
  const bool is_plain = a.deleted.empty() && b.deleted.empty() && !wants_sources;
  const auto merge_here = [&](std::size_t block, const Output<Key>& out) {
    const auto merge = is_plain ? merge_some<true, Key, A, B> : merge_some<false, Key, A, B>;
    merge(a, from_a[block], from_a[block + 1], b, from_b(block), from_b(block + 1), out);
  };
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    const std::size_t start = starts[block];
    const std::size_t size = starts[block + 1] - start;
    if (is_plain || block + 1 == blocks) {
      merge_here(block, {merged.pairs.data() + start,
                         wants_sources ? merged.sources.data() + start : nullptr});
      return;
    }
    // In a buffer of its own: that extra pair would overwrite the next block.
    std::vector<Pair<Key>> pairs(merge_block + 1);
    std::vector<std::uint32_t> sources(wants_sources ? merge_block + 1 : 0);
    merge_here(block, {pairs.data(), wants_sources ? sources.data() : nullptr});
    std::copy_n(pairs.data(), size, merged.pairs.data() + start);
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
  const auto with_side = [&](std::size_t i, auto&& work) {
    const OrderInput& input = inputs[i];
    with_key_type(input.is_wide, [&](auto stored) {
      using StoredKey = decltype(stored);
      // Keys that are wider than the merged ones cannot come from a valid column.
      work(Side<Key, StoredKey>{static_cast<const Pair<StoredKey>*>(input.pairs), input.size,
                                static_cast<Key>(input.shift), input.deleted, nullptr,
                                first_source[i]});
    });
  };
  const Side<Key, Key> nothing{};
  MergedOrders<Key> merged;
  for (std::size_t i = inputs.size(); i-- > 0;) {
    const MergedOrders<Key> newer = std::exchange(merged, MergedOrders<Key>());
    const Side<Key, Key> b =
        newer.size == 0 ? nothing
                        : Side<Key, Key>{std::as_const(newer.pairs).data(),
                                         newer.size,
                                         0,
                                         {},
                                         newer.sources.empty() ? nullptr : newer.sources.data(),
                                         0};
    with_side(
        i, [&](const auto& a) { merged = merge_two(a, b, i == 0 ? padding : 0, wants_sources); });
  }
  return merged;
}

}  // namespace

template <class Key>
MergedOrders<Key> merge_orders(std::span<const OrderInput> inputs, std::size_t padding,
                               bool wants_sources) {
  return merge_all<Key>(inputs, padding, wants_sources);
}

template MergedOrders<std::uint32_t> merge_orders(std::span<const OrderInput>, std::size_t, bool);
template MergedOrders<std::uint64_t> merge_orders(std::span<const OrderInput>, std::size_t, bool);

}  // namespace rtindex
