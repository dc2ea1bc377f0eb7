#pragma once

#include <cstddef>
#include <string>

#include <rtindex/column.hpp>

#include "execution/backend.hpp"
#include "indexes/auto_choice.hpp"

namespace rtindex {

// The kind of column that is measured.
struct PointsSample {
  enum class Keys : std::uint8_t { narrow, wide, strings };

  Keys keys = Keys::wide;
  std::size_t size = 0;

  // "2^21 64-bit keys"
  [[nodiscard]] std::string text() const;
};

// Whether the index for a column of which only points will be asked is a hash table. `rx` is the
// backend that the open spec means otherwise; both are measured on its device.
[[nodiscard]] PointsChoice points_choice(const Backend& rx, int device, const ColumnView& column);

}  // namespace rtindex
