#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <rtindex/column.hpp>

#include "order/cuda/row_values.hpp"

namespace rtindex::cuda {

// A value for each element of a column on the GPU, of which an included column is made.
struct ElementValues {
  Type type = Type::u64;
  const void* values = nullptr;
  const std::uint8_t* valid = nullptr;  // a byte each, 0 for a null value; null: no value is null
};

// An included column on the GPU, in key order, and the values of rows without a key. That a value
// is not null is a value too, 1 or 0, of a column that is kept beside it: all that moves values
// moves both.
struct DeviceIncluded {
  std::unique_ptr<OrderedValues> values;
  KeylessValues keyless;
  std::unique_ptr<OrderedValues> valid;  // null: no value is null
  KeylessValues keyless_valid;

  [[nodiscard]] Type type() const { return values->type(); }
  [[nodiscard]] std::size_t bytes() const;
};

// The type of DeviceIncluded::valid.
inline constexpr Type valid_type = Type::u8;

// The values of elements rows[0], rows[1], ... `keyless` are those of rows without a key.
[[nodiscard]] DeviceIncluded included_in_order(const ElementValues& from, RowsView rows,
                                               std::size_t size, KeylessValues keyless,
                                               KeylessValues keyless_valid, const Queue& queue);

// An included column of a segment that is merged.
struct IncludedPart {
  const DeviceIncluded* column = nullptr;  // null: there is no such segment
  RowBits deleted;
};
[[nodiscard]] DeviceIncluded merge_included(const IncludedPart& first, const IncludedPart& second,
                                            const MergeSources& sources, const Queue& queue);

}  // namespace rtindex::cuda
