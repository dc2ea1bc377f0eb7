#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>
#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex {

// Decimals of 128 bits as 64 bits each, in which values are aggregated. Nulls become 0.
[[nodiscard]] inline std::vector<std::int64_t> narrowed(const ColumnView& decimals) {
  std::vector<std::int64_t> narrow(decimals.size());
  for (std::size_t row = 0; row < decimals.size(); ++row) {
    if (!decimals.valid(row)) continue;
    const Bits128 value =
        load_bits128(static_cast<const std::byte*>(decimals.data()) + row * sizeof(Bits128));
    narrow[row] = static_cast<std::int64_t>(value.low);
    if (value.high != (narrow[row] < 0 ? ~std::uint64_t{0} : 0))
      fail(
          "value {} of row {} does not fit 64 bits: cast the values to float64, or to fewer digits",
          decimals.text(row), row);
  }
  return narrow;
}

// Values that can be aggregated: decimals of 128 bits are narrowed, all others are viewed.
class NarrowValues {
 public:
  explicit NarrowValues(const ColumnView& values) : view_(values) {
    if (values.type() != Type::decimal128 || values.memory_space() == MemorySpace::device) return;
    own_ = narrowed(values);
    view_ = ColumnView::decimals(Type::decimal64, own_.data(), own_.size(), values.scale())
                .with_validity(values.validity(), values.validity_offset());
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  std::vector<std::int64_t> own_;
  ColumnView view_;
};

// Included columns whose values can be aggregated.
class NarrowColumns {
 public:
  explicit NarrowColumns(const IncludedColumns& given) {
    const std::span<const IncludedColumn> all = given.columns();
    std::vector<IncludedColumn> columns(all.begin(), all.end());
    for (IncludedColumn& one : columns) one.values = narrow_.emplace_back(one.values).view();
    columns_ = std::move(columns);
  }
  NarrowColumns(const NarrowColumns&) = delete;
  NarrowColumns& operator=(const NarrowColumns&) = delete;
  [[nodiscard]] const IncludedColumns& columns() const { return columns_; }

 private:
  std::deque<NarrowValues> narrow_;
  IncludedColumns columns_;
};

}  // namespace rtindex
