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

// Views an array in place. Structs become composites. Throws `Error` if the array was released, if
// it does not have the buffers and children of its type, or if offsets of strings decrease or lie
// outside of their buffer. The sizes of buffers are trusted, because Arrow does not pass them. In
// device memory only arrays that need no allocation are supported.
[[nodiscard]] Imported import_array(const ArrowArray& array, const ArrowType& type,
                                    MemorySpace space = MemorySpace::host);

// A column of the type without rows.
[[nodiscard]] ColumnView empty_column(const ArrowType& type);

// The view of an array of `type` with the units of its times and the scales of its decimals.
[[nodiscard]] ColumnView with_units(const ColumnView& view, const ArrowType& type);

}  // namespace rtindex::arrow
