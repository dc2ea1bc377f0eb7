#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "arrow_abi.hpp"

namespace rtindex::python {

// The layout of an Arrow array's buffers.
enum class ArrowLayout : std::uint8_t {
  elements,   // back to back
  bits,       // bools, eight to a byte
  offsets32,  // strings between offsets
  offsets64,
  views,   // strings as 16-byte views, short ones inline
  fixed,   // strings of one width
  fields,  // children side by side
};

// An Arrow type that a column can have.
struct ArrowType {
  Type type = Type::u64;
  ArrowLayout layout = ArrowLayout::elements;
  std::string unit = {};  // of timestamps, "s" to "ns"
  std::size_t width = 0;  // of fixed strings
  std::vector<ArrowType> fields = {};

  // Throws `Error` for unsupported types; the message names the types to cast to.
  [[nodiscard]] static ArrowType from(const ArrowSchema& schema);
  // The unit of a timestamp, or the units of the fields, separated by commas; empty without one.
  [[nodiscard]] std::string units() const;
};

}  // namespace rtindex::python
