#include "order/cuda/row_values.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <utility>

#include "answers/cuda/tree.cuh"
#include "base/cuda/launch.cuh"
#include "base/types.hpp"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* moving_values = "moving included values";

__global__ void count_from_zero(std::uint32_t* numbers, std::size_t size) {
  const std::size_t i = thread_number();
  if (i < size) numbers[i] = static_cast<std::uint32_t>(i);
}

DeviceArray<std::uint32_t> numbers_below(std::size_t size, const Queue& queue) {
  DeviceArray<std::uint32_t> numbers(queue, size);
  if (size != 0)
    count_from_zero<<<blocks_for(size), block_threads, 0, queue>>>(numbers.data(), size);
  check_launch(moving_values);
  return numbers;
}

// Calls work(T*) with an unsigned integer of as many bytes as an element of the type.
template <class Work>
void visit_width(Type type, Work&& work) {
  switch (width_of(type)) {
    case 1: return work(static_cast<std::uint8_t*>(nullptr));
    case 2: return work(static_cast<std::uint16_t*>(nullptr));
    case 4: return work(static_cast<std::uint32_t*>(nullptr));
    default: return work(static_cast<std::uint64_t*>(nullptr));
  }
}

template <class Element>
__global__ void gather_elements(const Element* from, const std::uint32_t* elements,
                                std::size_t size, Element* to) {
  const std::size_t i = thread_number();
  if (i < size) to[i] = from[elements[i]];
}

__global__ void gather_ids(RowIds ids, const std::uint32_t* elements, std::size_t size,
                           std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i < size) rows[i] = ids[elements[i]];
}

template <class Element>
__global__ void append_values(const std::uint32_t* from_rows, const Element* from, std::size_t size,
                              RowBits deleted, std::uint32_t* rows, Element* values,
                              std::uint32_t* count) {
  const std::size_t i = thread_number();
  if (i >= size || deleted.has(from_rows[i])) return;
  const std::uint32_t to = atomicAdd(count, 1U);
  rows[to] = from_rows[i];
  values[to] = from[i];
}

// An element as it is written.
template <class T>
using element_t = std::conditional_t<std::is_same_v<T, Half>, Half, value_t<T>>;

// Values in the order of a merge, as elements of their type.
template <class Class, class Element>
__global__ void take_values(OrderedAt<Class> first, std::uint32_t first_size,
                            OrderedAt<Class> second, const std::uint32_t* positions,
                            std::size_t size, Element* out) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  const std::uint32_t position = positions[i];
  out[i] =
      static_cast<Element>(position < first_size ? first(position) : second(position - first_size));
}

template <class Class, class Element>
__global__ void copy_values(OrderedAt<Class> values, RowsView rows, std::size_t size,
                            std::uint32_t* out_rows, Element* out) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  out_rows[i] = rows[i];
  out[i] = static_cast<Element>(values(i));
}

__global__ void name_bits(const std::uint32_t* rows, std::size_t count, std::uint32_t* words) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  atomicOr(&words[rows[i] / RowBits::word_bits],
           std::uint32_t{1} << (rows[i] % RowBits::word_bits));
}

__global__ void expand_bits(const std::uint8_t* bitmap, std::size_t offset, std::size_t size,
                            std::uint8_t* bytes) {
  const std::size_t i = thread_number();
  if (i < size) bytes[i] = bitmap[(offset + i) / 8] >> ((offset + i) % 8) & 1;
}

// Finds the elements of the rows of a change.
struct ElementFinder {
  RowBits named;
  RowBits deleted;
  const std::uint32_t* rows;
  const std::uint32_t* elements;
  std::size_t size;

  // Calls callback(element) if the change has the row and it is not deleted.
  template <class Callback>
  __device__ void operator()(std::uint32_t row, Callback callback) const {
    if (!named.has(row) || deleted.has(row)) return;
    std::size_t low = 0;
    std::size_t high = size;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (rows[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    callback(elements[low]);
  }
};

__global__ void find_each_key(ElementFinder find, RowsView rows, KeysView keys, std::size_t size,
                              std::uint64_t* bits, std::uint32_t* valid) {
  for (std::size_t i = thread_number(); i < size; i += thread_count())
    find(rows[i], [&](std::uint32_t element) {
      bits[element] = keys(static_cast<std::uint32_t>(i));
      atomicOr(&valid[element / 32], std::uint32_t{1} << (element % 32));
    });
}

template <class Class, class Element>
__global__ void find_each_value(ElementFinder find, RowsView rows, OrderedAt<Class> values,
                                std::size_t size, Element* out) {
  for (std::size_t i = thread_number(); i < size; i += thread_count())
    find(rows[i], [&](std::uint32_t element) { out[element] = static_cast<Element>(values(i)); });
}

template <class Element>
__global__ void find_each_keyless(ElementFinder find, const std::uint32_t* rows,
                                  const Element* values, std::size_t size, Element* out) {
  const std::size_t i = thread_number();
  if (i < size) find(rows[i], [&](std::uint32_t element) { out[element] = values[i]; });
}

// Rows ascending, each with its number before.
void sort_numbered(DeviceArray<std::uint32_t>& rows, DeviceArray<std::uint32_t>& numbers,
                   std::size_t row_count, const Queue& queue) {
  numbers = numbers_below(rows.size(), queue);
  DeviceArray<std::uint32_t> other_rows(queue, rows.size());
  DeviceArray<std::uint32_t> other_numbers(queue, rows.size());
  if (rows.empty()) return;
  cub::DoubleBuffer<std::uint32_t> row_buffers(rows.data(), other_rows.data());
  cub::DoubleBuffer<std::uint32_t> number_buffers(numbers.data(), other_numbers.data());
  const int bits = std::max(1, static_cast<int>(std::bit_width(row_count)));
  with_scratch(queue, "sorting rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, row_buffers, number_buffers, rows.size(),
                                           0, bits, queue);
  });
  if (row_buffers.Current() != rows.data()) rows = std::move(other_rows);
  if (number_buffers.Current() != numbers.data()) numbers = std::move(other_numbers);
}

}  // namespace

KeylessValues keyless_of(const DeviceElements& column, std::size_t nulls, RowIds ids,
                         const void* values, Type type, const Queue& queue) {
  KeylessValues result;
  if (nulls == 0) return result;
  result.size = nulls;
  result.rows = DeviceArray<std::uint32_t>(queue, nulls);
  result.values = DeviceArray<std::uint8_t>(queue, nulls * width_of(type));
  const DeviceArray<std::uint32_t> elements = null_elements(column, nulls, queue);
  const unsigned blocks = blocks_for(nulls);
  gather_ids<<<blocks, block_threads, 0, queue>>>(ids, elements.data(), nulls, result.rows.data());
  visit_width(type, [&]<class Element>(Element*) {
    gather_elements<<<blocks, block_threads, 0, queue>>>(
        static_cast<const Element*>(values), elements.data(), nulls,
        reinterpret_cast<Element*>(result.values.data()));
  });
  check_launch(moving_values);
  return result;
}

KeylessValues merge_keyless(const KeylessValues& first, RowBits first_deleted,
                            const KeylessValues& second, RowBits second_deleted, Type type,
                            const Queue& queue) {
  KeylessValues result;
  const std::size_t max_rows = first.size + second.size;
  if (max_rows == 0) return result;
  result.rows = DeviceArray<std::uint32_t>(queue, max_rows);
  result.values = DeviceArray<std::uint8_t>(queue, max_rows * width_of(type));
  const DeviceArray<std::uint32_t> count(queue, 1);
  check(cudaMemsetAsync(count.data(), 0, sizeof(std::uint32_t), queue), "filling memory");
  const auto append = [&](const KeylessValues& from, RowBits deleted) {
    if (from.size == 0) return;
    visit_width(type, [&]<class Element>(Element*) {
      append_values<<<blocks_for(from.size), block_threads, 0, queue>>>(
          from.rows.data(), reinterpret_cast<const Element*>(from.values.data()), from.size,
          deleted, result.rows.data(), reinterpret_cast<Element*>(result.values.data()),
          count.data());
    });
  };
  append(first, first_deleted);
  append(second, second_deleted);
  check_launch(moving_values);
  std::uint32_t kept = 0;
  check(cudaMemcpyAsync(&kept, count.data(), sizeof(kept), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), moving_values);
  result.size = kept;
  return result;
}

OrderedValues merge_values(const OrderedValues& first, const OrderedValues* second,
                           const MergeSources& sources, OrderedWants wants, const Queue& queue) {
  const Type type = first.type();
  const std::size_t size = sources.positions.size();
  const DeviceArray<std::uint8_t> values(queue, size * width_of(type));
  if (size != 0)
    visit_native(type, [&]<class T>() {
      using Class = value_class_t<T>;
      const auto view = [](const OrderedValues& from) {
        return OrderedAt<Class>{from.view<Class>()};
      };
      take_values<<<blocks_for(size), block_threads, 0, queue>>>(
          view(first), static_cast<std::uint32_t>(sources.first_size),
          view(second == nullptr ? first : *second), sources.positions.data(), size,
          reinterpret_cast<element_t<T>*>(values.data()));
    });
  check_launch(moving_values);
  const DeviceArray<std::uint32_t> numbers = numbers_below(size, queue);
  return OrderedValues(values.data(), type, RowsView{numbers.data()}, size, DeletedPositions{},
                       wants, true, nullptr, queue);
}

DeviceArray<std::uint8_t> validity_bytes(const std::uint8_t* validity, std::size_t offset,
                                         std::size_t size, const Queue& queue) {
  DeviceArray<std::uint8_t> bytes(queue, size);
  if (size != 0)
    expand_bits<<<blocks_for(size), block_threads, 0, queue>>>(validity, offset, size,
                                                               bytes.data());
  check_launch(moving_values);
  return bytes;
}

ValuesByRow values_by_row(const OrderedValues& values, const DeviceOrder& order,
                          const KeylessValues& keyless, const Queue& queue) {
  const Type type = values.type();
  const std::size_t width = width_of(type);
  const std::size_t size = order.size() + keyless.size;
  ValuesByRow result;
  result.rows = DeviceArray<std::uint32_t>(queue, size);
  const DeviceArray<std::uint8_t> unsorted(queue, size * width);
  if (order.size() != 0)
    visit_native(type, [&]<class T>() {
      using Class = value_class_t<T>;
      copy_values<<<blocks_for(order.size()), block_threads, 0, queue>>>(
          OrderedAt<Class>{values.view<Class>()}, order.rows(), order.size(), result.rows.data(),
          reinterpret_cast<element_t<T>*>(unsorted.data()));
    });
  check_launch(moving_values);
  if (keyless.size != 0) {
    check(cudaMemcpyAsync(result.rows.data() + order.size(), keyless.rows.data(),
                          keyless.size * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice, queue),
          "copying on the GPU");
    check(cudaMemcpyAsync(unsorted.data() + order.size() * width, keyless.values.data(),
                          keyless.size * width, cudaMemcpyDeviceToDevice, queue),
          "copying on the GPU");
  }
  DeviceArray<std::uint32_t> numbers;
  sort_numbered(result.rows, numbers, order.row_count(), queue);
  result.values = DeviceArray<std::uint8_t>(queue, size * width);
  if (size != 0)
    visit_width(type, [&]<class Element>(Element*) {
      gather_elements<<<blocks_for(size), block_threads, 0, queue>>>(
          reinterpret_cast<const Element*>(unsorted.data()), numbers.data(), size,
          reinterpret_cast<Element*>(result.values.data()));
    });
  check_launch(moving_values);
  return result;
}

NamedElements::NamedElements(const std::uint32_t* rows, std::size_t count, std::size_t row_count,
                             const Queue& queue)
    : named_(queue, RowBits::words_of(row_count)), rows_(queue, count), row_count_(row_count) {
  if (count == 0) return;
  check(cudaMemsetAsync(named_.data(), 0, named_.bytes(), queue), "filling memory");
  name_bits<<<blocks_for(count), block_threads, 0, queue>>>(rows, count, named_.data());
  check_launch("marking rows");
  check(cudaMemcpyAsync(rows_.data(), rows, rows_.bytes(), cudaMemcpyDeviceToDevice, queue),
        "copying on the GPU");
  sort_numbered(rows_, elements_, row_count, queue);
}

void NamedElements::find_keys(const DeviceOrder& order, std::uint64_t base, RowBits deleted,
                              std::uint64_t* bits, std::uint32_t* valid,
                              cudaStream_t stream) const {
  if (order.size() == 0 || rows_.empty()) return;
  const ElementFinder find{
      {named_.data(), row_count_}, deleted, rows_.data(), elements_.data(), rows_.size()};
  find_each_key<<<loop_blocks(order.size()), block_threads, 0, stream>>>(
      find, order.rows(), order.keys(base), order.size(), bits, valid);
  check_launch("finding the keys of rows");
}

void NamedElements::find_values(const DeviceOrder& order, const OrderedValues& ordered,
                                const KeylessValues& keyless, RowBits deleted, void* values,
                                cudaStream_t stream) const {
  if (rows_.empty()) return;
  const ElementFinder find{
      {named_.data(), row_count_}, deleted, rows_.data(), elements_.data(), rows_.size()};
  if (order.size() != 0)
    visit_native(ordered.type(), [&]<class T>() {
      using Class = value_class_t<T>;
      find_each_value<<<loop_blocks(order.size()), block_threads, 0, stream>>>(
          find, order.rows(), OrderedAt<Class>{ordered.view<Class>()}, order.size(),
          static_cast<element_t<T>*>(values));
    });
  if (keyless.size != 0)
    visit_width(ordered.type(), [&]<class Element>(Element*) {
      find_each_keyless<<<blocks_for(keyless.size), block_threads, 0, stream>>>(
          find, keyless.rows.data(), reinterpret_cast<const Element*>(keyless.values.data()),
          keyless.size, static_cast<Element*>(values));
    });
  check_launch("finding the values of rows");
}

}  // namespace rtindex::cuda
