#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>

#include "keys/codec.hpp"

namespace rtindex {

// A validated batch of lookups against one column. Structures take it apart in blocks.
class LookupBatch {
 public:
  LookupBatch(const KeyCodec& codec, const ColumnView& lower, const ColumnView& upper,
              LookupKind kind)
      : LookupBatch(codec, lower, upper, kind, 0, lower.size()) {}
  // Lookups [offset, offset + size) of the columns.
  LookupBatch(const KeyCodec& codec, const ColumnView& lower, const ColumnView& upper,
              LookupKind kind, std::size_t offset, std::size_t size)
      : codec_(&codec), lower_(&lower), upper_(&upper), kind_(kind), offset_(offset), size_(size) {}

  [[nodiscard]] const KeyCodec& codec() const { return *codec_; }
  [[nodiscard]] const ColumnView& lower() const { return *lower_; }
  [[nodiscard]] const ColumnView& upper() const { return *upper_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] LookupKind kind() const { return kind_; }
  [[nodiscard]] bool has_residual() const { return codec_->has_residual(); }

  // `checks` is written only where has_residual().
  void encode(std::size_t first, std::size_t count, Interval* intervals,
              std::uint8_t* checks) const {
    codec_->encode_lookups(*lower_, *upper_, offset_ + first, count, intervals,
                           has_residual() ? checks : nullptr);
  }

  // How the full key of a row, whose encoded key is that of the lookup's end, compares with it.
  [[nodiscard]] int compare_with_lower(std::size_t i, std::uint32_t row) const {
    return codec_->compare_residual(row, *lower_, offset_ + i);
  }
  [[nodiscard]] int compare_with_upper(std::size_t i, std::uint32_t row) const {
    return codec_->compare_residual(row, *upper_, offset_ + i);
  }

  // The residual predicate: the hit's full key against lookup i.
  [[nodiscard]] bool accepts(std::size_t i, Interval interval, std::uint8_t checks,
                             std::uint32_t row, std::uint64_t key) const {
    return codec_->accepts(*lower_, *upper_, offset_ + i, interval, checks, row, key);
  }

 private:
  const KeyCodec* codec_;
  const ColumnView* lower_;
  const ColumnView* upper_;
  LookupKind kind_;
  std::size_t offset_;
  std::size_t size_;
};

}  // namespace rtindex
