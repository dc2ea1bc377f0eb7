#include "tracers/native/native_tracer.hpp"

#include "execution/ordered_structure.hpp"
#include "tracers/native/grid.hpp"

namespace rtindex {

std::unique_ptr<Structure> make_native_tracer(const EncodedColumn& column, const KeyCodec& codec,
                                              const OrderedOptions& options) {
  return make_ordered<Grid>(column, codec, options);
}

std::unique_ptr<Structure> load_native_tracer(const FileReader& file, const KeyCodec& codec,
                                              std::size_t rows, const OrderedOptions& options) {
  return load_ordered<Grid>(file, codec, rows, options);
}

}  // namespace rtindex
