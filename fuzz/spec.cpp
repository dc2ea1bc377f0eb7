// Texts of specs. What is accepted is printed and read again without a change.

#include <rtindex/error.hpp>
#include <rtindex/spec.hpp>

#include "fuzz/support/input.hpp"
#include "kinds/registry.hpp"

namespace rtindex {

namespace {

void complete(const Spec& spec, const Kind& kind) {
  try {
    const Spec full = with_defaults(spec, kind.name(), kind.options);
    require_options(full, kind.name(), kind.options);
    fuzz::require(Spec(full.text()).text() == full.text(), "a completed spec changes when read");
  } catch (const Error&) {
    // not an option of this kind
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Spec spec(text);
    fuzz::require(Spec(spec.text()).text() == spec.text(), "a spec changes when read again");
    for (const Kind& kind : kinds()) complete(spec, kind);
  } catch (const Error& error) {
    fuzz::require(*error.what() != '\0', "an error without a text");
  }
  return 0;
}

}  // namespace rtindex
