#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "workload/place.hpp"

namespace rtindex::bench {

// An index gave a wrong answer: a bug, never a result.
class WrongAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Compares all sums with those expected, both in the memory of `place`. Throws WrongAnswer, naming
// the first lookup whose sum is not the expected one. `whose`: the index.
void check_sums(Place& place, std::span<const std::uint64_t> sums,
                std::span<const std::uint64_t> expected, const std::string& whose);

}  // namespace rtindex::bench
