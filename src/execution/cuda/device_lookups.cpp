#include "execution/cuda/device_lookups.hpp"

#include <algorithm>
#include <optional>

#include "answers/request.hpp"
#include "base/cuda/runtime.hpp"
#include "base/cuda/transfer.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/codec.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

namespace {

DeviceElements one_end(const ColumnView& column, std::size_t first, std::size_t count,
                       DeviceBytes& copy, DeviceBytes& validity,
                       const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  const std::size_t width = width_of(column.type());
  DeviceElements elements{static_cast<const std::byte*>(column.data()) + first * width,
                          element_type(column.type()), column.validity(),
                          column.validity_offset() + first, count};
  if (column.memory_space() == MemorySpace::device) return elements;
  copy = DeviceBytes(memory, count * width, stream);
  copy_to_device(copy.data(), elements.data, count * width, stream);
  elements.data = copy.data();
  if (elements.validity == nullptr) return elements;
  const std::size_t first_byte = elements.validity_offset / 8;
  elements.validity_offset %= 8;
  const std::size_t bytes = (elements.validity_offset + count + 7) / 8;
  validity = DeviceBytes(memory, bytes, stream);
  copy_to_device(validity.data(), elements.validity + first_byte, bytes, stream);
  elements.validity = static_cast<const std::uint8_t*>(validity.data());
  return elements;
}

}  // namespace

LookupElements elements_on_device(const LookupBatch& batch, std::size_t first, std::size_t count,
                                  const std::shared_ptr<DeviceMemory>& memory,
                                  cudaStream_t stream) {
  LookupElements elements;
  elements.lower = one_end(batch.lower(), first, count, elements.lower_copy,
                           elements.lower_validity, memory, stream);
  elements.upper = batch.kind() == LookupKind::point
                       ? elements.lower
                       : one_end(batch.upper(), first, count, elements.upper_copy,
                                 elements.upper_validity, memory, stream);
  return elements;
}

DeviceLookups LookupEncoder::encode(std::size_t first, std::size_t count,
                                    const LookupElements& elements, LookupBuffers& buffers,
                                    PinnedBytes& pinned, cudaStream_t stream) const {
  const KeyCodec& codec = batch_.codec();
  const std::optional<std::uint64_t> base = codec.native_base();
  DeviceLookups lookups;
  lookups.count = count;
  const auto encode_as = [&]<class Key>() {
    if (!base) {
      buffers.intervals = encode_on_host<Key>(first, count, pinned, stream);
    } else {
      const DeviceElements& low = elements.lower;
      const DeviceElements& high = elements.upper;
      if (batch_.kind() == LookupKind::point && reads_elements(low)) {
        lookups.elements = low.data;
        lookups.element_bytes = low.type.bytes;
        lookups.flip = low.type.kind == ElementType::Kind::signed_int
                           ? std::uint64_t{1} << (8 * low.type.bytes - 1)
                           : 0;
        lookups.base = *base;
        lookups.span = codec.span();
        return;
      }
      const NativeMap map{element_type(codec.type()), *base, codec.span(), codec.empty()};
      buffers.intervals = DeviceBytes(memory_, count * sizeof(KeyInterval<Key>), stream);
      encode_lookups(low, high, map, static_cast<KeyInterval<Key>*>(buffers.intervals.data()),
                     stream);
    }
    if (in_order_ && count > 1) {
      OrderedLookups<Key> ordered =
          order_lookups(static_cast<const KeyInterval<Key>*>(buffers.intervals.data()), count,
                        span_, memory_, stream);
      buffers.intervals = ordered.intervals.take_bytes();
      buffers.positions = ordered.positions.take_bytes();
      lookups.positions = static_cast<const std::uint32_t*>(buffers.positions.data());
    }
    lookups.intervals = buffers.intervals.data();
  };
  if (is_wide(span_))
    encode_as.operator()<std::uint64_t>();
  else
    encode_as.operator()<std::uint32_t>();
  return lookups;
}

// Whether kernels encode the elements of point lookups themselves, without a pass over the batch.
bool LookupEncoder::reads_elements(const DeviceElements& elements) const {
  const KeyCodec& codec = batch_.codec();
  const bool is_integer = elements.type.kind == ElementType::Kind::unsigned_int ||
                          elements.type.kind == ElementType::Kind::signed_int;
  return batch_.lower().type() == codec.type() && is_integer && elements.type.bytes >= 4 &&
         elements.validity == nullptr && !codec.empty() && !in_order_;
}

template <class Key>
DeviceBytes LookupEncoder::encode_on_host(std::size_t first, std::size_t count, PinnedBytes& pinned,
                                          cudaStream_t stream) const {
  pinned.reserve(std::min(count, large_piece_lookups) * sizeof(KeyInterval<Key>));
  auto* const out = reinterpret_cast<KeyInterval<Key>*>(pinned.data());
  DeviceArray<KeyInterval<Key>> on_device(memory_, count, stream);
  for (std::size_t done = 0; done < count; done += large_piece_lookups) {
    const std::size_t here = std::min(large_piece_lookups, count - done);
    if (done != 0) check(cudaStreamSynchronize(stream), "copying to the GPU");
    parallel_for(here, chunk_lookups, [&](std::size_t begin, std::size_t size) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      batch_.encode(first + done + begin, size, intervals, checks);
      for (std::size_t i = 0; i < size; ++i)
        out[begin + i] = intervals[i].empty()
                             ? KeyInterval<Key>{1, 0}
                             : KeyInterval<Key>{static_cast<Key>(intervals[i].lower),
                                                static_cast<Key>(intervals[i].upper)};
    });
    check(cudaMemcpyAsync(on_device.data() + done, out, here * sizeof(KeyInterval<Key>),
                          cudaMemcpyHostToDevice, stream),
          "copying to the GPU");
  }
  return on_device.take_bytes();
}

}  // namespace rtindex::cuda
