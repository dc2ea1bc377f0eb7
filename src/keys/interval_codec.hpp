#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/checked_cast.hpp"
#include "keys/codec.hpp"

namespace rtindex {

// Columns of intervals: start and end are encoded by one codec, so that they can be compared with
// each other and with the points of queries. Leading columns (`by`) are a part of both: no two
// intervals with different leading values overlap as encoded keys.
class IntervalCodec final : public KeyCodec {
 public:
  explicit IntervalCodec(const ColumnView& column);
  IntervalCodec(const FileReader& file, std::size_t rows);
  // Over a codec of native points, without leading columns.
  IntervalCodec(std::unique_ptr<KeyCodec> points, Ends ends);

  // Which ends belong to the intervals.
  [[nodiscard]] Ends ends() const { return ends_; }
  // The codec of points, which lookups are compared with: no two points share an encoded key.
  [[nodiscard]] const KeyCodec& points() const { return *points_; }
  // For the segments of starts and of ends, which share it.
  [[nodiscard]] const std::shared_ptr<KeyCodec>& shared_points() const { return points_; }
  [[nodiscard]] std::string describe_intervals() const;
  // A composite column of leading columns, starts and ends as intervals of this column.
  [[nodiscard]] ColumnView as_intervals(const ColumnView& composite) const;

  // Both ends of the intervals that have a point. Throws where one ends before it starts.
  [[nodiscard]] EncodedColumn encode(const ColumnView& column,
                                     std::size_t row_count) const override;
  // The starts.
  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override;
  // Without ends, intervals end where they start.
  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override;
  [[nodiscard]] RowEncoder row_encoder(const ColumnView& column) const override;
  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    return points_->encode_ends(lookups, i);
  }

 private:
  void save_own(FileWriter& file) const override;
  void encode_interval_ends(const ColumnView& column, EncodedColumn& encoded) const;
  void drop_empty(EncodedColumn& encoded) const;

  Ends ends_;
  std::shared_ptr<KeyCodec> points_;
};

// The codec of a column of intervals; null of a column of keys.
[[nodiscard]] inline const IntervalCodec* interval_codec(const KeyCodec& codec) {
  return codec.are_intervals() ? &checked_cast<const IntervalCodec&>(codec) : nullptr;
}

}  // namespace rtindex
