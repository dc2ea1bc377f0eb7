#pragma once

#include <cstdint>
#include <string>

#include <rtindex/column.hpp>
#include <rtindex/spec.hpp>

#include "execution/backend.hpp"

namespace rtindex {

// Whether an index must keep its keys in order, for included values or to compare long keys.
enum class KeysIn : std::uint8_t { any_order, key_order };

// A complete spec (kind, tracer, device and all options) and the backend that it names.
struct ResolvedSpec {
  const Backend* backend;
  Spec spec;
};

// Chooses what a spec leaves open. Throws where it cannot be built here, or sets an option that its
// backend does not take.
[[nodiscard]] ResolvedSpec resolve(const Spec& spec, KeysIn keys = KeysIn::any_order);

// The same for a column of which only points will be asked: a spec that leaves the kind open may
// become a hash table.
struct PointsSpec {
  ResolvedSpec resolved;
  bool hash = false;   // chosen for the points
  std::string reason;  // of the choice, a sentence without its end; empty: there was none
};
[[nodiscard]] PointsSpec resolve_for_points(const Spec& spec, KeysIn keys,
                                            const ColumnView& column);

}  // namespace rtindex
