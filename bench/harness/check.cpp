#include "harness/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.hpp"

namespace rtindex::bench {

void check_sums(std::span<const std::uint64_t> sums, std::span<const std::uint64_t> expected,
                const std::string& whose) {
  if (sums.size() != expected.size())
    throw WrongAnswer(
        fmt::format("{} gave {} sums for {} lookups", whose, sums.size(), expected.size()));
  const auto first_wrong_in = [&](std::size_t first, std::size_t count) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    const auto wrong =
        std::mismatch(begin, end, expected.begin() + static_cast<std::ptrdiff_t>(first)).first;
    return wrong == end ? sums.size() : static_cast<std::size_t>(wrong - sums.begin());
  };
  const std::size_t wrong =
      parallel_reduce(sums.size(), 1 << 15, sums.size(), first_wrong_in,
                      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  if (wrong == sums.size()) return;
  throw WrongAnswer(fmt::format("{} answered lookup {} of {} with the sum {}; {} is right", whose,
                                wrong, sums.size(), sums[wrong], expected[wrong]));
}

}  // namespace rtindex::bench
