#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace rtindex::bench {

// An index gave a wrong answer: a bug, never a result.
class WrongAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws WrongAnswer, naming the first lookup whose sum is not the expected one. `whose`: the
// index.
void check_sums(std::span<const std::uint64_t> sums, std::span<const std::uint64_t> expected,
                const std::string& whose);

}  // namespace rtindex::bench
