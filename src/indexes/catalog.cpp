#include "indexes/catalog.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "indexes/backends.hpp"
#include "indexes/points_choice.hpp"

namespace rtindex {

namespace {

// The backend that answers an open spec fastest on a GPU: the native tracer, or OptiX where that
// was measured to be faster.
const Backend& faster_tracer(const Spec& spec, const Backend& native) {
  // Options of sorted keys, which OptiX has only in buckets.
  for (const char* option : {"order", "gather"})
    if (spec.options().contains(option) && !is_bucketed(spec)) return native;
  for (const Backend* backend : backends())
    if (backend->tracer() == "optix" && backend->takes_options_of(spec) &&
        gpu_tracer(spec.device_number()).tracer == "optix" && !backend->unavailable())
      return *backend;
  return native;
}

// An open spec means the first backend that is available and takes its options.
const Backend& find_backend(const Spec& spec, KeysIn keys) {
  const Backend* first_available = nullptr;
  const Backend* first_unavailable = nullptr;
  for (const Backend* backend : backends()) {
    if (!backend->matches(spec)) continue;
    if (backend->unavailable()) {
      if (first_unavailable == nullptr) first_unavailable = backend;
      continue;
    }
    if (backend->takes_options_of(spec)) {
      const bool is_open =
          spec.tracer().empty() && backend->tracer() == "native" && backend->on_gpu();
      return is_open && keys == KeysIn::any_order ? faster_tracer(spec, *backend) : *backend;
    }
    if (first_available == nullptr) first_available = backend;
  }
  if (first_available != nullptr) return *first_available;
  if (first_unavailable == nullptr)
    fail("unknown index '{}': `rtindex indexes` lists all", spec.text());
  fail(ErrorKind::unavailable, "{} is not available: {}", first_unavailable->name(),
       *first_unavailable->unavailable());
}

ResolvedSpec completed(const Backend& backend, const Spec& spec) {
  Spec named(spec.device_number() == 0 ? backend.name()
                                       : fmt::format("{}{}", backend.name(), spec.device_number()));
  for (const auto& [name, value] : spec.options()) named = named.with(name, value);
  return {&backend, backend.complete(named)};
}

}  // namespace

ResolvedSpec resolve(const Spec& spec, KeysIn keys) {
  return completed(find_backend(spec, keys), spec);
}

PointsSpec resolve_for_points(const Spec& spec, KeysIn keys, const ColumnView& column) {
  const Backend& rx = find_backend(spec, keys);
  PointsSpec result{completed(rx, spec)};
  if (spec.kind() != "auto" || !spec.tracer().empty()) return result;
  for (const Backend* hash : backends()) {
    if (hash->kind() != "hash" || hash->on_gpu() != rx.on_gpu() || hash->unavailable() ||
        !hash->takes_options_of(spec))
      continue;
    PointsChoice choice = points_choice(rx, spec.device_number(), column);
    if (choice.hash) result.resolved = completed(*hash, spec);
    result.hash = choice.hash;
    result.reason = std::move(choice.reason);
  }
  return result;
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
