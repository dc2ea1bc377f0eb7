#include "engine/cuda/device_segments.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/kept_rows.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "keys/cuda/device_codec.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/full_order.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

namespace {

// The encoded keys of an update in place.
struct RefitArrays {
  explicit RefitArrays(PooledStream made_on) : stream(std::move(made_on)) {}

  PooledStream stream;  // on which the arrays are released
  OnGpuElements rows;
  NewKeys keys;
};

// Included columns in host memory. Only those with nulls have a validity bitmap.
class HostIncluded {
 public:
  HostIncluded(std::span<const ColumnView> columns, Stream caller) {
    for (const ColumnView& column : columns) {
      copies_.emplace_back(column, "included values", caller);
      const ColumnView& view = copies_.back().view();
      views_.push_back(column.has_value() && !column.nullable() ? view.with_validity(nullptr)
                                                                : view);
    }
  }
  [[nodiscard]] const std::vector<ColumnView>& views() const { return views_; }

 private:
  std::deque<HostColumn> copies_;
  std::vector<ColumnView> views_;
};

[[nodiscard]] std::vector<ColumnView> columns_of(const IncludedColumns& include) {
  std::vector<ColumnView> columns;
  for (const IncludedColumn& one : include.columns()) columns.push_back(one.values);
  return columns;
}

// The columns of a build or a change, by their names in errors.
[[nodiscard]] std::vector<NamedColumn> with_included(std::vector<NamedColumn> columns,
                                                     std::span<const ColumnView> include) {
  for (const ColumnView& values : include) columns.push_back({values, "included values"});
  return columns;
}

// A step of the host: keys that are not native are decoded and encoded again.
[[nodiscard]] NewSegment build_rows_on_host(const SegmentBuilder& host, const NewRows& rows,
                                            std::span<const Segment> current,
                                            std::size_t row_count) {
  const HostColumn list(rows.rows, "rows", rows.stream);
  const HostColumn keys(rows.keys, "keys", rows.stream);
  const HostIncluded include(rows.include, rows.stream);
  NewRows here = rows;
  here.rows = list.view();
  if (here.rows.has_value()) here.rows = here.rows.with_validity(nullptr);
  here.keys = keys.view();
  here.include = include.views();
  return host.build_rows(here, on_host(current), row_count);
}

}  // namespace

DeviceSegmentBuilder::DeviceSegmentBuilder(GpuContext gpu, DeviceSearchers kind)
    : gpu_(std::move(gpu)),
      kind_(std::make_shared<const DeviceSearchers>(std::move(kind))),
      host_({.key_use = kind_->key_use,
             .build =
                 [this](EncodedColumn column, const KeyCodec& codec, const KeyText& key_text,
                        std::span<const ColumnView> include) {
                   return make_encoded(std::move(column), codec, key_text, codec.rows(), include);
                 },
             .build_intervals =
                 [this](const EncodedColumn& column, const KeyCodec& codec, const KeyText& key_text,
                        std::span<const ColumnView> include) {
                   return make_intervals(column, codec, key_text, codec.rows(), include);
                 },
             .build_points =
                 [this](const EncodedColumn& column, const PointCodec& codec,
                        std::span<const ColumnView> include) {
                   return make_points(column, codec, codec.rows(), include);
                 }}) {}

void DeviceSegmentBuilder::require_held(const DeviceColumn& column, const KeyCodec& codec,
                                        cudaStream_t stream) const {
  if (!kind_->holds || kind_->holds(column.span)) return;
  const EncodedColumn encoded = downloaded(column, stream);
  const OwnedColumn keys = codec.decode(encoded);
  kind_->reject(encoded, [&](std::uint32_t row) {
    for (std::size_t i = 0; i < encoded.size(); ++i)
      if (encoded.row(i) == row) return keys.view().text(i);
    return std::string();
  });
}

NewSegment DeviceSegmentBuilder::build_native(PooledStream made_on, const NativeRows& input,
                                              SegmentUse use, const MemoryMeter& meter) const {
  const Queue queue(gpu_.memory, made_on.get());
  const std::size_t nulls = input.keys.size - input.extent.valid;
  std::shared_ptr<KeyCodec> codec = input.codec;
  if (codec == nullptr)
    codec = make_native_codec(input.type, {input.extent.smallest, input.extent.largest});
  const NativeMap map{input.keys.type, codec->native_base().value_or(input.base), codec->span(),
                      codec->empty()};
  const bool is_compared = input.full != nullptr && input.full->compares();
  DeviceRows rows(std::move(made_on));
  rows.row_count = input.row_count;
  rows.rows_may_follow = input.rows_may_follow;
  KeyRoom room;
  if (input.extent.descends == 0) {
    rows.sorting = Sorting::done;
    // Segments that are merged soon keep their rowIDs.
    if (use == SegmentUse::main && kind_->drops_rows() && !is_compared && input.keys.size != 0)
      rows.sorting = Sorting::rows_follow;
  }
  if (rows.sorting == Sorting::rows_follow)
    room = {.keys = DeviceOrder::padding};
  else if (kind_->layout == Layout::pairs && !is_compared)
    room = {.keys = DeviceOrder::padding, .with_rows = true};
  const bool has_values = !input.included.empty();
  rows.column =
      encode_column(input.keys, map, input.extent.valid, has_values ? RowIds{} : input.ids,
                    has_values ? input.keys.size : input.row_count, room, queue);
  require_held(rows.column, *codec, queue);
  if (is_compared) {
    rows.column = in_full_order(std::move(rows.column), input.full->view(), queue);
    rows.sorting = Sorting::by_full_keys;
  }
  rows.full = input.full;
  if (has_values) rows.ids = input.ids;
  for (const ElementValues& column : input.included) {
    const auto keyless = [&](const void* values, Type type) {
      return keyless_of(input.keys, nulls, input.ids, values, type, queue);
    };
    rows.included.push_back(
        {column, keyless(column.values, column.type),
         column.valid == nullptr ? KeylessValues() : keyless(column.valid, valid_type)});
  }
  NewSegment result;
  result.segment.searcher = make_searcher(std::move(rows), use, meter);
  result.segment.codec = std::move(codec);
  result.nulls = null_rows(input.keys, nulls, input.ids, input.row_count, queue);
  return result;
}

NewSegment DeviceSegmentBuilder::build_main(PooledStream made_on, NativeRows rows,
                                            std::span<const ColumnView> values,
                                            const MemoryMeter& meter) const {
  const Queue queue(gpu_.memory, made_on.get());
  std::deque<OnGpuValues> include;
  for (const ColumnView& column : values)
    rows.included.push_back(include.emplace_back(column, queue).values());
  return build_native(std::move(made_on), rows, SegmentUse::main, meter);
}

// Strings, keys of 128 bits and tuples, which are copied to the GPU where they are in host memory.
NewSegment DeviceSegmentBuilder::build_tuples(const ColumnView& column,
                                              const BuildOptions& options) const {
  const MemoryMeter meter;
  const std::vector<ColumnView> include = columns_of(options.include);
  PooledStream own = build_stream(options.stream, with_included({{column, "keys"}}, include));
  const Queue queue(gpu_.memory, own.get());
  const WaitOnExit wait(queue);
  const OnGpuTuples tuples(column, queue);
  std::vector<Type> types;
  for (const ColumnView& part : column.parts()) types.push_back(part.type());
  const bool is_composite = column.type() == Type::composite;
  if (!is_composite) types.push_back(column.type());
  CodedColumn coded = encode_on_device(tuples.tuples(), types, is_composite, kind_->key_use, queue);
  NativeRows rows{column.type(), coded.elements, coded.extent, {}, column.size()};
  rows.codec = std::move(coded.codec);
  rows.base = coded.base;
  rows.full = std::move(coded.full);
  return build_main(std::move(own), std::move(rows), include, meter);
}

NewSegment DeviceSegmentBuilder::build_column(const ColumnView& column,
                                              const BuildOptions& options) const {
  const std::vector<ColumnView> include = columns_of(options.include);
  if (column.interval_ends()) {
    require_interval_kind();
    // The host finds out what is wrong with them.
    if (std::optional<NewSegment> made = build_intervals(column, include, options.stream))
      return std::move(*made);
  }
  if (column.are_points() && !kind_->points) {
    if (std::optional<NewSegment> made = build_points(column, include, options.stream))
      return std::move(*made);
  }
  if (!is_native(column.type())) {
    if (kind_->positions && !column.interval_ends() && !column.are_points() &&
        column.parts().size() <= PackedMap::max_fields)
      return build_tuples(column, options);
    const HostColumn keys(column, "keys", options.stream);
    const HostIncluded here(include, options.stream);
    std::vector<IncludedColumn> named;
    for (std::size_t i = 0; i < include.size(); ++i)
      named.push_back({options.include.columns()[i].name, here.views()[i]});
    BuildOptions on_host = options;
    on_host.include = std::move(named);
    return on_gpu(host_.build(keys.view(), on_host));
  }
  const MemoryMeter meter;
  PooledStream stream = build_stream(options.stream, with_included({{column, "keys"}}, include));
  const Queue queue(gpu_.memory, stream.get());
  const WaitOnExit wait(queue);
  const OnGpuElements keys(column, queue);
  NativeRows rows{
      column.type(), keys.elements(), extent_of(keys.elements(), queue), {}, column.size()};
  rows.rows_may_follow = rows.keys.validity != nullptr || rows.extent.descends == 0;
  return build_main(std::move(stream), std::move(rows), include, meter);
}

NewSegment DeviceSegmentBuilder::build(const ColumnView& column,
                                       const BuildOptions& options) const {
  const OnDevice current(gpu_.device);
  try {
    return build_column(column, options);
  } catch (...) {
    // Other allocations can use the memory of the failed build.
    trim_all_unused();
    throw;
  }
}

NewSegment DeviceSegmentBuilder::build_rows(const NewRows& input, std::span<const Segment> current,
                                            std::size_t row_count) const {
  const OnDevice on_device(gpu_.device);
  const Segment& main = current.front();
  const Type type = main.codec->type();
  if (!is_native(type)) return on_gpu(build_rows_on_host(host_, input, current, row_count));
  if (is_small(input, main)) return build_few(input, type, row_count);
  const std::size_t columns = main.searcher->included().size();
  std::vector<ColumnView> new_values = input.include;  // those that are not set are kept
  new_values.resize(columns);
  const MemoryMeter meter;
  PooledStream own = build_stream(
      input.stream, with_included({{input.rows, "rows"}, {input.keys, "keys"}}, new_values));
  const Queue queue(gpu_.memory, own.get());
  WaitOnExit wait(queue);

  const OnGpuElements named =
      input.rows.has_value() ? OnGpuElements(input.rows, queue) : OnGpuElements();
  NativeRows rows{type, {}, {}, {}, row_count};
  rows.ids = {static_cast<const std::uint32_t*>(named.elements().data), input.first};
  std::optional<KeptOnGpu> kept;
  if (!input.keys.has_value() ||
      !std::all_of(new_values.begin(), new_values.end(),
                   [](const ColumnView& one) { return one.has_value(); }))
    kept.emplace(current, rows.ids.rows, input.count, row_count, queue);

  OnGpuElements keys;
  NewKeys converted;
  if (!input.keys.has_value()) {
    rows.keys = kept->keys();
    rows.extent = extent_of(rows.keys, queue);
  } else {
    keys = OnGpuElements(input.keys, queue);
    rows.keys = keys.elements();
    if (input.keys.type() == type) {
      rows.extent = extent_of(rows.keys, queue);
    } else {
      converted = convert_keys(rows.keys, element_type(type), 0, queue);
      if (converted.unfit) fail_unfit(input.keys, *converted.unfit, type, queue);
      rows.keys.data = converted.keys.data();
      rows.keys.type = bits_type;
      rows.extent = converted.extent;
    }
  }
  std::deque<OnGpuValues> include;
  for (std::size_t i = 0; i < columns; ++i)
    rows.included.push_back(new_values[i].has_value()
                                ? include.emplace_back(new_values[i], queue).values()
                                : kept->values(i));
  NewSegment made = build_native(
      std::move(own), rows, input.merged_at_once ? SegmentUse::merged : SegmentUse::delta, meter);
  if (input.merged_at_once) wait.release();  // the segment waits when it is destroyed
  return made;
}

// Keys that the host cannot read, or that a native column encodes by a subtraction.
std::optional<Refit> DeviceSegmentBuilder::plan_refit(const Segment& segment,
                                                      const ColumnView& rows,
                                                      const ColumnView& new_keys,
                                                      Stream stream) const {
  const std::optional<std::uint64_t> base = segment.codec->native_base();
  const std::optional<std::uint64_t> max_key = segment.searcher->capabilities().max_refit_key;
  if (!max_key || segment.codec->empty()) return std::nullopt;
  const OnDevice current(gpu_.device);
  if (!base) {
    const HostColumn host_rows(rows, "rows", stream);
    const HostColumn host_keys(new_keys, "new keys", stream);
    return host_.plan_refit(segment, host_rows.view(), host_keys.view(), stream);
  }
  auto arrays =
      std::make_shared<RefitArrays>(build_stream(stream, {{rows, "rows"}, {new_keys, "new keys"}}));
  const Queue queue(gpu_.memory, arrays->stream.get());
  const WaitOnExit wait(queue);
  arrays->rows = OnGpuElements(rows, queue);
  const OnGpuElements keys(new_keys, queue);
  arrays->keys = convert_keys(keys.elements(), element_type(segment.codec->type()), *base, queue);
  const NewKeys& encoded = arrays->keys;
  if (encoded.unfit) fail_unfit(new_keys, *encoded.unfit, segment.codec->type(), queue);
  if (encoded.extent.valid != new_keys.size() || encoded.extent.smallest < *base)
    return std::nullopt;
  const std::uint64_t span = std::max(segment.codec->span(), encoded.extent.largest - *base);
  if (span > *max_key) return std::nullopt;
  return Refit{{static_cast<const std::uint32_t*>(arrays->rows.elements().data),
                encoded.keys.data(), rows.size(), MemorySpace::device},
               span,
               arrays};
}

RowBitmapPtr DeviceSegmentBuilder::load_bitmap(Array<std::uint32_t> words, std::size_t rows) const {
  const OnDevice current(gpu_.device);
  return upload_bitmap(std::as_const(words).span(), rows, gpu_.memory);
}

CheckedRows DeviceSegmentBuilder::check_rows(const ColumnView& rows, const RowStates& states,
                                             Stream caller) const {
  const OnDevice current(gpu_.device);
  PooledStream stream = build_stream(caller, {{rows, "rows"}});
  const Queue queue(gpu_.memory, stream.get());
  const WaitOnExit wait(queue);
  const OnGpuElements named(rows, queue);
  RowBitmapWords bitmap(states.rows, queue);
  const NamedRows found =
      name_rows(static_cast<const std::uint32_t*>(named.elements().data), rows.size(),
                bits_of(states.erased), bits_of(states.nulls), bitmap, queue);
  if (!found.wrong)
    return {std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(bitmap), rows.size(),
                                              gpu_.memory),
            found.nulls};
  // The host finds the first invalid row and makes the message.
  const HostColumn list(rows, "rows", caller);
  const CheckedRows checked = rtindex::check_rows(row_ids(list.view()), states.rows,
                                                  on_host(states.erased), on_host(states.nulls));
  fail("the rows of the change were written while they were read: {} rows are right now",
       count_of(checked.named));
}

NewSegment DeviceSegmentBuilder::on_gpu(NewSegment built) const {
  built.nulls = cuda::on_gpu(built.nulls, gpu_.memory);
  return built;
}

RowBitmapPtr on_host(const RowBitmapPtr& bitmap) {
  if (bitmap == nullptr) return nullptr;
  return std::make_shared<HostRowBitmap>(bitmap->words(), bitmap->bits().rows);
}

std::vector<Segment> on_host(std::span<const Segment> segments) {
  std::vector<Segment> result(segments.begin(), segments.end());
  for (Segment& segment : result) segment.deleted = on_host(segment.deleted);
  return result;
}

RowBitmapPtr on_gpu(const RowBitmapPtr& bitmap, const std::shared_ptr<DeviceMemory>& memory) {
  if (bitmap == nullptr) return nullptr;
  const Array<std::uint32_t> words = bitmap->words();
  return upload_bitmap(words.span(), bitmap->bits().rows, memory);
}

HostColumn::HostColumn(const ColumnView& column, const char* name, Stream caller) : view_(column) {
  if (!column.has_value() || column.memory_space() == MemorySpace::host) return;
  copy_ = fetched(column, build_stream(caller, {{column, name}}).get());
  view_ = copy_.view();
  const std::span<const ColumnView> parts = view_.parts();
  if (column.are_points()) {
    view_ = ColumnView::points({parts.begin(), parts.end()});
    if (column.validity() != nullptr)
      view_ = view_.with_validity(copy_.view().validity(), copy_.view().validity_offset());
  }
  if (!column.interval_ends()) return;
  view_ = ColumnView::intervals(parts[parts.size() - 2], parts.back(), *column.interval_ends(),
                                {parts.begin(), parts.end() - 2})
              .with_validity(view_.validity(), view_.validity_offset());
}

}  // namespace rtindex::cuda
