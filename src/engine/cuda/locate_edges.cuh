#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/cuda/locate.cuh"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

// Readers of ranges for a search of one edge: read(i, key, limit) sets `key` to the end at that
// edge, from which the search starts, and `limit` to the other end; false if nothing can match.

// Elements of the column's own type: the one end that a range has.
template <class Key, class Element, Edge edge>
struct EdgeElementReader {
  ElementReader<Key, Element> ends;
  bool open;

  [[nodiscard]] __device__ bool read(std::size_t i, Key& key, Key& limit) const {
    std::uint64_t encoded = 0;
    const bool is_possible = encode_edge<edge>(ends.base, ends.span, ends.bits(i), open, encoded);
    key = static_cast<Key>(encoded);
    limit = edge == Edge::last ? Key{0} : static_cast<Key>(~Key{0});
    return is_possible;
  }
};

// Pairs of elements, of which the second has neighbours.
template <class Key, Edge edge>
struct EdgePairReader {
  PairMap map;
  bool open;

  [[nodiscard]] __device__ bool read(std::size_t i, Key& key, Key& limit) const {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    const bool is_possible =
        encode_pair_edge<edge>(map, bits(map.first, i), bits(map.second, i), open, from, to);
    key = static_cast<Key>(from);
    limit = static_cast<Key>(to);
    return is_possible;
  }
  [[nodiscard]] __device__ static std::uint64_t bits(const PairMap::Field& part, std::size_t i) {
    const std::uint64_t element =
        part.bytes == 4 ? __ldcs(static_cast<const std::uint32_t*>(part.elements) + i)
                        : __ldcs(static_cast<const unsigned long long*>(part.elements) + i);
    return element ^ part.flip;
  }
};

template <class Key, Edge edge>
struct EdgeIntervalReader {
  const KeyInterval<Key>* intervals;

  [[nodiscard]] __device__ bool read(std::size_t i, Key& key, Key& limit) const {
    const KeyInterval<Key> interval = intervals[i];
    key = edge == Edge::last ? interval.upper : interval.lower;
    limit = edge == Edge::last ? interval.lower : interval.upper;
    return interval.lower <= interval.upper;
  }
};

// Whether find_edges() of a kind is compiled for elements, too.
enum class EdgeForms : std::uint8_t { intervals, all };

// Calls work(reader) with the reader for the form of the lookups.
template <class Key, Edge edge, EdgeForms forms, class Work>
void with_edge_reader(const DeviceLookups& lookups, Work&& work) {
  if constexpr (forms == EdgeForms::all) {
    if (lookups.pair != nullptr)
      return work(EdgePairReader<Key, edge>{*lookups.pair, lookups.open});
    const auto elements = [&]<class Element>() {
      work(EdgeElementReader<Key, Element, edge>{element_reader<Key, Element>(lookups),
                                                 lookups.open});
    };
    if (lookups.elements != nullptr) {
      // Elements of 4 bytes have narrow keys.
      if constexpr (sizeof(Key) == 4)
        if (lookups.element_bytes == 4) return elements.template operator()<std::uint32_t>();
      return elements.template operator()<unsigned long long>();
    }
  }
  work(EdgeIntervalReader<Key, edge>{static_cast<const KeyInterval<Key>*>(lookups.intervals)});
}

// The neighbour of a key at or beyond an edge, by lower_bound(key): the first position in a part of
// the order, which ends at `end`, whose key is not less.
template <Edge edge, class Order, class Key, class LowerBound>
[[nodiscard]] __device__ Neighbour<Key> neighbour_by_search(const Order& order, Key key,
                                                            std::uint32_t end,
                                                            const LowerBound& lower_bound) {
  std::uint32_t at = 0;
  if constexpr (edge == Edge::first) {
    at = lower_bound(key);
    if (at >= order.size) return {};
  } else {
    const bool is_last = key == static_cast<Key>(~Key{0});
    at = is_last ? end : lower_bound(static_cast<Key>(key + 1));
    if (at-- == 0) return {};
  }
  return {at, order.key(at), order.row(at)};
}

// A Finder may have a search for neighbours of its own:
//   Neighbour<Key> neighbour<edge>(Key, bool unique)
// the last key that is not greater, or the first that is not less.
template <Edge edge, class Finder>
[[nodiscard]] __device__ auto neighbour_of(const Finder& finder, typename Finder::Key key,
                                           bool unique) {
  if constexpr (requires { finder.template neighbour<edge>(key, unique); })
    return finder.template neighbour<edge>(key, unique);
  else
    return neighbour_by_search<edge>(
        finder.order, key, finder.order.size,
        [&](typename Finder::Key wanted) { return finder.lower_bound(wanted); });
}

// The nearest valid neighbour from a position on.
template <Edge edge, class Order, class Key, class Deleted>
[[nodiscard]] __device__ Neighbour<Key> valid_neighbour(const Order& order, const Deleted& deleted,
                                                        const Neighbour<Key>& from) {
  if (from.position == miss_row || !deleted.has(from.position)) return from;
  const Run run = edge == Edge::last ? Run{0, from.position} : Run{from.position + 1, order.size};
  const std::uint32_t at = edge == Edge::last ? deleted.last_valid(run) : deleted.first_valid(run);
  if (at == run.end) return {};
  return {at, order.key(at), order.row(at)};
}

// The greatest or smallest valid row of a key, where equal keys are not in the order of their rows.
template <Edge edge, class Order, class Deleted>
[[nodiscard]] __device__ std::uint32_t row_of_equal(const Order& order, const Deleted& deleted,
                                                    Run run, std::uint32_t row) {
  for (std::uint32_t at = run.begin; at < run.end; ++at) {
    if (deleted.has(at)) continue;
    const std::uint32_t other = order.row(at);
    row = edge == Edge::last ? max(row, other) : min(row, other);
  }
  return row;
}

template <Edge edge, class Finder, class Reader, class Deleted>
__global__ void __launch_bounds__(block_threads)
    find_edges_kernel(Finder finder, Reader reader, Deleted deleted, bool unique, bool rows_ascend,
                      std::size_t count, std::uint32_t* rows, std::uint64_t* keys) {
  using Key = typename Finder::Key;
  const std::size_t i = thread_number() / Finder::lanes;
  if (i >= count) return;
  Key key;
  Key limit;
  Neighbour<Key> found;
  if (reader.read(i, key, limit)) {
    found = neighbour_of<edge>(finder, key, unique);
    if constexpr (Deleted::any) found = valid_neighbour<edge>(finder.order, deleted, found);
    if (edge == Edge::last ? found.key < limit : found.key > limit) found = {};
    if (!rows_ascend && found.position != miss_row)
      found.row = row_of_equal<edge>(finder.order, deleted, finder.equal(found.key), found.row);
  }
  if (Finder::lanes > 1 && threadIdx.x % Finder::lanes != 0) return;
  __stcs(rows + i, found.row);
  if (keys != nullptr)
    __stcs(reinterpret_cast<unsigned long long*>(keys) + i,
           static_cast<unsigned long long>(found.key));
}

template <EdgeForms forms, class Finder>
void launch_find_edges(const Finder& finder, const DeviceOrder& order, const DeviceLookups& lookups,
                       const EdgeTarget& target, cudaStream_t stream) {
  using Key = typename Finder::Key;
  if (lookups.count == 0) return;
  const auto launch = [&]<Edge edge>() {
    with_edge_reader<Key, edge, forms>(lookups, [&](auto reader) {
      with_deleted(target.deleted, [&](auto deleted) {
        find_edges_kernel<edge>
            <<<blocks_for(lookups.count * Finder::lanes), block_threads, 0, stream>>>(
                finder, reader, deleted, order.unique(), order.unique() || order.rows_ascend(),
                lookups.count, target.rows, target.keys);
      });
    });
  };
  if (target.edge == Edge::last)
    launch.template operator()<Edge::last>();
  else
    launch.template operator()<Edge::first>();
  check_launch("looking for the edges of ranges");
}

}  // namespace rtindex::cuda
