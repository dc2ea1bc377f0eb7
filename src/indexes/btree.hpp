#pragma once

#include <memory>

#include "execution/ordered_options.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// The classic B+-tree, bulk-loaded.
[[nodiscard]] std::unique_ptr<Structure> make_btree(const EncodedColumn& column,
                                                    const KeyCodec& codec,
                                                    const OrderedOptions& options);
// The same as it was saved, of a column of so many rows.
[[nodiscard]] std::unique_ptr<Structure> load_btree(const FileReader& file, const KeyCodec& codec,
                                                    std::size_t rows,
                                                    const OrderedOptions& options);

}  // namespace rtindex
