#include <utility>

#include "answers/request.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_backend.hpp"
#include "engine/cuda/segment_input.hpp"
#include "engine/row_sets.hpp"
#include "order/cuda/device_columns.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

namespace {

using Memory = std::shared_ptr<DeviceMemory>;

// A set of the host on the GPU.
RowBitmapPtr uploaded_marks(const RowBitmapPtr& bitmap, const Memory& memory) {
  if (bitmap == nullptr) return nullptr;
  const Array<std::uint32_t> words = bitmap->words();
  return upload_marks(words.span(), bitmap->bits().rows, memory);
}

}  // namespace

CheckedRows DeviceBackend::check_rows(const Spec& spec, const ColumnView& rows,
                                      const RowStates& states, Stream user_stream) const {
  const OnDevice current(spec.device_number());
  const Memory memory = current_memory(states.memory);
  PooledStream stream = build_stream(user_stream, {{rows, "rows"}});
  const Queue queue(memory, stream.get());
  const WaitOnExit wait(queue);
  const OnGpuElements named(rows, queue);
  MarkedWords marked(states.rows, queue);
  const NamedRows found =
      name_rows(static_cast<const std::uint32_t*>(named.elements().data), rows.size(),
                bits_of(states.erased), bits_of(states.nulls), marked, queue);
  if (!found.wrong)
    return {std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(marked), rows.size(),
                                              memory),
            found.nulls};
  // The host finds the first wrong row, and the words for it.
  OwnedColumn copy;
  ColumnView list = rows;
  if (rows.memory_space() == MemorySpace::device) {
    copy = fetched(rows, queue);
    list = copy.view();
  }
  const CheckedRows checked = Backend::check_rows(
      spec, list, {states.rows, on_host(states.erased), on_host(states.nulls), nullptr}, {});
  fail("the rows of the change were written while they were read: {} rows are right now",
       count_of(checked.named));
}

// Finds rows twice, as every caller with device memory does: first how many there are.
RowBitmapPtr DeviceBackend::matching_rows(const Spec& spec, std::span<const Segment> segments,
                                          const ColumnView& keys, std::size_t row_count,
                                          Stream user_stream) const {
  const OnDevice current(spec.device_number());
  const Memory memory = segments.front().structure->device_memory();
  if (!is_native(keys.type())) {
    OwnedColumn copy;
    if (keys.memory_space() == MemorySpace::device)
      copy = fetched(keys, build_stream(user_stream, {{keys, "keys"}}).get());
    const ColumnView here = keys.memory_space() == MemorySpace::device ? copy.view() : keys;
    return uploaded_marks(Backend::matching_rows(spec, segments, here, row_count, user_stream),
                          memory);
  }
  PooledStream stream = build_stream(user_stream, {{keys, "keys"}});
  const Queue queue(memory, stream.get());
  const WaitOnExit wait(queue);
  const OnGpuElements copied(keys, queue);
  const ColumnView lookups = copied.view();
  const DeviceArray<std::uint64_t> offsets(queue, keys.size() + 1);
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.offsets = offsets.data();
  const auto find = [&] {
    Request request = request_into({.stream = {queue}}, {}, outputs);
    request.answers = Answer::rows;
    answer(segments, lookups, lookups, QueryKind::equal, request);
  };
  find();
  std::uint64_t count = 0;
  copy_to_host(&count, offsets.data() + keys.size(), sizeof(count), queue);
  if (count == 0) return nullptr;
  const DeviceArray<std::uint32_t> rows(queue, count);
  outputs.rows = rows.data();
  outputs.rows_capacity = count;
  find();
  MarkedWords marked(row_count, queue);
  mark_listed(rows.data(), rows.size(), marked, queue);
  const std::size_t distinct = count_marked(marked, queue);
  if (distinct == 0) return nullptr;
  return std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(marked), distinct, memory);
}

RowBitmapPtr DeviceBackend::union_of(const Spec& spec, const RowBitmapPtr& a,
                                     const RowBitmapPtr& b) const {
  const OnDevice current(spec.device_number());
  return united_on_device(a, b);
}

RowBitmapPtr DeviceBackend::difference(const Spec& spec, const RowBitmapPtr& a,
                                       const RowBitmapPtr& b) const {
  const OnDevice current(spec.device_number());
  return without_on_device(a, b);
}

RowBitmapPtr DeviceBackend::load_bitmap(const Spec& spec, Array<std::uint32_t> words,
                                        std::size_t rows, const Memory& memory) const {
  const OnDevice current(spec.device_number());
  return upload_marks(std::as_const(words).span(), rows, current_memory(memory));
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

NewSegment on_device(NewSegment made, const Memory& memory) {
  made.nulls = uploaded_marks(made.nulls, memory);
  return made;
}

}  // namespace rtindex::cuda
