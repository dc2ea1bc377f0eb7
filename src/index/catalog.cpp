#include "index/catalog.hpp"

#include <optional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "kinds/backends.hpp"

namespace rtindex {

namespace {

// An open spec means the first backend that is available and takes its options.
const Backend& find_backend(const Spec& spec) {
  const Backend* first_available = nullptr;
  const Backend* first_unavailable = nullptr;
  for (const Backend* backend : backends()) {
    if (!backend->matches(spec)) continue;
    if (backend->unavailable()) {
      if (first_unavailable == nullptr) first_unavailable = backend;
      continue;
    }
    if (backend->takes_options_of(spec)) return *backend;
    if (first_available == nullptr) first_available = backend;
  }
  if (first_available != nullptr) return *first_available;
  if (first_unavailable == nullptr)
    fail("unknown index '{}': `rtindex indexes` lists all", spec.text());
  fail(ErrorKind::unavailable, "{} is not available: {}", first_unavailable->name(),
       *first_unavailable->unavailable());
}

}  // namespace

ResolvedSpec resolve(const Spec& spec) {
  const Backend& backend = find_backend(spec);
  Spec named(spec.device_number() == 0 ? backend.name()
                                       : fmt::format("{}{}", backend.name(), spec.device_number()));
  for (const auto& [name, value] : spec.options()) named = named.with(name, value);
  return {&backend, backend.complete(named)};
}

std::vector<IndexInfo> indexes() {
  return explain_out_of_memory("listing indexes", [] {
    std::vector<IndexInfo> list;
    for (const Backend* backend : backends()) {
      const std::optional<std::string> reason = backend->unavailable();
      list.push_back({backend->name(), !reason, reason ? *reason : backend->describe()});
    }
    return list;
  });
}

Spec default_spec() {
  return explain_out_of_memory("resolving a spec", [] { return resolve(Spec()).spec; });
}

}  // namespace rtindex
