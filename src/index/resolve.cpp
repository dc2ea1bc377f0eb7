#include "index/resolve.hpp"

#include <optional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "kinds/registry.hpp"

namespace rtindex {

namespace {

// Resolves an open spec to the first kind that is available and has its options.
const Kind& find_kind(const Spec& spec) {
  const Kind* first_available = nullptr;
  const Kind* first_unavailable = nullptr;
  for (const Kind& kind : kinds()) {
    if (!kind.matches(spec)) continue;
    if (kind.why_unavailable()) {
      if (first_unavailable == nullptr) first_unavailable = &kind;
      continue;
    }
    if (kind.has_options_of(spec)) return kind;
    if (first_available == nullptr) first_available = &kind;
  }
  if (first_available != nullptr) return *first_available;
  if (first_unavailable == nullptr)
    fail("unknown index '{}': `rtindex indexes` lists all", spec.text());
  fail(ErrorKind::unavailable, "{} is not available: {}", first_unavailable->name(),
       *first_unavailable->why_unavailable());
}

}  // namespace

ResolvedSpec resolve(const Spec& spec) {
  const Kind& kind = find_kind(spec);
  Spec named(spec.device_number() == 0 ? kind.name()
                                       : fmt::format("{}{}", kind.name(), spec.device_number()));
  for (const auto& [name, value] : spec.options()) named = named.with(name, value);
  return {&kind, kind.complete(named)};
}

std::vector<IndexInfo> indexes() {
  return explain_out_of_memory("listing indexes", [] {
    std::vector<IndexInfo> list;
    for (const Kind& kind : kinds()) {
      const std::optional<std::string> reason = kind.why_unavailable();
      list.push_back({kind.name(), !reason, reason ? *reason : kind.describe()});
    }
    return list;
  });
}

Spec default_spec() {
  return explain_out_of_memory("resolving a spec", [] { return resolve(Spec()).spec; });
}

}  // namespace rtindex
