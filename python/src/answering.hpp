#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include <rtindex/index.hpp>

#include "column.hpp"

namespace rtindex::python {

// What one call from Python asks for, and the arrays that it brought for the answers.
struct Call {
  const Column& lower;
  const Column* upper;    // null: point lookups
  const Column* values;   // null: none, or the included ones
  nanobind::object miss;  // None: the reserved values
  // By the answer's name, "matched" too: writable arrays. "counters": four uint64 to add to.
  nanobind::dict outputs;
  std::optional<std::uint32_t> row_limit;  // set: the row lists are wanted, at most so many each
};

// What misses give: `miss` in the class of the values, or the reserved values where it is None.
[[nodiscard]] MissValues miss_values(const Index& index, const Column* values,
                                     nanobind::handle miss);

// Answers it with the interpreter's lock released. Gives (offsets, rows) where the row lists are
// wanted, else None.
[[nodiscard]] nanobind::object answer(const Index& index, const Call& call);

}  // namespace rtindex::python
