#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_backend.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "keys/cuda/device_codec.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/full_order.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

namespace {

using Memory = std::shared_ptr<DeviceMemory>;

// Keys of rows as their ordered_bits().
constexpr ElementType bits_type{ElementType::Kind::unsigned_int, 8};

// What the rows of a change keep, from the segments that hold it.
class KeptOnGpu {
 public:
  KeptOnGpu(std::span<const Segment> segments, const std::uint32_t* rows, std::size_t count,
            std::size_t row_count, const Queue& queue)
      : segments_(segments), count_(count), queue_(queue), named_(rows, count, row_count, queue) {}

  // Their keys; null where they have none.
  [[nodiscard]] DeviceElements keys() {
    bits_ = DeviceArray<std::uint64_t>(queue_, count_);
    valid_ = DeviceArray<std::uint32_t>(queue_, RowBits::words_of(count_));
    check(cudaMemsetAsync(valid_.data(), 0, valid_.bytes(), queue_), "filling memory");
    for (const Segment& segment : segments_)
      named_.find_keys(arrays_of(segment).order, segment.codec->native_base().value_or(0),
                       bits_of(segment.deleted), bits_.data(), valid_.data(), queue_);
    return {bits_.data(), bits_type, reinterpret_cast<const std::uint8_t*>(valid_.data()), 0,
            count_};
  }
  // Their included values.
  [[nodiscard]] const void* values(Type type) {
    values_ = DeviceArray<std::uint8_t>(queue_, count_ * width_of(type));
    check(cudaMemsetAsync(values_.data(), 0, values_.bytes(), queue_), "filling memory");
    for (const Segment& segment : segments_) {
      const OrderedArrays& arrays = arrays_of(segment);
      named_.find_values(arrays.order, *arrays.included, arrays.keyless, bits_of(segment.deleted),
                         values_.data(), queue_);
    }
    return values_.data();
  }

 private:
  std::span<const Segment> segments_;
  std::size_t count_;
  Queue queue_;
  NamedElements named_;
  DeviceArray<std::uint64_t> bits_;
  DeviceArray<std::uint32_t> valid_;
  DeviceArray<std::uint8_t> values_;
};

[[noreturn]] void fail_unfit(const ColumnView& keys, std::size_t element, Type type,
                             cudaStream_t stream) {
  fail(
      "key {} does not fit the column's type {}: give another, or build a new index of a wider "
      "type",
      element_text(keys, static_cast<std::uint32_t>(element), stream), name_of(type));
}

}  // namespace

struct DeviceBackend::NativeRows {
  Type type;            // of the column
  DeviceElements keys;  // of that type, or their bits_type
  DeviceExtent extent;
  RowIds ids;
  std::size_t row_count;
  std::optional<Type> value_type;
  const void* values = nullptr;  // one for each element
  // Of keys that are encoded already, before the base is subtracted; null: of the type.
  std::shared_ptr<KeyCodec> codec = {};
  std::uint64_t base = 0;
  std::shared_ptr<DeviceFullKeys> full = {};
};

void DeviceBackend::require_held(const Spec& spec, const DeviceColumn& column,
                                 const KeyCodec& codec, cudaStream_t stream) const {
  const DeviceOptions options = device_options(spec);
  if (!options.holds || options.holds(column.span)) return;
  const EncodedColumn encoded = downloaded(column, stream);
  const OwnedColumn keys = codec.decode(encoded);
  options.refuse(encoded, [&](std::uint32_t row) {
    for (std::size_t i = 0; i < encoded.size(); ++i)
      if (encoded.row(i) == row) return keys.view().text(i);
    return std::string();
  });
}

NewSegment DeviceBackend::build_native(const Spec& spec, PooledStream made_on,
                                       const NativeRows& input, SegmentUse use,
                                       const Memory& memory, const MemoryMeter& meter) const {
  const Queue queue(memory, made_on.get());
  const std::size_t nulls = input.keys.size - input.extent.valid;
  std::shared_ptr<KeyCodec> codec = input.codec;
  if (codec == nullptr)
    codec = make_native_codec(input.type, {input.extent.smallest, input.extent.largest});
  const NativeMap map{input.keys.type, codec->native_base().value_or(input.base), codec->span(),
                      codec->empty()};
  const DeviceOptions options = device_options(spec);
  const bool is_compared = input.full != nullptr && input.full->compares();
  const auto room = options.layout == Layout::pairs && !is_compared
                        ? std::optional(DeviceOrder::padding)
                        : std::nullopt;
  DeviceRows rows(std::move(made_on));
  rows.row_count = input.row_count;
  const bool has_values = input.value_type.has_value();
  rows.column =
      encode_column(input.keys, map, input.extent.valid, has_values ? RowIds{} : input.ids,
                    has_values ? input.keys.size : input.row_count, room, queue);
  require_held(spec, rows.column, *codec, queue);
  if (is_compared) {
    rows.column = in_full_order(std::move(rows.column), input.full->view(), queue);
    rows.sorting = Sorting::by_full_keys;
  }
  rows.full = input.full;
  if (has_values) {
    rows.value_type = input.value_type;
    rows.values = input.values;
    rows.ids = input.ids;
    rows.keyless = keyless_of(input.keys, nulls, input.ids, input.values, *input.value_type, queue);
  }
  NewSegment result;
  result.segment.structure = build_keys(spec, std::move(rows), use, memory, meter);
  result.segment.codec = std::move(codec);
  if (nulls == 0) return result;
  PooledStream own;
  cuda::wait_for(own.get(), queue);
  MarkedWords marked(input.row_count, {memory, own.get()});
  mark_nulls(input.keys, input.ids, marked, own.get());
  own.wait();
  result.nulls =
      std::make_shared<DeviceRowBitmap>(std::move(own), std::move(marked), nulls, memory);
  return result;
}

NewSegment DeviceBackend::build_included(const Spec& spec, PooledStream made_on, NativeRows rows,
                                         const ColumnView& values, const Memory& memory,
                                         const MemoryMeter& meter) const {
  OnGpuElements include;
  if (values.has_value()) {
    include = OnGpuElements(values, {memory, made_on.get()});
    rows.value_type = values.type();
    rows.values = include.elements().data;
  }
  return build_native(spec, std::move(made_on), rows, SegmentUse::main, memory, meter);
}

// Strings and tuples, which are copied to the GPU where they are in host memory.
NewSegment DeviceBackend::build_tuples(const Spec& spec, const ColumnView& column,
                                       const BuildOptions& build) const {
  const Memory memory = current_memory(build.device_memory);
  const MemoryMeter meter;
  PooledStream own =
      build_stream(build.stream, {{column, "keys"}, {build.include, "included values"}});
  const Queue queue(memory, own.get());
  const WaitOnExit wait(queue);
  const OnGpuTuples tuples(column, queue);
  std::vector<Type> types;
  for (const ColumnView& part : column.parts()) types.push_back(part.type());
  const bool is_composite = column.type() == Type::composite;
  if (!is_composite) types.push_back(column.type());
  CodedColumn coded = encode_on_device(tuples.tuples(), types, is_composite, key_use(), queue);
  NativeRows rows{column.type(), coded.elements, coded.extent, {}, column.size(), {}};
  rows.codec = std::move(coded.codec);
  rows.base = coded.base;
  rows.full = std::move(coded.full);
  return build_included(spec, std::move(own), std::move(rows), build.include, memory, meter);
}

NewSegment DeviceBackend::build_column(const Spec& spec, const ColumnView& column,
                                       const BuildOptions& build) const {
  const OnDevice current(spec.device_number());
  try {
    const Memory memory = current_memory(build.device_memory);
    if (!is_native(column.type())) {
      if (encodes_on_device(spec) && column.parts().size() <= PackedMap::max_parts)
        return build_tuples(spec, column, build);
      if (column.memory_space() == MemorySpace::host)
        return on_device(Backend::build_column(spec, column, build), memory);
      const PooledStream stream = build_stream(build.stream, {{column, "keys"}});
      const OwnedColumn here = fetched(column, stream.get());
      return on_device(Backend::build_column(spec, here.view(), build), memory);
    }
    const MemoryMeter meter;
    PooledStream stream =
        build_stream(build.stream, {{column, "keys"}, {build.include, "included values"}});
    const Queue queue(memory, stream.get());
    const WaitOnExit wait(queue);
    const OnGpuElements keys(column, queue);
    NativeRows rows{
        column.type(), keys.elements(), extent_of(keys.elements(), queue), {}, column.size(), {}};
    return build_included(spec, std::move(stream), rows, build.include, memory, meter);
  } catch (...) {
    // Memory that the failed build had taken is for others to use.
    give_back_unused();
    throw;
  }
}

NewSegment DeviceBackend::build_rows(const Spec& spec, const NewRows& given,
                                     std::span<const Segment> current,
                                     std::size_t row_count) const {
  const OnDevice on_gpu(spec.device_number());
  const Segment& main = current.front();
  const Memory memory = main.structure->device_memory();
  const Type type = main.codec->type();
  if (!is_native(type))
    return on_device(Backend::build_rows(spec, given, on_host(current), row_count), memory);
  const std::optional<Type> included = main.structure->included();
  const MemoryMeter meter;
  PooledStream own = build_stream(
      given.stream,
      {{given.rows, "rows"}, {given.keys, "keys"}, {given.include, "included values"}});
  const Queue queue(memory, own.get());
  WaitOnExit wait(queue);

  const OnGpuElements named =
      given.rows.has_value() ? OnGpuElements(given.rows, queue) : OnGpuElements();
  NativeRows rows{type, {}, {}, {}, row_count, included};
  rows.ids = {static_cast<const std::uint32_t*>(named.elements().data), given.first};
  std::optional<KeptOnGpu> kept;
  if (!given.keys.has_value() || (included && !given.include.has_value()))
    kept.emplace(current, rows.ids.rows, given.count, row_count, queue);

  OnGpuElements keys;
  NewKeys converted;
  if (!given.keys.has_value()) {
    rows.keys = kept->keys();
    rows.extent = extent_of(rows.keys, queue);
  } else {
    keys = OnGpuElements(given.keys, queue);
    rows.keys = keys.elements();
    if (given.keys.type() == type) {
      rows.extent = extent_of(rows.keys, queue);
    } else {
      converted = convert_keys(rows.keys, element_type(type), 0, queue);
      if (converted.unfit) fail_unfit(given.keys, *converted.unfit, type, queue);
      rows.keys.data = converted.keys.data();
      rows.keys.type = bits_type;
      rows.extent = converted.extent;
    }
  }
  OnGpuElements include;
  if (included && given.include.has_value()) {
    include = OnGpuElements(given.include, queue);
    rows.values = include.elements().data;
  } else if (included) {
    rows.values = kept->values(*included);
  }
  NewSegment made =
      build_native(spec, std::move(own), rows,
                   given.only_merged ? SegmentUse::merged : SegmentUse::delta, memory, meter);
  if (given.only_merged) wait.release();  // the segment waits when it goes
  return made;
}

// Work of the tracer's own system: rays find moved primitives.
bool DeviceBackend::refit(const Spec& spec, const Segment& segment, const ColumnView& rows,
                          const ColumnView& new_keys, Stream user_stream) const {
  const std::optional<std::uint64_t> base = segment.codec->native_base();
  if (!base) return Backend::refit(spec, segment, rows, new_keys, user_stream);
  if (segment.codec->empty()) return false;
  const OnDevice current(spec.device_number());
  const Memory memory = segment.structure->device_memory();
  const PooledStream own = build_stream(user_stream, {{rows, "rows"}, {new_keys, "new keys"}});
  const Queue queue(memory, own.get());
  const WaitOnExit wait(queue);
  const OnGpuElements named(rows, queue);
  const OnGpuElements keys(new_keys, queue);
  const NewKeys encoded =
      convert_keys(keys.elements(), element_type(segment.codec->type()), *base, queue);
  if (encoded.unfit) fail_unfit(new_keys, *encoded.unfit, segment.codec->type(), queue);
  if (encoded.extent.valid != new_keys.size() || encoded.extent.smallest < *base) return false;
  const std::uint64_t span = std::max(segment.codec->span(), encoded.extent.largest - *base);
  own.wait();
  if (!segment.structure->refit({static_cast<const std::uint32_t*>(named.elements().data),
                                 encoded.keys.data(), rows.size(), MemorySpace::device},
                                span))
    return false;
  segment.codec->set_span(span);
  return true;
}

}  // namespace rtindex::cuda
