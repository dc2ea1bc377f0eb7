#include "engine/cuda/device_lookups.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "base/cuda/runtime.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/codec.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

namespace {

// Integers whose ordered_bits() are the element with its sign bit flipped.
[[nodiscard]] bool is_plain(ElementType type) {
  return (type.bytes == 4 || type.bytes == 8) && (type.kind == ElementType::Kind::unsigned_int ||
                                                  type.kind == ElementType::Kind::signed_int);
}

[[nodiscard]] std::uint64_t flip_of(ElementType type) {
  return type.kind == ElementType::Kind::signed_int ? std::uint64_t{1} << (8 * type.bytes - 1) : 0;
}

// The bits of elements [first, first + count), copied where they are in host memory.
[[nodiscard]] DeviceTuples::Validity validity_on_device(const ColumnView& column, std::size_t first,
                                                        std::size_t count, DeviceBytes& copy,
                                                        CopiesIn& in, const Queue& queue) {
  DeviceTuples::Validity validity{column.validity(), column.validity_offset() + first};
  if (validity.bits == nullptr || column.memory_space() == MemorySpace::device) return validity;
  const std::size_t first_byte = validity.offset / 8;
  validity.offset %= 8;
  const std::size_t bytes = (validity.offset + count + 7) / 8;
  copy = DeviceBytes(queue, bytes);
  in.copy(copy.data(), validity.bits + first_byte, bytes, queue);
  validity.bits = static_cast<const std::uint8_t*>(copy.data());
  return validity;
}

// Strings [first, first + count) of the host in Arrow's layout: their offsets and bytes.
struct StringsInPieces {
  ElementType type;
  const void* offsets;
  const char* bytes;
};

[[nodiscard]] StringsInPieces strings_on_device(const ColumnView& column, std::size_t first,
                                                std::size_t count, std::vector<DeviceBytes>& copies,
                                                CopiesIn& in, const Queue& queue) {
  const auto add = [&](std::size_t bytes) -> const DeviceBytes& {
    return copies.emplace_back(queue, bytes);
  };
  if (const std::size_t width = column.string_offset_width(); width != 0) {
    const auto* const offsets = static_cast<const std::byte*>(column.string_offsets());
    const ElementType type = string_elements(width);
    const std::uint64_t begin = string_offset(offsets, type, first);
    const std::uint64_t end = string_offset(offsets, type, first + count);
    void* const own_offsets = add((count + 1) * width).data();
    in.copy(own_offsets, offsets + first * width, (count + 1) * width, queue);
    void* const own_bytes = add(end - begin).data();
    in.copy(own_bytes, column.string_bytes() + begin, end - begin, queue);
    // Offsets count from the beginning of the column.
    return {type, own_offsets, static_cast<const char*>(own_bytes) - begin};
  }
  std::vector<std::uint64_t> starts(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    starts[i + 1] = starts[i] + column.string(first + i).size();
  void* const own_offsets = add(starts.size() * sizeof(std::uint64_t)).data();
  in.copy_filled(own_offsets, starts.size() * sizeof(std::uint64_t), queue,
                 [&](std::byte* buffer, std::size_t at, std::size_t size) {
                   std::memcpy(buffer, reinterpret_cast<const std::byte*>(starts.data()) + at,
                               size);
                 });
  void* const own_bytes = add(starts.back()).data();
  in.copy_filled(
      own_bytes, starts.back(), queue, [&](std::byte* buffer, std::size_t at, std::size_t size) {
        std::size_t i = static_cast<std::size_t>(
            std::upper_bound(starts.begin(), starts.end(), at) - starts.begin() - 1);
        for (std::size_t done = 0; done < size; ++i) {
          const std::string_view text =
              column.string(first + i).substr(at + done > starts[i] ? at + done - starts[i] : 0);
          const std::size_t bytes = std::min(text.size(), size - done);
          if (bytes != 0) std::memcpy(buffer + done, text.data(), bytes);
          done += bytes;
        }
      });
  return {string_elements(8), own_offsets, static_cast<const char*>(own_bytes)};
}

}  // namespace

DeviceElements elements_on_device(const ColumnView& column, std::size_t first, std::size_t count,
                                  DeviceBytes& copy, DeviceBytes& validity, CopiesIn& in,
                                  const Queue& queue) {
  if (!column.has_value()) return {.size = count};
  const std::size_t width = width_of(column.type());
  DeviceElements elements{static_cast<const std::byte*>(column.data()) + first * width,
                          element_type(column.type()), nullptr, 0, count};
  const DeviceTuples::Validity bits = validity_on_device(column, first, count, validity, in, queue);
  elements.validity = bits.bits;
  elements.validity_offset = bits.offset;
  if (column.memory_space() == MemorySpace::device) return elements;
  copy = DeviceBytes(queue, count * width);
  in.copy(copy.data(), elements.data, count * width, queue);
  elements.data = copy.data();
  return elements;
}

DeviceTuples tuples_on_device(const ColumnView& column, std::size_t first, std::size_t count,
                              std::vector<DeviceBytes>& copies, CopiesIn& in, const Queue& queue) {
  if (!column.has_value() || column.memory_space() == MemorySpace::device)
    return device_tuples(column, first, count);
  DeviceTuples tuples;
  tuples.size = count;
  tuples.end.size = count;
  const auto add_validity = [&](const ColumnView& of) {
    const DeviceTuples::Validity validity =
        validity_on_device(of, first, count, copies.emplace_back(), in, queue);
    if (validity.bits != nullptr) tuples.validity[tuples.validity_count++] = validity;
  };
  const auto add_part = [&](const ColumnView& part) {
    const std::size_t p = tuples.end.count++;
    add_validity(part);
    if (part.type() == Type::string) {
      const StringsInPieces strings = strings_on_device(part, first, count, copies, in, queue);
      tuples.end.types[p] = strings.type;
      tuples.end.fields[p] = strings.offsets;
      tuples.end.bytes[p] = strings.bytes;
      return;
    }
    DeviceBytes unused;
    tuples.end.types[p] = element_type(part.type());
    tuples.end.fields[p] = elements_on_device(part.with_validity(nullptr), first, count,
                                              copies.emplace_back(), unused, in, queue)
                               .data;
  };
  if (column.type() != Type::composite) {
    add_part(column);
    return tuples;
  }
  add_validity(column);
  for (const ColumnView& part : column.parts()) add_part(part);
  return tuples;
}

std::size_t bytes_of(const ColumnView& end) {
  if (!end.has_value()) return 0;
  if (is_native(end.type())) return width_of(end.type());
  if (end.type() == Type::string) {
    // Judged by a few samples.
    constexpr std::size_t few = 256;
    std::size_t bytes = 0;
    const std::size_t step = end.size() / few + 1;
    for (std::size_t i = 0; i < end.size(); i += step) bytes += end.string(i).size();
    return bytes / (end.size() / step + 1) + sizeof(std::uint64_t);
  }
  std::size_t bytes = 0;
  for (const ColumnView& part : end.parts()) bytes += bytes_of(part);
  return std::max(bytes, sizeof(Interval));
}

LookupElements elements_on_device(const LookupBatch& batch, std::size_t first, std::size_t count,
                                  bool reads_tuples, CopiesIn& in, const Queue& queue) {
  LookupElements elements;
  if (!batch.codec().native_base()) {
    if (!reads_tuples) return elements;
    const auto on_device = [&](const ColumnView& end) {
      return tuples_on_device(end, batch.offset() + first, count, elements.copies, in, queue);
    };
    elements.has_tuples = true;
    elements.lower_tuples = on_device(batch.lower());
    elements.upper_tuples =
        batch.kind() == QueryKind::equal ? elements.lower_tuples : on_device(batch.upper());
    return elements;
  }
  elements.lower = elements_on_device(batch.lower(), batch.offset() + first, count,
                                      elements.lower_copy, elements.lower_validity, in, queue);
  elements.upper =
      batch.kind() == QueryKind::equal
          ? elements.lower
          : elements_on_device(batch.upper(), batch.offset() + first, count, elements.upper_copy,
                               elements.upper_validity, in, queue);
  return elements;
}

DeviceLookups LookupEncoder::encode(std::size_t first, std::size_t count,
                                    const LookupElements& elements, LookupBuffers& buffers,
                                    CopiesIn& in, const Queue& queue,
                                    std::optional<Edge> edge) const {
  if (batch_.codec().are_intervals())
    return encode_queries(first, count, elements, buffers, in, queue);
  if (batch_.codec().are_points()) return encode_boxes(first, count, buffers, in, queue);
  DeviceLookups lookups;
  lookups.count = count;
  if (const DeviceElements* const read = elements_to_read(elements, edge)) {
    const KeyCodec& codec = batch_.codec();
    lookups.elements = read->data;
    lookups.element_bytes = read->type.bytes;
    lookups.flip = flip_of(read->type);
    lookups.base = *codec.native_base();
    lookups.span = codec.span();
    lookups.open = edge && is_open(*edge);
    return lookups;
  }
  if (const auto pair = edge ? pair_to_read(first, *edge) : std::nullopt) {
    buffers.pair = *pair;
    lookups.pair = &buffers.pair;
    lookups.open = is_open(*edge);
    return lookups;
  }
  with_key_type(is_wide(span_), [&]<class Key>(Key) {
    buffers.intervals = encode_intervals<Key>(first, count, elements, buffers, in, queue);
  });
  lookups.intervals = buffers.intervals.data();
  if (buffers.full.keys != nullptr) lookups.full = &buffers.full;
  return lookups;
}

bool LookupEncoder::reads_elements() const {
  const KeyCodec& codec = batch_.codec();
  const ColumnView& column = batch_.lower();
  return codec.native_base() && !codec.empty() && batch_.kind() == QueryKind::equal &&
         column.has_value() && column.type() == codec.type() &&
         is_plain(element_type(column.type())) && column.validity() == nullptr;
}

// The elements that kernels encode themselves, without a pass over the batch: points, or the only
// end of ranges whose row at that edge is requested. Null: kernels read intervals.
const DeviceElements* LookupEncoder::elements_to_read(const LookupElements& elements,
                                                      std::optional<Edge> edge) const {
  const KeyCodec& codec = batch_.codec();
  if (!codec.native_base() || codec.empty()) return nullptr;
  const bool from_upper = edge == Edge::last;
  if (edge && (from_upper ? batch_.lower() : batch_.upper()).has_value()) return nullptr;
  if (!edge && batch_.kind() != QueryKind::equal) return nullptr;
  const ColumnView& column = from_upper ? batch_.upper() : batch_.lower();
  const DeviceElements& read = from_upper ? elements.upper : elements.lower;
  const bool reads = column.has_value() && column.type() == codec.type() && is_plain(read.type) &&
                     read.validity == nullptr;
  return reads ? &read : nullptr;
}

std::optional<PairMap> LookupEncoder::pair_to_read(std::size_t first, Edge edge) const {
  const std::optional<PackedMap> packed = batch_.codec().packed_map();
  if (!packed || packed->count != 2 || packed->empty ||
      batch_.memory_space() != MemorySpace::device)
    return std::nullopt;
  const ColumnView& keys = edge == Edge::last ? batch_.upper() : batch_.lower();
  const ColumnView& groups = edge == Edge::last ? batch_.lower() : batch_.upper();
  // Both ends have the same first part, and only one has the second.
  if (keys.parts().size() != 2 || groups.parts().size() != 1 || keys.nullable() ||
      groups.nullable() || groups.parts()[0].data() != keys.parts()[0].data())
    return std::nullopt;
  const std::vector<Type> types = batch_.codec().part_types();
  PairMap map;
  for (std::size_t p = 0; p < 2; ++p) {
    const ColumnView& part = keys.parts()[p];
    const ElementType type = element_type(part.type());
    if (part.type() != types[p] || !is_plain(type)) return std::nullopt;
    const NativeMap& own = packed->fields[p].map;
    (p == 0 ? map.first : map.second) = PairMap::Field{
        static_cast<const std::byte*>(part.data()) + (batch_.offset() + first) * type.bytes,
        type.bytes, flip_of(type), own.base, own.span};
  }
  map.second_bits = packed->fields[1].bits;
  map.base = packed->base;
  map.span = packed->span;
  return map;
}

template <class Key>
DeviceBytes LookupEncoder::encode_intervals(std::size_t first, std::size_t count,
                                            const LookupElements& elements, LookupBuffers& buffers,
                                            CopiesIn& in, const Queue& queue) const {
  const KeyCodec& codec = batch_.codec();
  const std::optional<NativeMap> native = codec.native_map();
  if (!native && !reads_tuples()) return encode_on_host<Key>(first, count, in, queue);
  DeviceArray<KeyInterval<Key>> intervals(queue, count);
  if (native) {
    encode_lookups({elements.lower, elements.upper, batch_.ends(), *native}, intervals.data(),
                   queue);
    return intervals.release_bytes();
  }
  if (!elements.has_tuples) buffers.own = elements_on_device(batch_, first, count, true, in, queue);
  const LookupElements& from = elements.has_tuples ? elements : buffers.own;
  const bool is_compared = full_ != nullptr && full_->map.first_compared < full_->map.count;
  if (is_compared) {
    buffers.checks = DeviceBytes(queue, count);
    buffers.full = {full_,
                    from.lower_tuples.end,
                    from.upper_tuples.end,
                    batch_.ends(),
                    static_cast<const std::uint8_t*>(buffers.checks.data()),
                    intervals.data(),
                    sizeof(Key) == sizeof(std::uint64_t)};
  }
  encode_lookups(from.lower_tuples, from.upper_tuples, batch_.ends(),
                 full_ != nullptr ? full_->map : *codec.packed_map(), intervals.data(),
                 static_cast<std::uint8_t*>(buffers.checks.data()),
                 batch_.kind() == QueryKind::equal, queue);
  return intervals.release_bytes();
}

template <class Key>
DeviceBytes LookupEncoder::encode_on_host(std::size_t first, std::size_t count, CopiesIn& in,
                                          const Queue& queue) const {
  DeviceArray<KeyInterval<Key>> on_device(queue, count);
  const auto fill = [&](std::byte* buffer, std::size_t at, std::size_t bytes) {
    auto* const out = reinterpret_cast<KeyInterval<Key>*>(buffer);
    const std::size_t done = first + at / sizeof(KeyInterval<Key>);
    parallel_for(bytes / sizeof(KeyInterval<Key>), chunk_lookups,
                 [&](std::size_t begin, std::size_t size) {
                   Interval intervals[chunk_lookups];
                   std::uint8_t checks[chunk_lookups];
                   batch_.encode(done + begin, size, intervals, checks);
                   for (std::size_t i = 0; i < size; ++i)
                     out[begin + i] = intervals[i].empty()
                                          ? KeyInterval<Key>{1, 0}
                                          : KeyInterval<Key>{static_cast<Key>(intervals[i].lower),
                                                             static_cast<Key>(intervals[i].upper)};
                 });
  };
  in.copy_filled(on_device.data(), on_device.bytes(), queue, fill);
  return on_device.release_bytes();
}

}  // namespace rtindex::cuda
