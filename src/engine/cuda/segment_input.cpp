#include "engine/cuda/segment_input.hpp"

#include <cstring>
#include <utility>

#include "base/cuda/host_copies.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "order/cuda/device_columns.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

OnGpuElements::OnGpuElements(const ColumnView& column, const Queue& queue)
    : type_(column.type()), elements_(elements_of(column)) {
  if (column.memory_space() == MemorySpace::device) return;
  copy_ = uploaded(static_cast<const std::uint8_t*>(column.data()),
                   column.size() * width_of(column.type()), queue);
  elements_.data = copy_.data();
  if (elements_.validity == nullptr) return;
  const std::size_t first = elements_.validity_offset / 8;
  elements_.validity_offset %= 8;
  validity_ = uploaded(elements_.validity + first,
                       (elements_.validity_offset + column.size() + 7) / 8, queue);
  elements_.validity = validity_.data();
}

OnGpuElements::OnGpuElements(const ColumnView& column, Staging& staging, const Queue& queue)
    : type_(column.type()), elements_(elements_of(column)) {
  if (column.memory_space() == MemorySpace::device) return;
  const auto copy = [&](const void* from, std::size_t bytes) {
    const std::span<std::byte> room = staging.room(bytes);
    std::memcpy(room.data(), from, bytes);
    DeviceArray<std::uint8_t> to(queue, bytes);
    check(cudaMemcpyAsync(to.data(), room.data(), bytes, cudaMemcpyHostToDevice, queue),
          "copying to the GPU");
    return to;
  };
  copy_ = copy(column.data(), column.size() * width_of(column.type()));
  elements_.data = copy_.data();
  if (elements_.validity == nullptr) return;
  const std::size_t first = elements_.validity_offset / 8;
  elements_.validity_offset %= 8;
  validity_ = copy(elements_.validity + first, (elements_.validity_offset + column.size() + 7) / 8);
  elements_.validity = validity_.data();
}

RowBitmapPtr null_rows(const DeviceElements& column, std::size_t nulls, RowIds ids,
                       std::size_t row_count, const Queue& queue) {
  if (nulls == 0) return nullptr;
  PooledStream own;
  wait_for(own.get(), queue);
  RowBitmapWords bitmap(row_count, {queue.memory(), own.get()});
  set_null_rows(column, ids, bitmap, own.get());
  own.wait();
  return std::make_shared<DeviceRowBitmap>(std::move(own), std::move(bitmap), nulls,
                                           queue.memory());
}

void fail_unfit(const ColumnView& keys, std::size_t element, Type type, cudaStream_t stream) {
  fail(
      "key {} does not fit the column's type {}: pass another, or build a new index of a wider "
      "type",
      element_text(keys, static_cast<std::uint32_t>(element), stream), name_of(type));
}

OnGpuValues::OnGpuValues(const ColumnView& column, const Queue& queue)
    : type_(column.type()), elements_(column, queue) {
  const DeviceElements& elements = elements_.elements();
  if (elements.validity != nullptr)
    valid_ = validity_bytes(elements.validity, elements.validity_offset, elements.size, queue);
}

OnGpuTuples::OnGpuTuples(const ColumnView& column, const Queue& queue) {
  CopiesIn in;
  tuples_ = tuples_on_device(column, 0, column.size(), copies_, in, queue);
  if (in.in_use()) check(cudaStreamSynchronize(queue), "copying to the GPU");
}

ColumnView OnGpuElements::view() const {
  ColumnView view = ColumnView::of(type_, elements_.data, elements_.size);
  if (elements_.validity != nullptr)
    view = view.with_validity(elements_.validity, elements_.validity_offset);
  return view.on_device();
}

}  // namespace rtindex::cuda
