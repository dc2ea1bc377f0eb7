#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stored.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// An encoded column in a file, for structures that cannot be saved and are built again from it.
void save_column(FileWriter& file, EncodedColumn column);
// The column, copied and checked: every key up to `span`, rows ascending.
[[nodiscard]] EncodedColumn load_column(const FileReader& file, std::size_t rows,
                                        std::uint64_t span);

}  // namespace rtindex
