#include "order/cuda/device_points.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <utility>

#include "base/cuda/launch.cuh"
#include "keys/cuda/element_bits.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* ordering_points = "ordering points";
constexpr std::uint32_t log2_knots = 9;
constexpr std::uint32_t knots = 1U << log2_knots;
constexpr std::size_t max_sample = std::size_t{1} << 14;
constexpr std::uint32_t max_columns = PointsView::max_columns;

template <class Key>
__global__ void encode_kernel(const __grid_constant__ DeviceElements column, std::uint64_t base,
                              std::uint64_t null_key, Key* keys) {
  const std::size_t i = thread_number();
  if (i >= column.size) return;
  keys[i] = static_cast<Key>(is_valid(column, i) ? bits_of(column, i) - base : null_key);
}

// In steps that are not a whole number of rows, because columns may have a period.
__global__ void take_sample(const __grid_constant__ PointsView points, std::uint32_t column,
                            std::size_t size, std::uint32_t sample_size, std::uint64_t* sample) {
  const std::size_t i = thread_number();
  if (i < sample_size) sample[i] = points.key(column, i * size / sample_size);
}

// The quantiles of a sorted sample, and its largest key behind them.
__global__ void take_knots(const std::uint64_t* sample, std::uint32_t sample_size,
                           std::uint64_t* quantiles) {
  const auto i = static_cast<std::uint32_t>(thread_number());
  if (i > knots) return;
  const std::uint64_t at = std::uint64_t{i} * sample_size / knots;
  quantiles[i] = sample[at < sample_size ? at : sample_size - 1];
}

// About the rank of a key, as a fraction of 2^32: linear between quantiles.
[[nodiscard]] __device__ std::uint32_t rank_of(const std::uint64_t* quantiles, std::uint64_t key) {
  std::uint32_t above = 0;  // quantiles that are not greater
  for (std::uint32_t step = knots / 2; step > 0; step /= 2)
    if (quantiles[above + step - 1] <= key) above += step;
  if (above < knots && quantiles[above] <= key) ++above;
  if (above == 0) return 0;
  constexpr std::uint32_t piece_bits = 32 - log2_knots;
  constexpr std::uint32_t last = (1U << piece_bits) - 1;
  const std::uint64_t from = quantiles[above - 1];
  const std::uint64_t to = quantiles[above];
  std::uint32_t within = 0;
  if (to > from) {
    const float part = static_cast<float>(key - from) / static_cast<float>(to - from);
    within = part >= 1.0F ? last : static_cast<std::uint32_t>(part * static_cast<float>(last));
  }
  return (above - 1) << piece_bits | within;
}

// Bit b of the rank of column c becomes bit b * columns + (columns - 1 - c).
__global__ void make_codes(const __grid_constant__ PointsView points, std::size_t size,
                           std::uint32_t bits, const std::uint64_t* all_quantiles,
                           std::uint64_t* codes, std::uint32_t* elements) {
  __shared__ std::uint64_t quantiles[max_columns * (knots + 1)];
  for (std::uint32_t i = threadIdx.x; i < points.columns * (knots + 1); i += blockDim.x)
    quantiles[i] = all_quantiles[i];
  __syncthreads();
  for (std::size_t i = thread_number(); i < size; i += thread_count()) {
    std::uint64_t code = 0;
    for (std::uint32_t c = 0; c < points.columns; ++c) {
      const std::uint32_t rank =
          rank_of(quantiles + c * (knots + 1), points.key(c, i)) >> (32 - bits);
      for (std::uint32_t bit = 0; bit < bits; ++bit)
        code |= static_cast<std::uint64_t>(rank >> bit & 1)
                << (bit * points.columns + points.columns - 1 - c);
    }
    codes[i] = code;
    elements[i] = static_cast<std::uint32_t>(i);
  }
}

[[nodiscard]] DeviceArray<std::uint64_t> quantiles_of(const DevicePoints& points,
                                                      const Queue& queue) {
  const PointsView view = points.view();
  const auto sample_size = static_cast<std::uint32_t>(std::min(points.size, max_sample));
  DeviceArray<std::uint64_t> quantiles(queue, points.columns.size() * (knots + 1));
  const DeviceArray<std::uint64_t> sample(queue, sample_size);
  const DeviceArray<std::uint64_t> sorted(queue, sample_size);
  for (std::uint32_t c = 0; c < view.columns; ++c) {
    take_sample<<<blocks_for(sample_size), block_threads, 0, queue>>>(view, c, points.size,
                                                                      sample_size, sample.data());
    check_launch(ordering_points);
    with_scratch(queue, ordering_points, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, sample.data(), sorted.data(),
                                            sample_size, 0, (view.wide >> c & 1) != 0 ? 64 : 32,
                                            queue);
    });
    take_knots<<<blocks_for(knots + 1), block_threads, 0, queue>>>(
        sorted.data(), sample_size, quantiles.data() + std::size_t{c} * (knots + 1));
    check_launch(ordering_points);
  }
  return quantiles;
}

}  // namespace

PointsView DevicePoints::view() const {
  PointsView view;
  view.columns = static_cast<std::uint32_t>(columns.size());
  for (std::uint32_t c = 0; c < view.columns; ++c) {
    view.keys[c] = columns[c].keys.data();
    view.wide |= (columns[c].is_wide ? 1U : 0U) << c;
  }
  return view;
}

DevicePoints::Column encode_points(const DeviceElements& column, std::uint64_t base,
                                   std::uint64_t null_key, std::uint64_t largest,
                                   const Queue& queue) {
  DevicePoints::Column result;
  result.is_wide = is_wide(largest);
  with_key_type(result.is_wide, [&]<class Key>(Key) {
    result.keys = DeviceBytes(queue, column.size * sizeof(Key));
    if (column.size != 0)
      encode_kernel<<<blocks_for(column.size), block_threads, 0, queue>>>(
          column, base, null_key, static_cast<Key*>(result.keys.data()));
  });
  check_launch("encoding points");
  return result;
}

DeviceArray<std::uint32_t> order_of_points(const DevicePoints& points, const Queue& queue) {
  const std::size_t size = points.size;
  DeviceArray<std::uint32_t> elements(queue, size);
  if (size == 0) return elements;
  // Few enough that a sort takes six passes over the codes of up to six columns.
  const auto columns = static_cast<std::uint32_t>(points.columns.size());
  const std::uint32_t bits = std::min(24U, std::max(48U / columns, 8U));
  const DeviceArray<std::uint64_t> quantiles = quantiles_of(points, queue);
  const DeviceArray<std::uint64_t> codes(queue, size);
  const DeviceArray<std::uint64_t> other_codes(queue, size);
  DeviceArray<std::uint32_t> other_elements(queue, size);
  make_codes<<<loop_blocks(size), block_threads, 0, queue>>>(
      points.view(), size, bits, quantiles.data(), codes.data(), elements.data());
  check_launch(ordering_points);
  cub::DoubleBuffer<std::uint64_t> code_buffers(codes.data(), other_codes.data());
  cub::DoubleBuffer<std::uint32_t> element_buffers(elements.data(), other_elements.data());
  with_scratch(queue, ordering_points, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, code_buffers, element_buffers, size, 0,
                                           static_cast<int>(bits * columns), queue);
  });
  if (element_buffers.Current() != elements.data()) std::swap(elements, other_elements);
  return elements;
}

}  // namespace rtindex::cuda
