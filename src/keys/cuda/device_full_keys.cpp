#include "keys/cuda/device_full_keys.hpp"

#include <algorithm>
#include <utility>

#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

namespace {

template <class T, class Range>
DeviceArray<T> copied(const Range& from, const Queue& queue) {
  DeviceArray<T> array(queue, from.size());
  copy_to_device(array.data(), from.data(), from.size() * sizeof(T), queue);
  return array;
}

DevicePackedKeys copied(const PackedKeys& keys, const Queue& queue) {
  DevicePackedKeys result{DeviceBytes(queue, keys.bytes()), keys.wide(), keys.size()};
  copy_to_device(result.keys.data(), keys.data(), keys.bytes(), queue);
  return result;
}

PackedKeys on_host(const DevicePackedKeys& keys, cudaStream_t stream) {
  PackedKeys result(keys.size, keys.is_wide ? ~std::uint64_t{0} : 0);
  copy_to_host(result.data(), keys.keys.data(), result.bytes(), stream);
  return result;
}

}  // namespace

DeviceDictionary::DeviceDictionary(const StringDictionary& dictionary, const Queue& queue)
    : nodes_(copied<StringNode>(dictionary.nodes(), queue)),
      positions_(copied<StringPosition>(dictionary.positions(), queue)),
      alphabets_(copied<StringAlphabet>(dictionary.alphabets(), queue)),
      labels_(copied<char>(dictionary.labels(), queue)) {}

StringMap DeviceDictionary::map() const {
  return {nodes_.data(), positions_.data(), alphabets_.data(), labels_.data()};
}

DeviceFullKeys::DeviceFullKeys(const KeyCodec& codec, const CodecFields& parts,
                               const Queue& queue) {
  for (std::size_t p = 0; p < parts.fields.size(); ++p) {
    const CodecField& from = parts.fields[p];
    Part& own = parts_[p];
    if (from.dictionary != nullptr) own.dictionary = DeviceDictionary(*from.dictionary, queue);
    if (p < parts.first_compared) continue;
    if (from.keys != nullptr) own.keys = copied(from.keys->get(), queue);
    if (from.low != nullptr) own.low = copied(from.low->get(), queue);
    if (from.tails == nullptr) continue;
    own.tails.starts = copied(from.tails->get().starts(), queue);
    own.tails.bytes = copied<char>(from.tails->get().all_bytes(), queue);
    own.tails.prefix = from.prefix.size();
  }
  if (compares() || parts.first_compared < parts.fields.size()) {
    const RowNumbers& rows = codec.rows();
    if (rows.listed()) rows_ = copied<std::uint32_t>(rows.list(), queue);
  }
  set_view(codec, parts);
}

void DeviceFullKeys::set_view(const KeyCodec& codec, const CodecFields& parts) {
  StringMap dictionaries[PackedMap::max_fields] = {};
  for (std::size_t p = 0; p < parts.fields.size(); ++p)
    dictionaries[p] = parts_[p].dictionary.map();
  view_.map = packed_map_of(parts, dictionaries);
  view_.map.span = codec.span();
  view_.map.empty = codec.empty();
  for (std::size_t p = 0; p < parts.fields.size(); ++p) {
    const Part& own = parts_[p];
    FullKeys::Field& part = view_.fields[p];
    part.keys = own.keys.keys.data();
    part.is_wide = own.keys.is_wide;
    part.starts = own.tails.starts.keys.data();
    part.has_wide_starts = own.tails.starts.is_wide;
    part.bytes = own.tails.bytes.data();
    part.size = own.tails.bytes.size();
    part.low = own.low.keys.data();
    part.has_wide_low = own.low.is_wide;
    part.prefix_size = own.tails.prefix;
    // The label that all strings share is the first node's.
    if (parts.fields[p].dictionary != nullptr)
      part.prefix = dictionaries[p].labels + parts.fields[p].dictionary->nodes().front().label;
  }
  const RowNumbers& rows = codec.rows();
  view_.rows = {rows_.empty() ? nullptr : rows_.data(), rows.listed() ? 0 : rows.first(),
                rows.size()};
}

std::size_t DeviceFullKeys::bytes() const {
  std::size_t bytes = rows_.bytes();
  for (const Part& part : parts_)
    bytes += part.dictionary.bytes() + part.keys.keys.size() + part.low.keys.size() +
             part.tails.starts.keys.size() + part.tails.bytes.bytes();
  return bytes;
}

StringTails DeviceFullKeys::tails_of(std::size_t p) const {
  const PooledStream stream;
  const DeviceTails& tails = parts_[p].tails;
  Array<char> bytes(tails.bytes.size());
  copy_to_host(bytes.data(), tails.bytes.data(), bytes.bytes(), stream.get());
  return {on_host(tails.starts, stream.get()), std::move(bytes)};
}

PackedKeys DeviceFullKeys::keys_of(std::size_t p) const {
  const PooledStream stream;
  return on_host(parts_[p].keys, stream.get());
}

PackedKeys DeviceFullKeys::low_of(std::size_t p) const {
  const PooledStream stream;
  return on_host(parts_[p].low, stream.get());
}

}  // namespace rtindex::cuda
