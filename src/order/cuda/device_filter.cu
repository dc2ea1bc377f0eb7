#include "order/cuda/device_filter.cuh"

#include "base/cuda/launch.cuh"
#include "order/cuda/device_order.hpp"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

template <class Order>
__global__ void set_bits(Order order, KeyFilter filter, std::uint32_t* words) {
  for (std::size_t i = thread_number(); i < order.size; i += thread_count()) {
    const KeyFilter::Bits key = filter.bits_of(order.key(static_cast<std::uint32_t>(i)));
    atomicOr(words + key.word, key.bits);
  }
}

}  // namespace

DeviceFilter build_filter(const DeviceOrder& order, const Queue& queue) {
  DeviceArray<std::uint32_t> words(queue, KeyFilter::words_for(order.size()));
  check(cudaMemsetAsync(words.data(), 0, words.bytes(), queue), "filling memory");
  const KeyFilter filter{words.data(), static_cast<std::uint32_t>(words.size())};
  const auto fill = [&]<class Key, Layout layout>() {
    set_bits<<<loop_blocks(order.size()), block_threads, 0, queue>>>(OrderView<Key, layout>(order),
                                                                     filter, words.data());
  };
  with_key_type(order.is_wide(), [&]<class Key>(Key) {
    if (order.layout() == Layout::pairs)
      fill.template operator()<Key, Layout::pairs>();
    else
      fill.template operator()<Key, Layout::split>();
  });
  check_launch("building a filter");
  return DeviceFilter(std::move(words));
}

}  // namespace rtindex::cuda
