#pragma once

#include <string>

#include <rtindex/index.hpp>

namespace rtindex {

// The unit of a timestamp column's ticks ("us"), which the library itself never asks for: a program
// that knows it keeps it with the index, in its file too. Empty where nobody said.
[[nodiscard]] std::string tick_unit(const Index& index);
void set_tick_unit(Index& index, std::string unit);

}  // namespace rtindex
