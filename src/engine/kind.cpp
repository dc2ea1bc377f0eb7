#include "engine/kind.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "engine/engine.hpp"

namespace rtindex {

std::string Kind::name() const {
  return kind + (tracer.empty() ? "" : ":" + tracer) + "@" + device;
}

bool Kind::matches(const Spec& spec) const {
  return (spec.kind() == "auto" || spec.kind() == kind) &&
         (spec.tracer().empty() || spec.tracer() == tracer) &&
         (spec.device().empty() || spec.device() == device);
}

bool Kind::has_options_of(const Spec& spec) const {
  return std::all_of(spec.options().begin(), spec.options().end(), [&](const auto& option) {
    return find_option(option.first, options) != nullptr;
  });
}

Spec Kind::complete(const Spec& spec) const {
  return complete_options ? complete_options(spec, *this) : with_defaults(spec, name(), options);
}

Kind absent(Kind kind, const std::string& reason) {
  kind.describe = [] { return std::string(); };
  kind.unavailable = [reason] { return std::optional(reason); };
  kind.bind = [name = kind.name(), reason](const Spec&, const auto&) -> Engine {
    fail(ErrorKind::unavailable, "{} is not available: {}", name, reason);
  };
  return kind;
}

}  // namespace rtindex
