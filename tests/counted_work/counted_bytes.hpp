#pragma once

#include <cstdint>

namespace rtindex::test {

// Bytes that memcmp has compared in this process, up to the first difference of each call. This
// program has a memcmp of its own, which strings are compared with as well.
[[nodiscard]] std::uint64_t compared_bytes();

}  // namespace rtindex::test
