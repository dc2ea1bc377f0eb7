#include "harness/check.hpp"

#include <fmt/format.h>

namespace rtindex::bench {

void check_sums(Place& place, std::span<const std::uint64_t> sums,
                std::span<const std::uint64_t> expected, const std::string& whose) {
  if (sums.size() != expected.size())
    throw WrongAnswer(
        fmt::format("{} gave {} sums for {} lookups", whose, sums.size(), expected.size()));
  const std::size_t wrong = place.first_difference(sums.data(), expected.data(), sums.size());
  if (wrong == sums.size()) return;
  std::uint64_t given = 0;
  std::uint64_t right = 0;
  place.fetch(&given, &sums[wrong], sizeof(given));
  place.fetch(&right, &expected[wrong], sizeof(right));
  throw WrongAnswer(fmt::format("{} answered lookup {} of {} with the sum {}; {} is right", whose,
                                wrong, sums.size(), given, right));
}

}  // namespace rtindex::bench
