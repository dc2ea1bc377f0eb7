// What a column that is sorted already does not store.

#include "base/cuda/launch.cuh"
#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

namespace {

// Sets `gap` to 1 if a row does not follow the one before it. In a column without an order all
// threads stop at once.
__global__ void find_gap(RowsView rows, std::size_t size, std::uint32_t* gap) {
  for (std::size_t i = thread_number(); i + 1 < size; i += thread_count()) {
    if (*const_cast<const volatile std::uint32_t*>(gap) != 0) return;
    if (rows[i + 1] - rows[i] == 1) continue;
    *gap = 1;
    return;
  }
}

template <class Key>
__global__ void extract_keys(KeysView from, std::size_t size, Key* to) {
  const std::size_t i = thread_number();
  if (i < size) to[i] = static_cast<Key>(from(static_cast<std::uint32_t>(i)));
}

}  // namespace

void DeviceOrder::drop_rows(bool keys_too, const Queue& queue) {
  if (size_ == 0) return;
  if (has_rows()) {
    if (!find_first_row(queue)) return;
    const auto extract = [&]<class Key>(DeviceArray<Key>& into) {
      into = DeviceArray<Key>(queue, size_ + padding);
      extract_keys<<<blocks_for(size_), block_threads, 0, queue>>>(keys(), size_, into.data());
      check_launch("copying keys");
      check(cudaMemsetAsync(into.data() + size_, 0xff, padding * sizeof(Key), queue),
            "filling memory");
    };
    if (layout_ == Layout::pairs && is_wide())
      extract(wide_);
    else if (layout_ == Layout::pairs)
      extract(narrow_);
    pairs_ = DeviceArray<std::uint64_t>();
    rows_ = DeviceArray<std::uint32_t>();
    layout_ = Layout::keys;
  }
  find_stats(queue);
  if (keys_too && unique_ && !is_wide()) drop_keys(queue);
}

bool DeviceOrder::find_first_row(const Queue& queue) {
  const RowsView view = rows();
  const std::size_t at_first = view.in_blocks ? KeyBlocks::row_at(0) : 0;
  const DeviceArray<std::uint32_t> on_device(queue, 1);
  std::uint32_t gap = 0;
  std::uint32_t first = 0;
  check(cudaMemsetAsync(on_device.data(), 0, sizeof(gap), queue), "filling memory");
  find_gap<<<loop_blocks(size_), block_threads, 0, queue>>>(view, size_, on_device.data());
  check_launch("comparing rows");
  check(cudaMemcpyAsync(&gap, on_device.data(), sizeof(gap), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaMemcpyAsync(&first, view.rows + at_first, sizeof(first), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "comparing rows");
  if (gap != 0) return false;
  first_row_ = first;
  return true;
}

// The keys are unique.
void DeviceOrder::drop_keys(const Queue& queue) {
  std::uint32_t first = 0;
  check(cudaMemcpyAsync(&first, narrow_.data(), sizeof(first), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "copying from the GPU");
  if (last_key_ - first != size_ - 1) return;
  first_key_ = first;
  narrow_ = DeviceArray<std::uint32_t>();
  layout_ = Layout::sequence;
}

}  // namespace rtindex::cuda
