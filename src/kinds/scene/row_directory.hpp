#pragma once

#include <cstddef>
#include <cstdint>

#include "keys/coordinates.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// The rows of a 3d scene that hold keys, in order: a range casts a ray along each of these and none
// along the (possibly millions of) empty rows between them.
class RowDirectory {
 public:
  RowDirectory() = default;
  RowDirectory(const Coordinates& coordinates, const EncodedColumn& column);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::size_t bytes() const { return rows_.bytes(); }
  // The position of the first occupied row that is not before `row`.
  [[nodiscard]] std::size_t find(std::uint64_t row) const;
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const { return rows_[i]; }

 private:
  PackedKeys rows_;
};

}  // namespace rtindex
