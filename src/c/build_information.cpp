#include <string>

#include <rtindex/rtindex.h>
#include <rtindex/version.hpp>

#include "c/guard.hpp"
#include "c/handle.hpp"

// What the library was built with: src/CMakeLists.txt names the versions of what it found.

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

namespace {

#if defined(RTINDEX_CUDA_VERSION)
constexpr const char* cuda_version = RTINDEX_CUDA_VERSION;
constexpr const char* optix_version = "8.0 (ABI 87)";
#else
constexpr const char* cuda_version = nullptr;
constexpr const char* optix_version = nullptr;
#endif
#if defined(RTINDEX_EMBREE_VERSION)
constexpr const char* embree_version = RTINDEX_EMBREE_VERSION;
#else
constexpr const char* embree_version = nullptr;
#endif

std::string line_of(const char* name, const char* version) {
  return std::string("\n") + name + ": " + (version == nullptr ? "not built in" : version);
}

}  // namespace

rtindex_status rtindex_get_build_information(rtindex_build_information* information) {
  return c::guarded([&] {
    rtindex_build_information facts =
        c::options_of(&c::required(information, "information"), "rtindex_build_information");
    facts.abi_version = RTINDEX_ABI_VERSION;
    facts.checks_handles = c::checks_handles ? 1 : 0;
    facts.version = RTINDEX_VERSION_STRING;
    facts.cuda = cuda_version;
    facts.optix = optix_version;
    facts.embree = embree_version;
    *information = facts;
  });
}

const char* rtindex_build_text(void) {
  static const std::string text = "rtindex " RTINDEX_VERSION_STRING +
                                  line_of("CUDA", cuda_version) + line_of("OptiX", optix_version) +
                                  line_of("Embree", embree_version) +
                                  "\nC ABI: " + std::to_string(RTINDEX_ABI_VERSION);
  return text.c_str();
}
