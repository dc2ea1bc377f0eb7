#include <cstddef>

// A driver from before ABI 87, as far as a loader can tell.
extern "C" __attribute__((visibility("default"))) int optixQueryFunctionTable(int abi, unsigned,
                                                                              const int*,
                                                                              const void**, void*,
                                                                              std::size_t) {
  constexpr int newest_abi = 68;
  constexpr int unsupported_abi_version = 7801;
  return abi > newest_abi ? unsupported_abi_version : 0;
}
