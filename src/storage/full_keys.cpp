#include "storage/full_keys.hpp"

#include <vector>

#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t sort_grain = std::size_t{1} << 13;

// Pairs of one encoded key.
template <class Key>
void sort_run(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec) {
  const auto before = [&](const Pair<Key>& a, const Pair<Key>& b) {
    const int order = codec.compare_rows(a.row, b.row);
    return order != 0 ? order < 0 : a.row < b.row;
  };
  if (size <= sort_grain) return std::sort(pairs, pairs + size, before);
  parallel_for(size, sort_grain, [&](std::size_t first, std::size_t count) {
    std::sort(pairs + first, pairs + first + count, before);
  });
  for (std::size_t half = sort_grain; half < size; half *= 2)
    parallel_for(size, 2 * half, [&](std::size_t first, std::size_t count) {
      if (count > half)
        std::inplace_merge(pairs + first, pairs + first + half, pairs + first + count, before);
    });
}

}  // namespace

template <class Key>
void order_by_full_key(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec) {
  const std::size_t blocks = (size + sort_grain - 1) / sort_grain;
  // Where the first run that starts in a block or behind it does so: no run is cut.
  std::vector<std::size_t> starts(blocks + 1, size);
  parallel_for(size, sort_grain, [&](std::size_t first, std::size_t count) {
    std::size_t start = first;
    while (start > 0 && start < first + count && pairs[start].key == pairs[start - 1].key) ++start;
    if (start < first + count) starts[first / sort_grain] = start;
  });
  for (std::size_t block = blocks; block-- > 0;)
    starts[block] = std::min(starts[block], starts[block + 1]);
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    for (std::size_t begin = starts[block]; begin < starts[block + 1];) {
      std::size_t end = begin + 1;
      while (end < starts[block + 1] && pairs[end].key == pairs[begin].key) ++end;
      if (end - begin > 1) sort_run(pairs + begin, end - begin, codec);
      begin = end;
    }
  });
}

template void order_by_full_key(Pair<std::uint32_t>*, std::size_t, const KeyCodec&);
template void order_by_full_key(Pair<std::uint64_t>*, std::size_t, const KeyCodec&);

}  // namespace rtindex
