#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/arrow.h>
#include <rtindex/column.hpp>

namespace rtindex::arrow {

// The layout of an Arrow array's buffers.
enum class Layout : std::uint8_t {
  elements,   // back to back
  bits,       // bools, eight to a byte
  offsets32,  // strings between offsets
  offsets64,
  views,    // strings as 16-byte views, short ones inline
  fixed,    // strings of one width
  fields,   // children side by side
  indices,  // integers, positions in a dictionary of values
};

// An Arrow type that a column can have.
struct ArrowType {
  Type type = Type::u64;
  Layout layout = Layout::elements;
  TimeUnit unit = TimeUnit::unspecified;  // of timestamps, times of day and durations
  int scale = 0;                          // of decimals
  std::size_t width = 0;                  // of fixed strings
  std::vector<ArrowType> fields = {};
  // Of a dictionary column, whose type, unit and scale are those of the values.
  Type index_type = Type::u64;
  Layout value_layout = Layout::elements;

  // Throws `Error` for released and malformed schemas, and for unsupported types; the message names
  // the types to cast to.
  [[nodiscard]] static ArrowType from(const ArrowSchema& schema);
};

// The Arrow format of a column of one width; times without a unit of Arrow are integers.
[[nodiscard]] std::string format_of(Type type, TimeUnit unit, int scale);

}  // namespace rtindex::arrow
