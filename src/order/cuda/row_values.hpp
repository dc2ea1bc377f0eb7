#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/ordered_values.hpp"
#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "order/cuda/device_order.hpp"
#include "order/cuda/merge_orders.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

// Included values of rows without a key, which have no position in key order: rows in any order,
// and values as elements of their type.
struct KeylessValues {
  DeviceArray<std::uint32_t> rows;
  DeviceArray<std::uint8_t> values;
  std::size_t size = 0;

  [[nodiscard]] std::size_t bytes() const { return rows.bytes() + values.bytes(); }
};

// The values of the `nulls` null elements of a column; `values` has one for each element.
[[nodiscard]] KeylessValues keyless_of(const DeviceElements& column, std::size_t nulls, RowIds ids,
                                       const void* values, Type type, const Queue& queue);

// The values of two segments without their deleted rows. Blocks to count them, unless there are
// none.
[[nodiscard]] KeylessValues merge_keyless(const KeylessValues& first, RowBits first_deleted,
                                          const KeylessValues& second, RowBits second_deleted,
                                          Type type, const Queue& queue);

// The values of merged keys in key order, with their sums and block results. Both have one type;
// `second` may be null.
[[nodiscard]] OrderedValues merge_values(const OrderedValues& first, const OrderedValues* second,
                                         const MergeSources& sources, OrderedWants wants,
                                         const Queue& queue);

// The bits of a validity bitmap as bytes, 1 or 0.
[[nodiscard]] DeviceArray<std::uint8_t> validity_bytes(const std::uint8_t* validity,
                                                       std::size_t offset, std::size_t size,
                                                       const Queue& queue);

// Values and their rows, ascending.
struct ValuesByRow {
  DeviceArray<std::uint32_t> rows;
  DeviceArray<std::uint8_t> values;
};
[[nodiscard]] ValuesByRow values_by_row(const OrderedValues& values, const DeviceOrder& order,
                                        const KeylessValues& keyless, const Queue& queue);

// Finds the elements of the rows of a change.
class NamedElements {
 public:
  // `rows` are rows of an index with `row_count` rows, in device memory.
  NamedElements(const std::uint32_t* rows, std::size_t count, std::size_t row_count,
                const Queue& queue);

  // bits[e] = base + the key of element e's row, if the order has it and it is not deleted, and bit
  // e of `valid` is set.
  void find_keys(const DeviceOrder& order, std::uint64_t base, RowBits deleted, std::uint64_t* bits,
                 std::uint32_t* valid, cudaStream_t stream) const;
  // values[e] = the value of element e's row, if it is not deleted.
  void find_values(const DeviceOrder& order, const OrderedValues& ordered,
                   const KeylessValues& keyless, RowBits deleted, void* values,
                   cudaStream_t stream) const;

 private:
  DeviceArray<std::uint32_t> named_;     // a bit for each row
  DeviceArray<std::uint32_t> rows_;      // ascending
  DeviceArray<std::uint32_t> elements_;  // one for each row
  std::size_t row_count_;
};

}  // namespace rtindex::cuda
