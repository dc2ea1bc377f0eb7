#include "keys/interval_codec.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "keys/codecs.hpp"
#include "keys/rank_codec.hpp"

namespace rtindex {

namespace {

constexpr std::size_t interval_grain = std::size_t{1} << 14;
constexpr std::size_t interval_block = 512;

enum class Side { start, end };

// The points where intervals start or end, with their leading columns.
ColumnView points_of(const ColumnView& intervals, Side side) {
  const std::span<const ColumnView> parts = intervals.parts();
  const ColumnView& point = parts[parts.size() - (side == Side::start ? 2 : 1)];
  if (parts.size() == 2) return point;
  std::vector<ColumnView> all(parts.begin(), parts.end() - 2);
  all.push_back(point);
  return ColumnView::composite(std::move(all));
}

// A NaN has no place in an interval.
void require_no_nan(const ColumnView& intervals, Side side) {
  const std::span<const ColumnView> parts = intervals.parts();
  const ColumnView& points = parts[parts.size() - (side == Side::start ? 2 : 1)];
  if (!is_native(points.type())) return;
  visit_native(points.type(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<value_t<T>>)
      for (std::size_t i = 0; i < points.size(); ++i)
        if (std::isnan(value_of(static_cast<const T*>(points.data())[i])) && intervals.valid(i))
          fail("the {} of the interval in row {} is NaN: leave the row out, or make it null",
               side == Side::start ? "start" : "end", i);
  });
}

// All points of the intervals, starts before ends; null where the interval is.
OwnedColumn both_points(const ColumnView& intervals) {
  const ColumnView starts = points_of(intervals, Side::start);
  const ColumnView ends = points_of(intervals, Side::end);
  const std::size_t size = intervals.size();
  OwnedColumn all;
  if (starts.type() == Type::composite) {
    std::vector<OwnedColumn> parts;
    for (const ColumnView& part : starts.parts()) parts.emplace_back(part.type(), 2 * size);
    all = OwnedColumn::composite(std::move(parts));
  } else {
    all = OwnedColumn(starts.type(), 2 * size);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!intervals.valid(i)) continue;
    all.set(i, starts, i);
    all.set(size + i, ends, i);
  }
  return all;
}

std::unique_ptr<KeyCodec> codec_of_points(const ColumnView& intervals) {
  const ColumnView starts = points_of(intervals, Side::start);
  if (is_native(starts.type())) {
    KeyExtent both;
    for (const ColumnView& points : {starts, points_of(intervals, Side::end)}) {
      const std::unique_ptr<KeyCodec> one = make_native_codec(points);
      if (one->empty()) continue;
      both.add(*one->native_base());
      both.add(*one->native_base() + one->span());
    }
    return make_native_codec(starts.type(), both);
  }
  const OwnedColumn points = both_points(intervals);
  std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(points.view());
  if (!codec->has_residual()) return codec;
  return std::make_unique<RankCodec>(points.view());
}

}  // namespace

IntervalCodec::IntervalCodec(const ColumnView& column)
    : KeyCodec(Type::composite), ends_(*column.interval_ends()) {
  are_intervals_ = true;
  for (const ColumnView& part : column.parts()) part_types_.push_back(part.type());
  require_no_nan(column, Side::start);
  require_no_nan(column, Side::end);
  points_ = codec_of_points(column);
  if (!points_->empty()) set_extent({0, points_->span()});
}

IntervalCodec::IntervalCodec(const FileReader& file, std::size_t rows)
    : KeyCodec(Type::composite, file) {
  are_intervals_ = true;
  try {
    ends_ = ends_named(file.text("interval_ends"));
  } catch (const Error& error) {
    file.reject("{}", error.what());
  }
  const FileReader points = file.part("points");
  if (points.has("ranks"))
    points_ = std::make_unique<RankCodec>(points, 2 * rows);
  else
    points_ = KeyCodec::from_file(points, 2 * rows);
  if (points_->has_residual() || points_->span() != span() || points_->empty() != empty())
    file.reject("its points are not those of its intervals");
  part_types_ = points_->part_types();
  if (part_types_.empty()) part_types_.push_back(points_->type());
  part_types_.push_back(part_types_.back());
}

IntervalCodec::IntervalCodec(std::unique_ptr<KeyCodec> points, Ends ends)
    : KeyCodec(Type::composite), ends_(ends), points_(std::move(points)) {
  are_intervals_ = true;
  part_types_ = {points_->type(), points_->type()};
  if (!points_->empty()) set_extent({0, points_->span()});
}

void IntervalCodec::save_own(FileWriter& file) const {
  file.text("interval_ends", std::string(name_of(ends_)));
  points_->save(file.part("points"));
}

std::string IntervalCodec::describe_intervals() const {
  std::string text;
  for (std::size_t p = 0; p + 2 < part_types_.size(); ++p)
    text += fmt::format("{}{}", p == 0 ? " by " : ", ", name_of(part_types_[p]));
  return fmt::format("intervals {} of {}{}{}", name_of(ends_), name_of(part_types_.back()), text,
                     empty() ? ", none of them valid" : "");
}

ColumnView IntervalCodec::as_intervals(const ColumnView& composite) const {
  const std::span<const ColumnView> parts = composite.parts();
  ColumnView intervals = ColumnView::intervals(parts[parts.size() - 2], parts.back(), ends_,
                                               {parts.begin(), parts.end() - 2});
  return intervals.with_validity(composite.validity(), composite.validity_offset());
}

void IntervalCodec::encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                                std::uint64_t* keys) const {
  points_->encode_rows(points_of(column, Side::start), first, count, keys);
}

RowEncoder IntervalCodec::row_encoder(const ColumnView& column) const {
  return points_->row_encoder(points_of(column, Side::start));
}

EncodedColumn IntervalCodec::encode(const ColumnView& column, std::size_t row_count) const {
  EncodedColumn encoded = KeyCodec::encode(column, row_count);
  encode_interval_ends(column, encoded);
  if (ends_ != Ends::closed) drop_empty(encoded);
  return encoded;
}

void IntervalCodec::encode_interval_ends(const ColumnView& column, EncodedColumn& encoded) const {
  const RowEncoder encode_ends = points_->row_encoder(points_of(column, Side::end));
  encoded.ends = PackedKeys(encoded.size(), span());
  parallel_for(encoded.size(), interval_grain, [&](std::size_t first, std::size_t count) {
    std::uint64_t keys[interval_block];
    const std::size_t stop = first + count;
    for (std::size_t i = first; i < stop;) {
      // Elements that follow each other are encoded at once.
      const std::size_t element = rows().element(encoded.row(i));
      std::size_t size = 1;
      while (i + size < stop && size < interval_block &&
             rows().row(element + size) == encoded.row(i + size))
        ++size;
      encode_ends(element, size, keys);
      for (std::size_t k = 0; k < size; ++k) {
        if (keys[k] < encoded.keys[i + k])
          fail("the interval in row {} ends at {}, before it starts at {}: swap them", element + k,
               column.parts().back().text(element + k),
               column.parts()[column.parts().size() - 2].text(element + k));
        encoded.ends.set(i + k, keys[k]);
      }
      i += size;
    }
  });
}

// Drops intervals without a point, such as [5, 5).
void IntervalCodec::drop_empty(EncodedColumn& encoded) const {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < encoded.size(); ++i)
    if (encoded.keys[i] != encoded.ends[i]) kept.push_back(static_cast<std::uint32_t>(i));
  if (kept.size() == encoded.size()) return;
  EncodedColumn some;
  some.row_count = encoded.row_count;
  some.span = encoded.span;
  some.keys = PackedKeys(kept.size(), span());
  some.ends = PackedKeys(kept.size(), span());
  some.rows = Array<std::uint32_t>(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    some.keys.set(i, encoded.keys[kept[i]]);
    some.ends.set(i, encoded.ends[kept[i]]);
    some.rows[i] = encoded.row(kept[i]);
  }
  encoded = std::move(some);
}

OwnedColumn IntervalCodec::decode(const EncodedColumn& encoded) const {
  const auto decode_points = [&](const PackedKeys& keys) {
    EncodedColumn points;
    points.row_count = encoded.row_count;
    points.span = span();
    points.keys = PackedKeys(keys.size(), span());
    points.rows = Array<std::uint32_t>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      points.keys.set(i, keys[i]);
      points.rows[i] = 0;
    }
    return points_->decode(points);
  };
  std::vector<OwnedColumn> parts;
  OwnedColumn starts = decode_points(encoded.keys);
  OwnedColumn ends = decode_points(encoded.ends.size() == 0 ? encoded.keys : encoded.ends);
  if (points_->type() == Type::composite) {
    parts = std::move(starts.parts());
    parts.push_back(std::move(ends.parts().back()));
  } else {
    parts.push_back(std::move(starts));
    parts.push_back(std::move(ends));
  }
  OwnedColumn column = OwnedColumn::composite(std::move(parts));
  column.set_all_valid();
  return column;
}

}  // namespace rtindex
