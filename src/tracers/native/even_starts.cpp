#include "tracers/native/even_starts.hpp"

#include <atomic>
#include <limits>

#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t grain = std::size_t{1} << 16;

std::int64_t offset_of(std::uint64_t cell, std::uint64_t start) {
  return static_cast<std::int64_t>(start - cell * EvenStarts::keys_per_cell);
}

}  // namespace

EvenStarts::EvenStarts(const FileReader& file, std::uint64_t cells)
    : offsets_(file.array<std::int16_t>("offsets", cells)) {}

void EvenStarts::save(FileWriter file) const { file.array("offsets", offsets_.span()); }

bool EvenStarts::holds(std::uint64_t cell, std::uint64_t start) {
  const std::int64_t offset = offset_of(cell, start);
  return std::numeric_limits<std::int16_t>::min() <= offset &&
         offset <= std::numeric_limits<std::int16_t>::max();
}

std::optional<EvenStarts> EvenStarts::from(std::span<const std::uint32_t> starts) {
  EvenStarts even;
  even.offsets_ = Array<std::int16_t>(starts.size());
  std::atomic<bool> all_held = true;
  parallel_for(starts.size(), grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t cell = first; cell < first + count; ++cell) {
      if (!holds(cell, starts[cell])) all_held = false;
      even.offsets_.data()[cell] = static_cast<std::int16_t>(offset_of(cell, starts[cell]));
    }
  });
  if (!all_held) return std::nullopt;
  return even;
}

}  // namespace rtindex
