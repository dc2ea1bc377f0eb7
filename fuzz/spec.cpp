// Texts of specs. What is accepted is printed and read again without a change.

#include <rtindex/error.hpp>
#include <rtindex/spec.hpp>

#include "base/spec_options.hpp"
#include "fuzz/support/input.hpp"

using namespace rtindex;

namespace {

void complete(const Spec& spec, std::string_view backend) {
  try {
    require_options(spec, backend);
    const Spec full = with_defaults(spec, backend);
    require_options(full, backend);
    fuzz::require(Spec(full.text()).text() == full.text(), "a completed spec changes when read");
  } catch (const Error&) {
    // not an option of this backend
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Spec spec(text);
    fuzz::require(Spec(spec.text()).text() == spec.text(), "a spec changes when read again");
    for (const char* backend : {"rx:native@cpu", "rx:embree@cpu", "rx:optix@cuda", "sorted@cpu",
                                "btree@cuda", "hash@cpu", "hash@cuda", "rx:native@cuda"})
      complete(spec, backend);
  } catch (const Error& error) {
    fuzz::require(*error.what() != '\0', "an error without a text");
  }
  return 0;
}
