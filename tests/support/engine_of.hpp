#pragma once

#include <string>

#include "engine/engine.hpp"
#include "index/resolve.hpp"

namespace rtindex::test {

// The engine of an index with this spec, which may be open.
inline Engine engine_of(const std::string& spec) {
  const ResolvedSpec resolved = resolve(Spec(spec));
  return resolved.kind->bind(resolved.spec, nullptr);
}

}  // namespace rtindex::test
