#include "workload/swaps.hpp"

#include <rtindex/error.hpp>

namespace rtindex::bench {

Swaps random_swaps(const Column& column, std::size_t pairs, Neighbours neighbours,
                   std::uint64_t seed) {
  const std::size_t available = column.size() / 2;
  if (pairs > available) throw Error("there are fewer pairs of rows than swaps asked for");
  Place& place = column.place();
  PlacedArray<std::uint32_t> order;
  if (neighbours == Neighbours::keys) {
    order = PlacedArray<std::uint32_t>(place, column.size());
    place.order_by_key(column.keys.data(), column.size(), column.size(), order.data());
  }
  Swaps swaps{PlacedArray<std::uint32_t>(place, 2 * pairs),
              KeyArray(place, column.keys.bits(), 2 * pairs)};
  place.run(FillSwaps{Permutation(available, seed), column.keys.data(), order.data(),
                      swaps.rows.data(), swaps.new_keys.data()},
            2 * pairs);
  return swaps;
}

void apply(const Swaps& swaps, Column& column) {
  column.place().run(ScatterKeys{swaps.new_keys.data(), swaps.rows.data(), column.keys.data()},
                     swaps.rows.size());
}

}  // namespace rtindex::bench
