#pragma once

#include <rtindex/column.hpp>

#include "execution/order_choice.hpp"

namespace rtindex {

// What every structure over sorted pairs lets the user choose.
struct OrderedOptions {
  Order order = Order::automatic;
  const ColumnView* include = nullptr;  // values to keep in key order, one per row
};

}  // namespace rtindex
