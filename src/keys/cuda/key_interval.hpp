#pragma once

namespace rtindex::cuda {

// Both ends of an encoded lookup in the width of the column's keys; empty where lower > upper.
template <class Key>
struct KeyInterval {
  Key lower, upper;
};

}  // namespace rtindex::cuda
