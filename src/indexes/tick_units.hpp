#pragma once

#include <string>

#include <rtindex/index.hpp>

namespace rtindex {

// What the library itself never asks for: a program that knows it keeps it with the index, in its
// file too. Empty where nobody said.
struct TickUnits {
  std::string keys;      // the unit of a timestamp column's ticks ("us")
  std::string included;  // the same of included values, in the program's own words
};

[[nodiscard]] TickUnits tick_units(const Index& index);
void set_tick_units(Index& index, TickUnits units);

}  // namespace rtindex
