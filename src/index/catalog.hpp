#pragma once

#include <rtindex/spec.hpp>

#include "engine/backend.hpp"

namespace rtindex {

// A complete spec (kind, tracer, device and all options) and the backend that it names.
struct ResolvedSpec {
  const Backend* backend;
  Spec spec;
};

// Chooses what a spec leaves open. Throws where it cannot be built here, or sets an option that its
// backend does not take.
[[nodiscard]] ResolvedSpec resolve(const Spec& spec);

}  // namespace rtindex
