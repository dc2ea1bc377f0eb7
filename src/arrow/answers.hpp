#pragma once

#include <cstddef>

#include <rtindex/answer.hpp>
#include <rtindex/index.hpp>

#include "arrow/export.hpp"

namespace rtindex::arrow {

// The answers of a batch, in any memory space; sum, min and max are of one class.
struct AnswerBuffers {
  AnswerSet answers;
  std::size_t lookups = 0;
  const void *any = nullptr, *first = nullptr, *count = nullptr;
  const void *sum = nullptr, *min = nullptr, *max = nullptr;
  ValueClass values = ValueClass::u64;
  const void* matched = nullptr;
  const void* validity = nullptr;  // of sum, mean, min and max
  const void *last = nullptr, *mean = nullptr;
  const void *offsets = nullptr, *rows = nullptr;
  std::size_t row_count = 0;
};

// A struct with a child for each answer but `key`.
[[nodiscard]] Node answers_node(const AnswerBuffers& buffers);

// Keys of the column of an index, with its time units.
[[nodiscard]] ColumnView with_units_of(const Index& index, const ColumnView& keys);

}  // namespace rtindex::arrow
