#pragma once

#include <memory>
#include <vector>

#include <rtindex/arrow.h>
#include <rtindex/column.hpp>

#include "arrow/type.hpp"

namespace rtindex::arrow {

// A column in the memory of an Arrow array, which must outlive it, and the owners of what had to be
// allocated: bools are copied from bits to bytes, strings without offsets get an array of views.
struct Imported {
  ColumnView view;
  std::vector<std::shared_ptr<const void>> owners = {};
};

// Views an array in place. Structs become composites. Throws `Error` where the array has been
// released or does not have the buffers and children of its type, or where strings have offsets
// that decrease or lie outside of their buffer. That buffers have as many bytes as the length
// demands is trusted: Arrow does not say how long they are. In device memory only arrays are viewed
// that need no allocation.
[[nodiscard]] Imported import_array(const ArrowArray& array, const ArrowType& type,
                                    MemorySpace space = MemorySpace::host);

// A column of the type without rows.
[[nodiscard]] ColumnView empty_column(const ArrowType& type);

// The view of an array of `type` with the units of its timestamps.
[[nodiscard]] ColumnView with_time_units(const ColumnView& view, const ArrowType& type);

}  // namespace rtindex::arrow
