#include "workload/neighbours.hpp"

#include <string>

namespace rtindex::bench {

namespace {

NeighbourRows::Side side_of(Direction direction) {
  switch (direction) {
    case Direction::backward: return NeighbourRows::Side::before;
    case Direction::forward: return NeighbourRows::Side::behind;
    case Direction::nearest: break;
  }
  return NeighbourRows::Side::closer;
}

}  // namespace

OrderedRows::OrderedRows(const KeyArray& keys)
    : keys_(keys.space(), keys.bits(), keys.size()), rows_(keys.space(), keys.size()) {
  ExecutionSpace& space = keys.space();
  space.order_by_key(keys.data(), keys.size(), keys.size(), rows_.data());
  space.run(GatherKeys{keys.data(), rows_.data(), keys_.data()}, keys.size());
}

KeyArray paired(const KeyArray& high, const KeyArray& low) {
  KeyArray pairs(low.space(), 64, low.size());
  low.space().run(FillKeys<PairedKeys>{{high.data(), low.data()}, pairs.data()}, low.size());
  return pairs;
}

WorkloadArray<std::uint64_t> neighbour_rows(const OrderedRows& column, const KeyArray& keys,
                                            const NearestOptions& nearest, bool grouped) {
  WorkloadArray<std::uint64_t> expected(keys.space(), keys.size());
  const NeighbourRows rule{keys.data(),   column.data(), side_of(nearest.direction),
                           nearest.exact, grouped,       miss_row};
  keys.space().run(FillLookups<NeighbourRows>{rule, {}, {}, expected.data()}, keys.size());
  return expected;
}

Lookups with_neighbours(const Lookups& points, const OrderedRows& column,
                        const NearestOptions& nearest) {
  Lookups lookups;
  lookups.lower = points.lower.part(0, points.size());
  lookups.expected = neighbour_rows(column, points.lower, nearest);
  lookups.about = points.about;
  lookups.about.update(
      {{"direction", std::string(name_of(nearest.direction))}, {"exact", nearest.exact}});
  return lookups;
}

}  // namespace rtindex::bench
