#pragma once

#include <memory>

#include "execution/ordered_options.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// The classic sorted array with binary search.
[[nodiscard]] std::unique_ptr<Structure> make_sorted(const EncodedColumn& column,
                                                     const KeyCodec& codec,
                                                     const OrderedOptions& options);
// The same as it was saved, of a column of so many rows.
[[nodiscard]] std::unique_ptr<Structure> load_sorted(const FileReader& file, const KeyCodec& codec,
                                                     std::size_t rows,
                                                     const OrderedOptions& options);

}  // namespace rtindex
