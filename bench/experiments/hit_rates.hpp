#pragma once

#include <vector>

#include "experiments/bed.hpp"

namespace rtindex::bench {

// Fires lookups of every hit rate at every index, unsorted and sorted.
inline void fire_hit_rates(Session& session, Misses misses, Lazy<Column>& column) {
  const auto rates = session.pick<double>({1, 0.5, 0}, {1, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01, 0},
                                          {1, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01, 0});
  Beds beds(session, column);
  for (const double rate : rates) {
    Lazy<Lookups> lookups([&](Place& place) {
      return with_hit_rate(column.in(place), usual_lookups(session), rate, misses, column_seed,
                           lookup_seed);
    });
    for (auto& [contestant, bed] : beds)
      for (const bool sorted : {false, true})
        session.point({.series = series_of(contestant, order_name(sorted)), .x = rate},
                      [&, &bed = bed] { return bed->fire(lookups, {.sorted = sorted}); });
  }
}

}  // namespace rtindex::bench
