#include "engine/host_segments.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "engine/box_searcher.hpp"
#include "engine/interval_searcher.hpp"
#include "engine/ordered_searcher.hpp"
#include "keys/codecs.hpp"

namespace rtindex {

namespace {

[[nodiscard]] bool has_type_of(const ColumnView& column, const KeyCodec& codec) {
  return column.type() == codec.type() &&
         std::ranges::equal(column.parts(), codec.part_types(), {}, &ColumnView::type);
}

// Elements order[0], order[1], ... of a column, or all of them in their own order, as the type of
// an empty column.
OwnedColumn gathered(const ColumnView& column, std::span<const std::uint32_t> order,
                     OwnedColumn into) {
  for (std::size_t i = 0; i < column.size(); ++i) into.set(i, column, order.empty() ? i : order[i]);
  return into;
}

// The element of each row, in the order of the rows; empty where they ascend already.
std::vector<std::uint32_t> order_of_rows(std::span<const std::uint32_t> rows) {
  if (std::is_sorted(rows.begin(), rows.end())) return {};
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rows[a] < rows[b]; });
  return order;
}

RowBitmapPtr nulls_of(const ColumnView& column, const RowNumbers& numbers, std::size_t row_count) {
  if (!column.nullable()) return nullptr;
  SparseBitmapBuilder nulls(row_count);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (!column.valid(i)) nulls.add(numbers.row(i));
  return std::move(nulls).finish();
}

// Rows of segments that a change or a merge copies: keys and included values, decoded, in the order
// of the rows.
class CopiedRows {
 public:
  // All valid rows.
  explicit CopiedRows(std::span<const Segment> segments) : codec_(*segments.front().codec) {
    for (const Segment& segment : segments) {
      copy_keys(segment, segment.searcher->column());
      if (!segment.searcher->included().empty())
        copy_values(segment, segment.searcher->included_rows());
    }
  }
  // Which columns of some rows are copied: not those that a change replaces.
  struct Kept {
    bool keys;
    bool values;
  };
  // Valid ones of `rows`, which ascend. The first segment has most of them.
  CopiedRows(std::span<const Segment> segments, std::vector<std::uint32_t> rows, const Kept& kept)
      : codec_(*segments.front().codec) {
    for (const Segment& segment : segments) {
      if (rows.empty()) return;
      if (kept.keys) copy_keys(segment, segment.searcher->column_of(rows));
      if (kept.values) copy_values(segment, segment.searcher->included_rows_of(rows));
      std::erase_if(rows, [&](std::uint32_t row) {
        return (kept.keys && keys_.back().has(row)) || (kept.values && values_.back().has(row));
      });
    }
  }

  // The keys of all `numbers`, and included column `number`; called once for each.
  [[nodiscard]] OwnedColumn extract_keys(const RowNumbers& numbers) {
    if (Part* const whole = part_of_all(keys_, numbers); whole && is_native(codec_.type()))
      return std::move(whole->columns.front());
    OwnedColumn column = codec_.null_column(numbers.size());
    for (const Part& part : keys_) part.set(column, 0, numbers);
    return column;
  }
  [[nodiscard]] OwnedColumn extract_values(std::size_t number, const RowNumbers& numbers) {
    if (Part* const whole = part_of_all(values_, numbers)) return std::move(whole->columns[number]);
    OwnedColumn column(values_.front().included(number).type, numbers.size());
    for (const Part& part : values_) part.set(column, number, numbers);
    return column;
  }
  [[nodiscard]] bool has_null_values(std::size_t number) const {
    return std::ranges::any_of(values_,
                               [&](const Part& part) { return part.included(number).has_nulls; });
  }
  // All rows, ascending.
  [[nodiscard]] Array<std::uint32_t> rows() const {
    std::vector<std::uint32_t> all;
    const auto add = [&](const std::vector<Part>& parts) {
      for (const Part& part : parts) all.insert(all.end(), part.rows.begin(), part.rows.end());
    };
    add(keys_);
    add(values_);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    Array<std::uint32_t> rows(all.size());
    std::copy(all.begin(), all.end(), rows.begin());
    return rows;
  }

 private:
  // Rows of one segment: their keys, or the values of all included columns.
  struct Part {
    const Segment* segment;
    std::vector<OwnedColumn> columns;
    std::size_t size;  // of each column
    std::vector<std::uint32_t> rows = {};
    std::vector<std::uint32_t> elements = {};  // of the columns, one for each row

    [[nodiscard]] bool has(std::uint32_t row) const {
      return std::binary_search(rows.begin(), rows.end(), row);
    }
    [[nodiscard]] const IncludedValuesInfo& included(std::size_t column) const {
      return segment->searcher->included()[column];
    }
    void add(std::uint32_t row, std::size_t element) {
      rows.push_back(row);
      elements.push_back(static_cast<std::uint32_t>(element));
    }
    void set(OwnedColumn& into, std::size_t column, const RowNumbers& numbers) const {
      const ColumnView view = columns[column].view();
      for (std::size_t i = 0; i < rows.size(); ++i)
        into.set(numbers.element(rows[i]), view, elements[i]);
    }
  };

  // The part of which the columns have all rows, in their order; null: there is none.
  [[nodiscard]] static Part* part_of_all(std::vector<Part>& parts, const RowNumbers& numbers) {
    const auto found = std::ranges::find_if(parts, [&](const Part& part) {
      return part.rows.size() == numbers.size() && part.size == numbers.size() &&
             std::ranges::is_sorted(part.rows);
    });
    return found == parts.end() ? nullptr : &*found;
  }

  void copy_keys(const Segment& segment, EncodedColumn all) {
    const RowBits deleted = bits_of(segment.deleted);
    std::vector<std::uint32_t> which;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!deleted.has(all.row(i))) which.push_back(static_cast<std::uint32_t>(i));
    if (which.size() != all.size()) all = all.selected(which);
    Part part{&segment, {}, all.size()};
    part.columns.push_back(segment.codec->decode(all));
    for (std::size_t i = 0; i < which.size(); ++i) part.add(all.row(i), i);
    keys_.push_back(std::move(part));
  }

  void copy_values(const Segment& segment, IncludedRows all) {
    const RowBits deleted = bits_of(segment.deleted);
    Part part{&segment, std::move(all.columns), all.rows.size()};
    for (std::size_t i = 0; i < all.rows.size(); ++i)
      if (!deleted.has(all.rows[i])) part.add(all.rows[i], i);
    values_.push_back(std::move(part));
  }

  const KeyCodec& codec_;
  std::vector<Part> keys_;
  std::vector<Part> values_;
};

// Segments whose pairs can be merged: only native keys are ordered alike in every segment.
std::optional<OrderedMerge> plan_merge(std::span<const Segment> segments) {
  OrderedMerge merge;
  KeyExtent extent;
  for (const Segment& segment : segments) {
    const std::optional<std::uint64_t> base = segment.codec->native_base();
    const SortedPairs* const pairs = segment.searcher->sorted_pairs();
    if (!base || pairs == nullptr) return std::nullopt;
    merge.inputs.push_back(pairs->order_input());
    merge.inputs.back().deleted = bits_of(segment.deleted);
    merge.included.resize(segment.searcher->included().size());
    for (std::size_t i = 0; i < merge.included.size(); ++i)
      merge.included[i].push_back({&pairs->included_values(i), bits_of(segment.deleted)});
    if (segment.codec->empty() && segment.keys() != 0)
      fail_damaged_in_use("a segment without keys has some");
    if (segment.codec->empty()) continue;
    extent.smallest = std::min(extent.smallest, *base);
    extent.largest = std::max(extent.largest, *base + segment.codec->span());
  }
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (!segments[i].codec->empty())
      merge.inputs[i].shift = *segments[i].codec->native_base() - extent.smallest;
  merge.codec = make_native_codec(segments.front().codec->type(), extent);
  return merge;
}

}  // namespace

struct HostSegmentBuilder::Columns {
  RowNumbers numbers;
  ColumnView keys;
  std::vector<ColumnView> include;
  // Own the columns that the caller does not.
  OwnedColumn own_keys;
  std::vector<OwnedColumn> own_include;

  // With as many included columns as the index has.
  explicit Columns(std::size_t included) : include(included), own_include(included) {}

  // As the columns of `codec`.
  void set_keys(OwnedColumn column, const KeyCodec& codec) {
    own_keys = std::move(column);
    keys = own_keys.view();
    if (const IntervalCodec* const intervals = interval_codec(codec))
      keys = intervals->as_intervals(keys);
  }
  // Without nulls no validity is needed: values of erased rows are unspecified.
  void set_include(std::size_t number, OwnedColumn column, bool has_nulls) {
    own_include[number] = std::move(column);
    include[number] = own_include[number].view();
    if (!has_nulls) include[number] = include[number].with_validity(nullptr);
  }
  // Sets the numbers of `rows`, and the columns sorted by row and converted to the codec's type.
  void number(const NewRows& rows, const KeyCodec& codec);
  // Copies the keys or values that the rows keep.
  void copy_kept(const NewRows& rows, std::span<const Segment> current);
};

void HostSegmentBuilder::Columns::number(const NewRows& rows, const KeyCodec& codec) {
  std::vector<std::uint32_t> order;
  if (rows.rows.has_value()) {
    const std::span<const std::uint32_t> list = row_ids(rows.rows);
    order = order_of_rows(list);
    Array<std::uint32_t> ascending(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) ascending[i] = list[order.empty() ? i : order[i]];
    numbers = RowNumbers(std::move(ascending));
  } else {
    numbers = RowNumbers(rows.first, rows.count);
  }
  if (rows.keys.has_value() && (!order.empty() || !has_type_of(rows.keys, codec)))
    set_keys(gathered(rows.keys, order, codec.null_column(rows.count)), codec);
  if (order.empty()) return;
  for (std::size_t i = 0; i < include.size(); ++i)
    if (include[i].has_value())
      set_include(i, gathered(include[i], order, OwnedColumn(include[i].type(), rows.count)),
                  include[i].nullable());
}

void HostSegmentBuilder::Columns::copy_kept(const NewRows& rows, std::span<const Segment> current) {
  const bool keeps_keys = !rows.keys.has_value();
  const bool keeps_values = !std::all_of(include.begin(), include.end(),
                                         [](const ColumnView& one) { return one.has_value(); });
  if (!keeps_keys && !keeps_values) return;
  std::vector<std::uint32_t> wanted(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) wanted[i] = numbers.row(i);
  CopiedRows copied(current, std::move(wanted), {keeps_keys, keeps_values});
  if (keeps_keys) set_keys(copied.extract_keys(numbers), *current.front().codec);
  for (std::size_t i = 0; i < include.size(); ++i) {
    if (include[i].has_value()) continue;
    set_include(i, copied.extract_values(i, numbers), copied.has_null_values(i));
  }
}

std::unique_ptr<Searcher> HostSegmentBuilder::make_searcher(
    EncodedColumn column, const KeyCodec& codec, const KeyText& key_text,
    std::span<const ColumnView> include) const {
  const IntervalCodec* const intervals = interval_codec(codec);
  if (intervals != nullptr && searchers_.build_intervals)
    return searchers_.build_intervals(std::move(column), codec, key_text, include);
  if (intervals != nullptr)
    return make_interval_searcher(searchers_, std::move(column), *intervals, key_text, include);
  if (const PointCodec* const points = point_codec(codec))
    return searchers_.build_points ? searchers_.build_points(std::move(column), *points, include)
                                   : make_box_searcher(std::move(column), *points, include);
  return searchers_.build(std::move(column), codec, key_text, include);
}

NewSegment HostSegmentBuilder::build(const ColumnView& column, const BuildOptions& options) const {
  NewSegment result;
  std::shared_ptr<KeyCodec> codec;
  {
    const ProgressStage scan(0.1);
    codec = KeyCodec::for_column(column, searchers_.key_use);
  }
  const auto key_text = [&](std::uint32_t row) { return column.text(row); };
  std::vector<ColumnView> include;
  for (const IncludedColumn& one : options.include.columns()) include.push_back(one.values);
  EncodedColumn encoded;
  {
    const ProgressStage encoding(0.1);
    encoded = codec->encode(column);
  }
  result.segment.searcher = make_searcher(std::move(encoded), *codec, key_text, include);
  result.segment.codec = std::move(codec);
  result.nulls = nulls_of(column, {}, column.size());
  return result;
}

NewSegment HostSegmentBuilder::build_rows(const NewRows& rows, std::span<const Segment> current,
                                          std::size_t row_count) const {
  const Segment& main = current.front();
  Columns columns(main.searcher->included().size());
  columns.keys = rows.keys;
  if (!rows.include.empty()) columns.include = rows.include;
  columns.number(rows, *main.codec);
  columns.copy_kept(rows, current);
  return build_numbered(columns, row_count, rows.merged_at_once);
}

// Copies the rows of all segments and builds a new one, unless their pairs can be merged.
Segment HostSegmentBuilder::merge(std::span<const Segment> segments, std::size_t row_count,
                                  bool is_all) const {
  if (searchers_.merge)
    if (const std::optional<OrderedMerge> merge = plan_merge(segments))
      return {merge->codec, searchers_.merge(*merge, row_count), nullptr};
  const Segment& main = segments.front();
  CopiedRows copied(segments);
  Columns columns(main.searcher->included().size());
  // Full keys are found by the row: in a segment of all rows without a search.
  columns.numbers = is_all && !is_native(main.codec->type()) ? RowNumbers(0, row_count)
                                                             : RowNumbers(copied.rows());
  columns.set_keys(copied.extract_keys(columns.numbers), *main.codec);
  for (std::size_t i = 0; i < columns.include.size(); ++i)
    columns.set_include(i, copied.extract_values(i, columns.numbers), copied.has_null_values(i));
  return build_numbered(columns, row_count, false).segment;
}

NewSegment HostSegmentBuilder::build_numbered(Columns& columns, std::size_t row_count,
                                              bool merged_at_once) const {
  NewSegment result;
  std::shared_ptr<KeyCodec> codec = KeyCodec::for_column(columns.keys, searchers_.key_use);
  result.nulls = nulls_of(columns.keys, columns.numbers, row_count);
  codec->number_rows(std::move(columns.numbers));
  const auto key_text = [&](std::uint32_t row) {
    return columns.keys.text(codec->rows().element(row));
  };
  EncodedColumn encoded = codec->encode(columns.keys, row_count);
  encoded.merged_at_once = merged_at_once;
  result.segment.searcher = make_searcher(std::move(encoded), *codec, key_text, columns.include);
  result.segment.codec = std::move(codec);
  return result;
}

LoadedSearcher HostSegmentBuilder::load(const FileReader& file, const KeyCodec& codec,
                                        std::size_t rows) const {
  const IntervalCodec* const intervals = interval_codec(codec);
  if (intervals != nullptr && !searchers_.build_intervals)
    return {load_interval_searcher(searchers_, file, *intervals, rows), false};
  if (const PointCodec* const points = point_codec(codec)) {
    if (!searchers_.build_points) return {load_box_searcher(file, *points, rows), false};
    return {make_searcher(load_points(file, rows, points->largest_keys()), codec, {}, {}), true};
  }
  if (intervals == nullptr && searchers_.load) return searchers_.load(file, codec, rows);
  const KeyText key_text = [](std::uint32_t) { return "(of the file)"; };
  EncodedColumn column = load_column(file, rows, codec.span());
  if (intervals != nullptr && column.ends.size() != column.size())
    file.reject("its column has no ends of intervals");
  return {make_searcher(std::move(column), codec, key_text, {}), true};
}

RowBitmapPtr HostSegmentBuilder::load_bitmap(Array<std::uint32_t> words, std::size_t rows) const {
  return std::make_shared<HostRowBitmap>(std::move(words), rows);
}

CheckedRows HostSegmentBuilder::check_rows(const ColumnView& rows, const RowStates& states,
                                           Stream) const {
  return rtindex::check_rows(row_ids(rows), states.rows, states.erased, states.nulls);
}

MarkedRows HostSegmentBuilder::mark_rows(const ColumnView& rows, const RowStates& states,
                                         std::span<const RowBitmapPtr> bitmaps,
                                         Stream stream) const {
  const std::span<const std::uint32_t> listed = row_ids(rows);
  if (listed.size() > few_changed_rows)
    return SegmentBuilder::mark_rows(rows, states, bitmaps, stream);
  MarkedRows marked{{}, check_few_rows(listed, states.rows, states.erased, states.nulls)};
  for (const RowBitmapPtr& bitmap : bitmaps)
    marked.bitmaps.push_back(with_rows(bitmap, listed, states.rows));
  return marked;
}

std::optional<Refit> HostSegmentBuilder::plan_refit(const Segment& segment, const ColumnView& rows,
                                                    const ColumnView& new_keys, Stream) const {
  const std::optional<std::uint64_t> max_key = segment.searcher->capabilities().max_refit_key;
  for (std::size_t i = 0; new_keys.nullable() && i < new_keys.size(); ++i)
    if (!new_keys.valid(i)) return std::nullopt;
  const auto keys = std::make_shared<Array<std::uint64_t>>(rows.size());
  const std::optional<std::uint64_t> span = segment.codec->encode_update(new_keys, keys->data());
  if (!span || !max_key || *span > *max_key) return std::nullopt;
  return Refit{{row_ids(rows).data(), keys->data(), rows.size(), MemorySpace::host}, *span, keys};
}

}  // namespace rtindex
