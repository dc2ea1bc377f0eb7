#include "keys/point_codec.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "keys/rank_codec.hpp"

namespace rtindex {

namespace {

constexpr std::size_t point_grain = std::size_t{1} << 14;
constexpr std::size_t point_block = 512;

bool has_null_in(const ColumnView& column) {
  if (!column.nullable()) return false;
  for (std::size_t i = 0; i < column.size(); ++i)
    if (!column.valid(i)) return true;
  return false;
}

// Rows that have no point at all, because they were erased, are not counted.
bool has_null_in(const ColumnView& part, const ColumnView& points) {
  if (!part.nullable()) return false;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (!part.valid(i) && points.valid(i)) return true;
  return false;
}

// Keys must not share an encoded key, and leave one free for nulls.
PointCodec::PointColumn codec_of_values(const ColumnView& column, bool has_nulls) {
  std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(column);
  if (!codec->has_residual() && PointCodec::leaves_null_key(*codec, has_nulls))
    return {std::move(codec), has_nulls};
  return {std::make_unique<RankCodec>(column), has_nulls, true};
}

}  // namespace

bool PointCodec::leaves_null_key(const KeyCodec& values, bool has_nulls) {
  return !has_nulls || values.span() != std::numeric_limits<std::uint64_t>::max();
}

PointCodec::PointCodec(const ColumnView& column) : KeyCodec(Type::composite) {
  are_points_ = true;
  for (const ColumnView& part : column.parts()) {
    part_types_.push_back(part.type());
    columns_.push_back(codec_of_values(part, has_null_in(part, column)));
  }
}

PointCodec::PointCodec(std::vector<PointColumn> columns)
    : KeyCodec(Type::composite), columns_(std::move(columns)) {
  are_points_ = true;
  for (const PointColumn& column : columns_) part_types_.push_back(column.values->type());
}

PointCodec::PointCodec(const FileReader& file, std::size_t rows) : KeyCodec(Type::composite, file) {
  constexpr std::uint64_t max_columns = 8;
  are_points_ = true;
  const std::uint64_t count = file.number("point_columns", max_columns);
  if (count < 2) file.reject("its points have {} columns", count);
  for (std::uint64_t c = 0; c < count; ++c) {
    const FileReader part = file.part(fmt::format("column{}", c));
    PointColumn& column = columns_.emplace_back();
    column.has_nulls = part.flag("has_nulls");
    const FileReader values = part.part("values");
    column.is_ranked = values.has("ranks");
    if (column.is_ranked)
      column.values = std::make_unique<RankCodec>(values, rows);
    else
      column.values = KeyCodec::from_file(values, rows);
    if (column.values->type() == Type::composite || column.values->has_residual() ||
        !leaves_null_key(*column.values, column.has_nulls))
      file.reject("a column of its points cannot be encoded");
    part_types_.push_back(column.values->type());
  }
}

void PointCodec::save_own(FileWriter& file) const {
  file.number("point_columns", columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    FileWriter part = file.part(fmt::format("column{}", c));
    part.number("has_nulls", columns_[c].has_nulls ? 1 : 0);
    columns_[c].values->save(part.part("values"));
  }
}

std::uint64_t PointCodec::largest(std::size_t column) const {
  const PointColumn& own = columns_[column];
  return own.has_nulls ? own.null() : own.values->span();
}

std::vector<std::uint64_t> PointCodec::largest_keys() const {
  std::vector<std::uint64_t> keys;
  for (std::size_t c = 0; c < columns_.size(); ++c) keys.push_back(largest(c));
  return keys;
}

std::string PointCodec::describe_points(std::span<const KeyForm> forms) const {
  std::string text = "points of";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const PointColumn& own = columns_[c];
    text += c == 0 ? " " : ", ";
    if (own.is_ranked)
      text += fmt::format("{} as ranks of the distinct values", name_of(own.values->type()));
    else
      text += own.values->describe(forms.empty() ? forms : forms.subspan(c, 1));
    if (own.has_nulls) text += " with nulls";
  }
  return text;
}

void PointCodec::encode_condition(std::size_t column, const Condition& condition, std::size_t first,
                                  std::size_t count, Interval* intervals) const {
  const PointColumn& own = columns_[column];
  if (condition.kind != ConditionKind::range) {
    const bool is_null = condition.kind == ConditionKind::is_null;
    const Interval all{0, largest(column)};
    const Interval nulls = own.has_nulls ? Interval{own.null(), own.null()} : empty_interval;
    std::fill_n(intervals, count, is_null ? nulls : all);
    return;
  }
  const RangeEnds ends{
      .lower_open = condition.ends == Ends::left_open || condition.ends == Ends::open,
      .upper_open = condition.ends == Ends::right_open || condition.ends == Ends::open};
  const auto is_one = [](const ColumnView& end) { return !end.has_value() || end.size() == 1; };
  if (is_one(condition.lower) && is_one(condition.upper)) {
    Interval one;
    own.values->encode_lookups(condition.lower, condition.upper, ends, 0, 1, &one, nullptr);
    std::fill_n(intervals, count, one);
    return;
  }
  if (is_one(condition.lower) == is_one(condition.upper) || !condition.lower.has_value() ||
      !condition.upper.has_value()) {
    own.values->encode_lookups(condition.lower, condition.upper, ends, first, count, intervals,
                               nullptr);
    return;
  }
  // One end of all queries, and one of each.
  const bool is_lower_one = is_one(condition.lower);
  Interval one;
  own.values->encode_lookups(is_lower_one ? condition.lower : ColumnView(),
                             is_lower_one ? ColumnView() : condition.upper, ends, 0, 1, &one,
                             nullptr);
  own.values->encode_lookups(is_lower_one ? ColumnView() : condition.lower,
                             is_lower_one ? condition.upper : ColumnView(), ends, first, count,
                             intervals, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    if (one.empty() || intervals[i].empty())
      intervals[i] = empty_interval;
    else
      intervals[i] = {std::max(intervals[i].lower, one.lower),
                      std::min(intervals[i].upper, one.upper)};
  }
}

std::vector<Interval> PointCodec::encode_values(std::size_t column,
                                                const ColumnView& values) const {
  std::vector<Interval> all(values.size());
  columns_[column].values->encode_lookups(values, values, {}, 0, values.size(), all.data(),
                                          nullptr);
  std::erase_if(all, [](const Interval& one) { return one.empty(); });
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return a.lower < b.lower; });
  std::vector<Interval> joined;
  for (const Interval& one : all) {
    const std::uint64_t end = joined.empty() ? 0 : joined.back().upper;
    if (joined.empty() || (one.lower > end && one.lower - end > 1))
      joined.push_back(one);
    else
      joined.back().upper = std::max(joined.back().upper, one.upper);
  }
  return joined;
}

PackedKeys PointCodec::encode_column(const ColumnView& values, std::size_t column) const {
  const PointColumn& own = columns_[column];
  PackedKeys encoded(values.size(), largest(column));
  const RowEncoder encoder = own.values->row_encoder(values);
  parallel_for(values.size(), point_grain, [&](std::size_t first, std::size_t count) {
    std::uint64_t keys[point_block];
    for (std::size_t begin = first; begin < first + count; begin += point_block) {
      const std::size_t size = std::min(point_block, first + count - begin);
      if (own.values->empty())
        std::fill_n(keys, size, std::uint64_t{0});
      else
        encoder(begin, size, keys);
      for (std::size_t i = 0; i < size; ++i)
        encoded.set(begin + i, values.valid(begin + i) ? keys[i] : own.has_nulls ? own.null() : 0);
    }
  });
  return encoded;
}

EncodedColumn PointCodec::encode(const ColumnView& column, std::size_t row_count) const {
  EncodedColumn encoded;
  encoded.row_count = row_count;
  if (!rows().is_identity() || column.size() != row_count) {
    encoded.rows = Array<std::uint32_t>(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) encoded.rows[i] = rows().row(i);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c)
    encoded.points.push_back(encode_column(column.parts()[c], c));
  if (!has_null_in(column)) return encoded;
  // Without rows that have no point at all, because they were erased.
  std::vector<std::uint32_t> valid;
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column.valid(i)) valid.push_back(static_cast<std::uint32_t>(i));
  return encoded.selected(valid);
}

OwnedColumn PointCodec::decode_column(const PackedKeys& keys, std::size_t column) const {
  const PointColumn& own = columns_[column];
  if (own.values->empty()) return {part_types_[column], keys.size()};
  EncodedColumn values;
  values.row_count = keys.size();
  values.span = own.values->span();
  values.keys = PackedKeys(keys.size(), values.span);
  values.rows = Array<std::uint32_t>(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] > largest(column)) fail_damaged_in_use("a key is too large");
    values.keys.set(i, keys[i] > values.span ? 0 : keys[i]);
    values.rows[i] = 0;
  }
  OwnedColumn decoded = own.values->decode(values);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (own.has_nulls && keys[i] == own.null()) decoded.set_valid(i, false);
  return decoded;
}

OwnedColumn PointCodec::decode(const EncodedColumn& encoded) const {
  std::vector<OwnedColumn> columns;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    columns.push_back(decode_column(encoded.points[c], c));
  OwnedColumn all = OwnedColumn::points(std::move(columns));
  all.set_all_valid();
  return all;
}

void PointCodec::encode_rows(const ColumnView&, std::size_t, std::size_t, std::uint64_t*) const {
  fail(ErrorKind::unsupported, "points have no single key: use box queries");
}

EncodedEnds PointCodec::encode_ends(const ColumnView&, std::size_t) const {
  fail(ErrorKind::unsupported, "points have no single key: use box queries");
}

}  // namespace rtindex
