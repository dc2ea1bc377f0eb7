#pragma once

#include <rtindex/spec.hpp>

#include "engine/kind.hpp"

namespace rtindex {

// A complete spec (kind, tracer, device and all options) and the kind that it names.
struct ResolvedSpec {
  const Kind* kind;
  Spec spec;
};

// Completes an open spec. Throws where it cannot be built here, or sets an option that its kind
// does not have.
[[nodiscard]] ResolvedSpec resolve(const Spec& spec);

}  // namespace rtindex
