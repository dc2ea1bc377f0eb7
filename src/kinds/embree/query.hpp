#pragma once

#include <cstdint>

#include <rtindex/answer.hpp>

#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"
#include "kinds/embree/device.hpp"

namespace rtindex {

struct PlaceRay;

// The state of a query: Embree passes the address of `base`, its first member, to callbacks.
struct EmbreeQuery {
  EmbreeContext base;
  Interval ray_keys;                       // the keys that the ray passes
  const PlaceRay* places = nullptr;        // of a scene of points, instead of keys
  const EncodedColumn* compare = nullptr;  // if set, only hits of these keys count
  void* receiver = nullptr;
  // Called for the hit of a primitive. For trace(), true ends the query; for closest(), true means
  // that the primitive counts.
  bool (*on_hit)(void* receiver, std::uint32_t primitive) = nullptr;
  Counters* counters = nullptr;  // of this query's thread; null: nothing is counted
};

// The query that Embree passes to a callback.
[[nodiscard]] inline EmbreeQuery& query_of(EmbreeContext* context) {
  return *reinterpret_cast<EmbreeQuery*>(context);
}

}  // namespace rtindex
