#include "tracers/native/native_tracer.hpp"

#include "storage/ordered_structure.hpp"
#include "tracers/native/grid.hpp"

namespace rtindex {

std::unique_ptr<Structure> make_native_tracer(const EncodedColumn& column, const KeyCodec& codec) {
  return make_ordered<Grid>(column, codec);
}

}  // namespace rtindex
