#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/array.hpp"
#include "base/stored.hpp"

namespace rtindex {

// Where the cells of a grid start, for keys that lie evenly: cell c would start at twice c if they
// lay perfectly so, and two bytes tell how far it is from there. Half the bytes of a position make
// room for twice as many cells.
class EvenStarts {
 public:
  static constexpr std::uint64_t keys_per_cell = 2;

  EvenStarts() = default;
  EvenStarts(const FileReader& file, std::uint64_t cells);
  void save(FileWriter file) const;

  // None where a cell starts too far from its place.
  [[nodiscard]] static std::optional<EvenStarts> from(std::span<const std::uint32_t> starts);
  // Whether a cell may start at this position.
  [[nodiscard]] static bool holds(std::uint64_t cell, std::uint64_t start);

  [[nodiscard]] bool empty() const { return offsets_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return offsets_.bytes(); }
  [[nodiscard]] const void* address(std::uint64_t cell) const { return offsets_.data() + cell; }
  // Any number, where it comes from a damaged file.
  [[nodiscard]] std::uint32_t operator[](std::uint64_t cell) const {
    return static_cast<std::uint32_t>(cell * keys_per_cell) +
           static_cast<std::uint32_t>(offsets_.data()[cell]);
  }

 private:
  Array<std::int16_t> offsets_;
};

}  // namespace rtindex
