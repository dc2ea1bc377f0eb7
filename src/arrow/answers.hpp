#pragma once

#include <cstddef>
#include <string>

#include <rtindex/answer.hpp>
#include <rtindex/index.hpp>

#include "arrow/export.hpp"

namespace rtindex::arrow {

// One of sum, min and max.
struct AggregateBuffer {
  std::string format = {};
  const void* elements = nullptr;
};

// The answers of a batch, in any memory space.
struct AnswerBuffers {
  AnswerSet answers;
  std::size_t lookups = 0;
  const void *any = nullptr, *first = nullptr, *count = nullptr;
  AggregateBuffer sum = {}, min = {}, max = {};
  const void* matched = nullptr;
  const void* validity = nullptr;  // of sum, mean, min and max
  const void *last = nullptr, *mean = nullptr;
  const void *offsets = nullptr, *rows = nullptr;
  std::size_t row_count = 0;
};

// The format of an aggregate whose elements are those of its ValueClass: the type of the values
// where it has 8 bytes in Arrow as well, else an integer or double.
[[nodiscard]] std::string format_of(Answer aggregate, const ValueType& values);

// A struct with a child for each answer but `key`.
[[nodiscard]] Node answers_node(const AnswerBuffers& buffers);

// Keys of the column of an index, with its time units.
[[nodiscard]] ColumnView with_units_of(const Index& index, const ColumnView& keys);

}  // namespace rtindex::arrow
