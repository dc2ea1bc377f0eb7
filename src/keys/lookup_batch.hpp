#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>
#include <rtindex/query.hpp>

#include "keys/codec.hpp"

namespace rtindex {

// How many lookups two ends make; one where both are unset.
[[nodiscard]] inline std::size_t lookups_in(const ColumnView& lower, const ColumnView& upper) {
  if (lower.has_value()) return lower.size();
  return upper.has_value() ? upper.size() : 1;
}

// A validated batch of lookups against one column. Structures encode it in blocks.
class LookupBatch {
 public:
  LookupBatch(const KeyCodec& codec, const ColumnView& lower, const ColumnView& upper,
              QueryKind kind, RangeEnds ends = {})
      : LookupBatch(codec, lower, upper, kind, ends, 0, lookups_in(lower, upper)) {}
  // Lookups [offset, offset + size) of the columns.
  LookupBatch(const KeyCodec& codec, const ColumnView& lower, const ColumnView& upper,
              QueryKind kind, RangeEnds ends, std::size_t offset, std::size_t size,
              std::span<const Condition> conditions = {})
      : codec_(&codec),
        lower_(&lower),
        upper_(&upper),
        kind_(kind),
        ends_(ends),
        offset_(offset),
        size_(size),
        conditions_(conditions) {}

  [[nodiscard]] const KeyCodec& codec() const { return *codec_; }
  [[nodiscard]] const ColumnView& lower() const { return *lower_; }
  [[nodiscard]] const ColumnView& upper() const { return *upper_; }
  // The element of lookup 0 in the columns.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] QueryKind kind() const { return kind_; }
  [[nodiscard]] RangeEnds ends() const { return ends_; }
  // Of boxes; `lower` and `upper` are then unset.
  [[nodiscard]] std::span<const Condition> conditions() const { return conditions_; }
  // Boxes are in device memory unless an array of them is not: kernels get single values as they
  // are.
  [[nodiscard]] MemorySpace memory_space() const {
    if (kind_ != QueryKind::box) return (lower_->has_value() ? lower_ : upper_)->memory_space();
    for (const Condition& condition : conditions_) {
      if (condition.kind == ConditionKind::isin) return MemorySpace::host;
      for (const ColumnView* const end : {&condition.lower, &condition.upper})
        if (end->has_value() && end->size() != 1 && end->memory_space() == MemorySpace::host)
          return MemorySpace::host;
    }
    return MemorySpace::device;
  }
  [[nodiscard]] bool has_residual() const { return codec_->has_residual(); }

  // `checks` is written only where has_residual().
  void encode(std::size_t first, std::size_t count, Interval* intervals,
              std::uint8_t* checks) const {
    codec_->encode_lookups(*lower_, *upper_, ends_, offset_ + first, count, intervals,
                           has_residual() ? checks : nullptr);
  }

  // How the full key of a row compares with point i, whose encoded key it has.
  [[nodiscard]] int compare_with_point(std::size_t i, std::uint32_t row) const {
    return codec_->comparer()->compare_residual(row, *lower_, offset_ + i);
  }
  // Whether the full key of a row, whose encoded key is that of the lookup's end, lies outside.
  [[nodiscard]] bool is_before(std::size_t i, std::uint32_t row) const {
    return codec_->comparer()->compare_residual(row, *lower_, offset_ + i) <
           (ends_.lower_open ? 1 : 0);
  }
  [[nodiscard]] bool is_behind(std::size_t i, std::uint32_t row) const {
    return codec_->comparer()->compare_residual(row, *upper_, offset_ + i) >=
           (ends_.upper_open ? 0 : 1);
  }

  // Whether the full key of a hit, whose encoded key lies in the interval, lies in lookup i.
  [[nodiscard]] bool accepts(std::size_t i, Interval interval, std::uint8_t checks,
                             std::uint32_t row, std::uint64_t key) const {
    if ((checks & check_lower) != 0 && key == interval.lower && is_before(i, row)) return false;
    return (checks & check_upper) == 0 || key != interval.upper || !is_behind(i, row);
  }

 private:
  const KeyCodec* codec_;
  const ColumnView* lower_;
  const ColumnView* upper_;
  QueryKind kind_;
  RangeEnds ends_;
  std::size_t offset_;
  std::size_t size_;
  std::span<const Condition> conditions_;
};

}  // namespace rtindex
