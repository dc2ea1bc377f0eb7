// How the lookups of a batch get to the GPU as intervals of encoded keys.

#include <optional>

#include "base/cuda/transfer.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "execution/cuda/batch_piece.hpp"
#include "execution/cuda/batch_runner.hpp"
#include "execution/cuda/order_lookups.hpp"
#include "keys/codec.hpp"

namespace rtindex::cuda {

namespace {

const void* offset(const ColumnView& column, std::size_t first) {
  return static_cast<const std::byte*>(column.data()) + first * width_of(column.type());
}

}  // namespace

DeviceLookups BatchRunner::lookups_on_device(const LookupBatch& batch, std::size_t first,
                                             std::size_t count, cudaStream_t stream, Piece& piece,
                                             PinnedBytes* pinned) const {
  const KeyCodec& codec = batch.codec();
  const ColumnView& lower = batch.lower();
  const ColumnView& upper = batch.upper();
  DeviceLookups lookups;
  lookups.count = count;
  const std::optional<std::uint64_t> base = codec.native_base();
  if (!base) {
    if (scene_.is_wide)
      encode_on_host<std::uint64_t>(batch, first, count, stream, piece, pinned);
    else
      encode_on_host<std::uint32_t>(batch, first, count, stream, piece, pinned);
  } else {
    const bool point = batch.kind() == LookupKind::point;
    const auto on_device = [&](const ColumnView& column, DeviceBytes& keys,
                               DeviceBytes& bits) -> DeviceElements {
      DeviceElements elements{offset(column, first), element_type(column.type()), column.validity(),
                              column.validity_offset() + first, count};
      if (column.memory_space() == MemorySpace::device) return elements;
      const std::size_t bytes = count * width_of(column.type());
      keys = DeviceBytes(scene_.memory, bytes, stream);
      copy_to_device(keys.data(), elements.data, bytes, stream);
      elements.data = keys.data();
      if (elements.validity != nullptr) {
        const std::size_t first_byte = elements.validity_offset / 8;
        elements.validity_offset %= 8;
        const std::size_t size = (elements.validity_offset + count + 7) / 8;
        bits = DeviceBytes(scene_.memory, size, stream);
        copy_to_device(bits.data(), elements.validity + first_byte, size, stream);
        elements.validity = static_cast<const std::uint8_t*>(bits.data());
      }
      return elements;
    };
    DeviceBytes upper_validity;
    const DeviceElements low = on_device(lower, piece.lower, piece.validity);
    const DeviceElements high = point ? low : on_device(upper, piece.upper, upper_validity);
    const NativeMap map{element_type(codec.type()), *base, codec.span(), codec.empty()};
    const bool is_integer = low.type.kind == ElementType::Kind::unsigned_int ||
                            low.type.kind == ElementType::Kind::signed_int;
    if (point && lower.type() == codec.type() && is_integer && low.type.bytes >= 4 &&
        low.validity == nullptr && !codec.empty() && !scene_.in_order) {
      lookups.elements = low.data;
      lookups.element_bytes = low.type.bytes;
      lookups.flip = low.type.kind == ElementType::Kind::signed_int
                         ? std::uint64_t{1} << (8 * low.type.bytes - 1)
                         : 0;
      lookups.base = *base;
      lookups.span = codec.span();
      return lookups;
    }
    if (scene_.is_wide)
      encode_on_device<std::uint64_t>(low, high, map, stream, piece);
    else
      encode_on_device<std::uint32_t>(low, high, map, stream, piece);
  }
  lookups.intervals = piece.intervals.data();
  if (scene_.in_order && count > 1) {
    if (scene_.is_wide)
      put_in_order<std::uint64_t>(lookups, stream, piece);
    else
      put_in_order<std::uint32_t>(lookups, stream, piece);
  }
  return lookups;
}

template <class Key>
void BatchRunner::encode_on_host(const LookupBatch& batch, std::size_t first, std::size_t count,
                                 cudaStream_t stream, Piece& piece, PinnedBytes* pinned) const {
  PinnedBytes own;
  if (pinned == nullptr) pinned = &own;
  reserve(*pinned, std::min(count, large_piece_lookups) * sizeof(KeyInterval<Key>));
  auto* const out = reinterpret_cast<KeyInterval<Key>*>(pinned->data());
  DeviceArray<KeyInterval<Key>> on_device(scene_.memory, count, stream);
  for (std::size_t done = 0; done < count; done += large_piece_lookups) {
    const std::size_t here = std::min(large_piece_lookups, count - done);
    if (done != 0) check(cudaStreamSynchronize(stream), "copying to the GPU");
    parallel_for(here, chunk_lookups, [&](std::size_t begin, std::size_t size) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      batch.encode(first + done + begin, size, intervals, checks);
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
  piece.intervals = on_device.take_bytes();
  if (pinned == &own) check(cudaStreamSynchronize(stream), "copying to the GPU");
}

template <class Key>
void BatchRunner::encode_on_device(const DeviceElements& lower, const DeviceElements& upper,
                                   const NativeMap& map, cudaStream_t stream, Piece& piece) const {
  piece.intervals = DeviceBytes(scene_.memory, lower.size * sizeof(KeyInterval<Key>), stream);
  encode_lookups(lower, upper, map, static_cast<KeyInterval<Key>*>(piece.intervals.data()), stream);
}

template <class Key>
void BatchRunner::put_in_order(DeviceLookups& lookups, cudaStream_t stream, Piece& piece) const {
  auto ordered = order_lookups(static_cast<const KeyInterval<Key>*>(lookups.intervals),
                               lookups.count, scene_.span, scene_.memory, stream);
  piece.intervals = ordered.intervals.take_bytes();
  piece.places = ordered.places.take_bytes();
  lookups.intervals = piece.intervals.data();
  lookups.places = static_cast<const std::uint32_t*>(piece.places.data());
}

}  // namespace rtindex::cuda
