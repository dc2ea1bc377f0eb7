#pragma once

#include <memory>

#include "execution/ordered_options.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// RX's ray tracer for a scene that is a line: no primitives in memory, exact 64-bit keys.
[[nodiscard]] std::unique_ptr<Structure> make_native_tracer(const EncodedColumn& column,
                                                            const KeyCodec& codec,
                                                            const OrderedOptions& options);
// The same as it was saved, of a column of so many rows.
[[nodiscard]] std::unique_ptr<Structure> load_native_tracer(const FileReader& file,
                                                            const KeyCodec& codec, std::size_t rows,
                                                            const OrderedOptions& options);

}  // namespace rtindex
