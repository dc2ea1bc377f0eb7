#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "engine/backend.hpp"
#include "engine/index_options.hpp"
#include "engine/row_sets.hpp"

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
  RowBitmapBuilder nulls(row_count);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (!column.valid(i)) nulls.add(numbers.row(i));
  return std::move(nulls).finish();
}

// The rows of segments that a change or a merge takes up: keys and included values as they were
// given, in the order of the rows.
class TakenRows {
 public:
  // Takes the rows for which keep(row) is true, unless they are deleted.
  template <class Keep>
  TakenRows(std::span<const Segment> segments, Keep&& keep) : codec_(*segments.front().codec) {
    for (const Segment& segment : segments) {
      const RowBits deleted = bits_of(segment.deleted);
      const auto is_taken = [&](std::uint32_t row) { return !deleted.has(row) && keep(row); };
      take_keys(segment, is_taken);
      if (segment.structure->included()) take_values(segment, is_taken);
    }
  }

  // Sets the element of each row that has a key or a value.
  void keys_into(OwnedColumn& column, const RowNumbers& numbers) const {
    for (const Part& part : keys_) part.set(column, numbers);
  }
  void values_into(OwnedColumn& column, const RowNumbers& numbers) const {
    for (const Part& part : values_) part.set(column, numbers);
  }
  [[nodiscard]] OwnedColumn empty_keys(std::size_t size) const { return codec_.null_column(size); }
  // All rows that were taken, ascending.
  [[nodiscard]] Array<std::uint32_t> rows() const {
    std::vector<std::uint32_t> all;
    for (const auto* const parts : {&keys_, &values_})
      for (const Part& part : *parts) all.insert(all.end(), part.rows.begin(), part.rows.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    Array<std::uint32_t> rows(all.size());
    std::copy(all.begin(), all.end(), rows.begin());
    return rows;
  }

 private:
  struct Part {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> elements;  // of the column, one for each row
    OwnedColumn column;

    void set(OwnedColumn& into, const RowNumbers& numbers) const {
      const ColumnView view = column.view();
      for (std::size_t i = 0; i < rows.size(); ++i)
        into.set(numbers.element(rows[i]), view, elements[i]);
    }
  };

  template <class IsTaken>
  void take_keys(const Segment& segment, IsTaken&& is_taken) {
    const EncodedColumn all = segment.structure->column();
    std::vector<std::uint32_t> which;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (is_taken(all.row(i))) which.push_back(static_cast<std::uint32_t>(i));
    EncodedColumn some;
    some.row_count = all.row_count;
    some.span = all.span;
    some.keys = PackedKeys(which.size(), all.span);
    some.rows = Array<std::uint32_t>(which.size());
    Part part;
    for (std::size_t i = 0; i < which.size(); ++i) {
      some.keys.set(i, all.keys[which[i]]);
      some.rows[i] = all.row(which[i]);
      part.rows.push_back(some.rows[i]);
      part.elements.push_back(static_cast<std::uint32_t>(i));
    }
    part.column = segment.codec->decode(some);
    keys_.push_back(std::move(part));
  }

  template <class IsTaken>
  void take_values(const Segment& segment, IsTaken&& is_taken) {
    IncludedRows all = segment.structure->included_rows();
    Part part;
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      if (!is_taken(all.rows[i])) continue;
      part.rows.push_back(all.rows[i]);
      part.elements.push_back(static_cast<std::uint32_t>(i));
    }
    part.column = std::move(all.values);
    values_.push_back(std::move(part));
  }

  const KeyCodec& codec_;
  std::vector<Part> keys_, values_;
};

// Columns of a new segment in host memory, in the order of their rows.
struct SegmentColumns {
  RowNumbers numbers;
  OwnedColumn own_keys, own_include;
  ColumnView keys, include;
};

// A value that is not there (of an erased row) may be any.
ColumnView all_valid_view(const OwnedColumn& column) {
  return column.view().with_validity(nullptr);
}

}  // namespace

NewSegment Backend::build_column(const Spec& spec, const ColumnView& column,
                                 const BuildOptions& options) const {
  if (options.include.memory_space() == MemorySpace::device) wait_for(spec, options.stream);
  NewSegment result;
  std::shared_ptr<KeyCodec> codec = KeyCodec::for_column(column, key_use());
  const auto key_text = [&](std::uint32_t row) { return column.text(row); };
  result.segment.structure = build(spec, codec->encode(column), *codec, key_text, options);
  result.segment.codec = std::move(codec);
  result.nulls = nulls_of(column, {}, column.size());
  return result;
}

NewSegment Backend::build_rows(const Spec& spec, const NewRows& rows,
                               std::span<const Segment> current, std::size_t row_count) const {
  if (rows.keys.memory_space() == MemorySpace::device ||
      rows.include.memory_space() == MemorySpace::device ||
      rows.rows.memory_space() == MemorySpace::device) {
    wait_for(spec, rows.stream);
    NewRows here = rows;
    const auto fetched = [&](const ColumnView& column) {
      return column.has_value() ? fetch(spec, column) : OwnedColumn();
    };
    const OwnedColumn row_list = fetched(rows.rows);
    const OwnedColumn keys = fetched(rows.keys);
    const OwnedColumn include = fetched(rows.include);
    if (rows.rows.has_value()) here.rows = all_valid_view(row_list);
    if (rows.keys.has_value()) here.keys = keys.view();
    if (rows.include.has_value()) here.include = all_valid_view(include);
    return build_rows(spec, here, current, row_count);
  }
  const Segment& main = current.front();
  const std::optional<Type> included = main.structure->included();
  SegmentColumns columns;
  columns.keys = rows.keys;
  columns.include = rows.include;
  std::vector<std::uint32_t> order;
  if (rows.rows.has_value()) {
    const std::span<const std::uint32_t> list = row_ids(rows.rows);
    order = order_of_rows(list);
    Array<std::uint32_t> ascending(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) ascending[i] = list[order.empty() ? i : order[i]];
    columns.numbers = RowNumbers(std::move(ascending));
  } else {
    columns.numbers = RowNumbers(rows.first, rows.count);
  }
  if (rows.keys.has_value() && (!order.empty() || !has_type_of(rows.keys, *main.codec))) {
    columns.own_keys = gathered(rows.keys, order, main.codec->null_column(rows.count));
    columns.keys = columns.own_keys.view();
  }
  if (rows.include.has_value() && !order.empty()) {
    columns.own_include = gathered(rows.include, order, OwnedColumn(*included, rows.count));
    columns.include = all_valid_view(columns.own_include);
  }
  if (!rows.keys.has_value() || (included && !rows.include.has_value())) {
    RowBitmapBuilder wanted(row_count);
    for (std::size_t i = 0; i < rows.count; ++i) wanted.add(columns.numbers.row(i));
    const RowBits bits = std::as_const(wanted).bits();
    const TakenRows taken(current, [&](std::uint32_t row) { return bits.has(row); });
    if (!rows.keys.has_value()) {
      columns.own_keys = taken.empty_keys(rows.count);
      taken.keys_into(columns.own_keys, columns.numbers);
      columns.keys = columns.own_keys.view();
    }
    if (included && !rows.include.has_value()) {
      columns.own_include = OwnedColumn(*included, rows.count);
      taken.values_into(columns.own_include, columns.numbers);
      columns.include = all_valid_view(columns.own_include);
    }
  }
  NewSegment result;
  std::shared_ptr<KeyCodec> codec = KeyCodec::for_column(columns.keys, key_use());
  result.nulls = nulls_of(columns.keys, columns.numbers, row_count);
  codec->number_rows(std::move(columns.numbers));
  const auto key_text = [&](std::uint32_t row) {
    return columns.keys.text(codec->rows().element(row));
  };
  BuildOptions options;
  options.device_memory = main.structure->device_memory();
  if (included) options.include = columns.include;
  EncodedColumn encoded = codec->encode(columns.keys, row_count);
  encoded.only_merged = rows.only_merged;
  result.segment.structure = build(spec, std::move(encoded), *codec, key_text, options);
  result.segment.codec = std::move(codec);
  return result;
}

// Takes the segments apart and builds a new one.
Segment Backend::merge(const Spec& spec, std::span<const Segment> segments, std::size_t row_count,
                       bool is_all) const {
  const Segment& main = segments.front();
  const std::optional<Type> included = main.structure->included();
  const TakenRows taken(segments, [](std::uint32_t) { return true; });
  // Full keys are found by the row: in a segment of all rows without a search.
  RowNumbers numbers = is_all && !is_native(main.codec->type()) ? RowNumbers(0, row_count)
                                                                : RowNumbers(taken.rows());
  OwnedColumn keys = taken.empty_keys(numbers.size());
  taken.keys_into(keys, numbers);
  OwnedColumn include;
  if (included) {
    include = OwnedColumn(*included, numbers.size());
    taken.values_into(include, numbers);
  }
  const ColumnView view = keys.view();
  Segment result;
  std::shared_ptr<KeyCodec> codec = KeyCodec::for_column(view, key_use());
  codec->number_rows(std::move(numbers));
  const auto key_text = [&](std::uint32_t row) { return view.text(codec->rows().element(row)); };
  BuildOptions options;
  options.device_memory = main.structure->device_memory();
  if (included) options.include = all_valid_view(include);
  result.structure = build(spec, codec->encode(view, row_count), *codec, key_text, options);
  result.codec = std::move(codec);
  return result;
}

bool Backend::refit(const Spec&, const Segment& segment, const ColumnView& rows,
                    const ColumnView& new_keys, Stream) const {
  for (std::size_t i = 0; new_keys.nullable() && i < new_keys.size(); ++i)
    if (!new_keys.valid(i)) return false;
  Array<std::uint64_t> keys(rows.size());
  const std::optional<std::uint64_t> span = segment.codec->encode_update(new_keys, keys.data());
  if (!span || !segment.structure->refit(
                   {row_ids(rows).data(), keys.data(), rows.size(), MemorySpace::host}, *span))
    return false;
  segment.codec->set_span(*span);
  return true;
}

std::size_t Backend::delta_bound(const Spec& spec) const {
  return IndexOptions::from(spec).delta.value_or(default_delta());
}

}  // namespace rtindex
