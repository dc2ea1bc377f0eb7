#pragma once

#include <memory>

#include "execution/ordered_options.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// The classic hash table: point lookups only.
[[nodiscard]] std::unique_ptr<Structure> make_hash(const EncodedColumn& column,
                                                   const KeyCodec& codec, const OrderedOptions&);
// The same as it was saved, of a column of so many rows.
[[nodiscard]] std::unique_ptr<Structure> load_hash(const FileReader& file, const KeyCodec& codec,
                                                   std::size_t rows, const OrderedOptions&);

}  // namespace rtindex
