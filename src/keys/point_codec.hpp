#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/query.hpp>

#include "base/checked_cast.hpp"
#include "keys/codec.hpp"

namespace rtindex {

// Columns of points: each column is encoded by a codec of its own, whose keys are never compared in
// full. A null is one more key, above all others of its column.
class PointCodec final : public KeyCodec {
 public:
  struct PointColumn {
    std::unique_ptr<KeyCodec> values;
    bool has_nulls = false;
    bool is_ranked = false;  // `values` is a RankCodec

    // The key of a null.
    [[nodiscard]] std::uint64_t null() const { return values->empty() ? 0 : values->span() + 1; }
  };

  explicit PointCodec(const ColumnView& column);
  // Of columns whose values are native.
  explicit PointCodec(std::vector<PointColumn> columns);
  PointCodec(const FileReader& file, std::size_t rows);

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  // The largest encoded key of a column, that of a null included.
  [[nodiscard]] std::uint64_t largest(std::size_t column) const;
  [[nodiscard]] std::vector<std::uint64_t> largest_keys() const;
  // Of the values of a column, which those of conditions are compared with.
  [[nodiscard]] const KeyCodec& values(std::size_t column) const {
    return *columns_[column].values;
  }
  [[nodiscard]] const PointColumn& column(std::size_t number) const { return columns_[number]; }
  // The encoding of a column that is native.
  [[nodiscard]] std::optional<NativeMap> native_map(std::size_t column) const {
    return columns_[column].is_ranked ? std::nullopt : columns_[column].values->native_map();
  }
  // Whether a column can be encoded without ranks: one key must be left for nulls.
  [[nodiscard]] static bool leaves_null_key(const KeyCodec& values, bool has_nulls);
  [[nodiscard]] std::string describe_points(std::span<const KeyForm> forms) const;

  // The condition on a column of queries [first, first + count) as intervals of its encoded keys.
  void encode_condition(std::size_t column, const Condition& condition, std::size_t first,
                        std::size_t count, Interval* intervals) const;

  // The values of `isin` on a column as intervals of its encoded keys: ascending and disjoint.
  [[nodiscard]] std::vector<Interval> encode_values(std::size_t column,
                                                    const ColumnView& values) const;

  [[nodiscard]] EncodedColumn encode(const ColumnView& column,
                                     std::size_t row_count) const override;
  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override;
  // Points have no single key: these throw.
  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override;
  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override;

 private:
  void save_own(FileWriter& file) const override;
  [[nodiscard]] PackedKeys encode_column(const ColumnView& values, std::size_t column) const;
  [[nodiscard]] OwnedColumn decode_column(const PackedKeys& keys, std::size_t column) const;

  std::vector<PointColumn> columns_;
};

// The codec of a column of points; null of any other column.
[[nodiscard]] inline const PointCodec* point_codec(const KeyCodec& codec) {
  return codec.are_points() ? &checked_cast<const PointCodec&>(codec) : nullptr;
}

}  // namespace rtindex
