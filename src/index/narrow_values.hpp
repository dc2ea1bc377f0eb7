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

// The type in which values of 128 bits are aggregated; of all others their own.
[[nodiscard]] constexpr Type narrow_type(Type type) {
  switch (type) {
    case Type::decimal128: return Type::decimal64;
    case Type::i128: return Type::i64;
    case Type::u128: return Type::u64;
    default: return type;
  }
}

// Decimals or integers of 128 bits as 64 bits each. Nulls become 0.
[[nodiscard]] inline std::vector<std::uint64_t> narrowed(const ColumnView& values) {
  const bool is_signed = values.type() != Type::u128;
  std::vector<std::uint64_t> narrow(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!values.valid(row)) continue;
    const Bits128 value =
        load_bits128(static_cast<const std::byte*>(values.data()) + row * sizeof(Bits128));
    narrow[row] = value.low;
    const bool is_negative = is_signed && static_cast<std::int64_t>(value.low) < 0;
    if (value.high != (is_negative ? ~std::uint64_t{0} : 0))
      fail("value {} of row {} does not fit 64 bits: cast the values to float64{}",
           values.text(row), row, is_decimal(values.type()) ? ", or to fewer digits" : "");
  }
  return narrow;
}

// Values that can be aggregated: those of 128 bits are narrowed, all others are viewed.
class NarrowValues {
 public:
  explicit NarrowValues(const ColumnView& values) : view_(values) {
    const Type type = narrow_type(values.type());
    if (type == values.type() || values.memory_space() == MemorySpace::device) return;
    own_ = narrowed(values);
    view_ = ColumnView::of(type, own_.data(), own_.size())
                .with_validity(values.validity(), values.validity_offset());
    if (is_decimal(type)) view_ = view_.with_scale(values.scale());
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  std::vector<std::uint64_t> own_;
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
