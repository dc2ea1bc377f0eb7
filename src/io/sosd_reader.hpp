#pragma once

#include <string>

#include "io/loaded_column.hpp"

namespace rtindex {

// A file of the SOSD benchmark: a uint64 count, then that many keys. `type`: u32 or u64.
[[nodiscard]] LoadedColumn read_sosd(const std::string& path, Type type,
                                     Access access = Access::sequential);

}  // namespace rtindex
