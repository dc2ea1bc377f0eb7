#include "keys/cuda/device_strings.hpp"

#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"
#include "keys/cuda/tuple_validity.cuh"

namespace rtindex::cuda {

namespace {

constexpr std::uint64_t null_length = ~std::uint64_t{0};

__global__ void lengths_at(const __grid_constant__ DeviceTuples tuples, std::size_t part,
                           const std::uint64_t* rows, std::size_t count, std::uint64_t* lengths) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::size_t row = rows[i];
  lengths[i] = is_valid_tuple(tuples, row) ? text_of(tuples.end, part, row).size() : null_length;
}

__global__ void copy_strings(const __grid_constant__ DeviceTuples tuples, std::size_t part,
                             const std::uint64_t* rows, const std::uint64_t* starts,
                             std::size_t count, char* bytes) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  TextReader text = text_of(tuples.end, part, rows[i]);
  if (starts[i + 1] == starts[i]) return;
  for (std::size_t k = 0; k < text.size(); ++k) bytes[starts[i] + k] = static_cast<char>(text[k]);
}

// Facts about the codes, collected while all strings are read.
struct CodeFacts {
  unsigned long long smallest = ~0ULL;
  unsigned long long largest = 0;
  unsigned long long valid = 0;
  unsigned long long kept = 0;
  unsigned long long common = ~0ULL;
  unsigned long long listed = 0;
  unsigned long long rows[DeviceCodes::max_listed];
};

__global__ void encode_each(const __grid_constant__ DeviceTuples tuples, std::size_t part,
                            const __grid_constant__ StringEncoder encoder, std::uint64_t* codes,
                            CodeFacts* facts) {
  unsigned long long smallest = ~0ULL;
  unsigned long long largest = 0;
  unsigned long long valid = 0;
  unsigned long long kept = 0;
  unsigned long long common = ~0ULL;
  for (std::size_t i = thread_number(); i < tuples.size; i += thread_count()) {
    if (!is_valid_tuple(tuples, i)) {
      codes[i] = 0;
      continue;
    }
    TextReader text = text_of(tuples.end, part, i);
    const std::uint64_t code = encoder.encode(text);
    codes[i] = code;
    smallest = min(smallest, static_cast<unsigned long long>(code));
    largest = max(largest, static_cast<unsigned long long>(code));
    ++valid;
    if (encoder.is_exact(code)) continue;
    ++kept;
    if (encoder.is_hashed) continue;
    if (facts->listed < DeviceCodes::max_listed) {
      const unsigned long long at = atomicAdd(&facts->listed, 1ULL);
      if (at < DeviceCodes::max_listed) facts->rows[at] = i;
    }
    const StringNode& root = encoder.map.nodes[0];
    const std::size_t length = text.size() < root.label_length ? text.size() : root.label_length;
    const std::size_t same =
        equal_bytes(text, 0, encoder.map.labels + root.label, length < common ? length : common);
    common = same;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    smallest = min(smallest, __shfl_down_sync(~0U, smallest, lanes));
    largest = max(largest, __shfl_down_sync(~0U, largest, lanes));
    valid += __shfl_down_sync(~0U, valid, lanes);
    kept += __shfl_down_sync(~0U, kept, lanes);
    common = min(common, __shfl_down_sync(~0U, common, lanes));
  }
  if (threadIdx.x % 32 != 0 || valid == 0) return;
  atomicMin(&facts->smallest, smallest);
  atomicMax(&facts->largest, largest);
  atomicAdd(&facts->valid, valid);
  atomicAdd(&facts->kept, kept);
  atomicMin(&facts->common, common);
}

__global__ void tail_lengths(const __grid_constant__ DeviceTuples tuples, std::size_t part,
                             const __grid_constant__ StringEncoder encoder,
                             const std::uint64_t* codes, std::size_t prefix,
                             std::uint64_t* lengths) {
  const std::size_t i = thread_number();
  if (i > tuples.size) return;
  const bool is_kept = i < tuples.size && is_valid_tuple(tuples, i) && !encoder.is_exact(codes[i]);
  lengths[i] = is_kept ? text_of(tuples.end, part, i).size() - prefix : 0;
}

// A few threads copy a string, word by word.
constexpr unsigned copy_lanes = 4;

__global__ void copy_tails(const __grid_constant__ DeviceTuples tuples, std::size_t part,
                           std::size_t prefix, const std::uint64_t* starts, char* bytes) {
  const std::size_t i = thread_number() / copy_lanes;
  if (i >= tuples.size) return;
  const std::uint64_t begin = starts[i];
  const std::uint64_t size = starts[i + 1] - begin;
  if (size == 0) return;
  TextReader text = text_of(tuples.end, part, i);
  char* const to = bytes + begin;
  // Words that are aligned in the target, and the bytes before and after them.
  const std::uint64_t head =
      min(size, std::uint64_t{(8 - (reinterpret_cast<std::uintptr_t>(to) & 7)) & 7});
  const std::uint64_t words = (size - head) / 8;
  const unsigned lane = threadIdx.x % copy_lanes;
  for (std::uint64_t k = lane; k < head; k += copy_lanes)
    to[k] = static_cast<char>(text[prefix + k]);
  for (std::uint64_t w = lane; w < words; w += copy_lanes)
    *reinterpret_cast<std::uint64_t*>(to + head + 8 * w) = text.word(prefix + head + 8 * w);
  for (std::uint64_t k = head + 8 * words + lane; k < size; k += copy_lanes)
    to[k] = static_cast<char>(text[prefix + k]);
}

__global__ void narrowed(const std::uint64_t* from, std::size_t count, std::uint32_t* to) {
  const std::size_t i = thread_number();
  if (i < count) to[i] = static_cast<std::uint32_t>(from[i]);
}

// The encoded key of a part of tuple i, which has the type of the column's part.
[[nodiscard]] __device__ std::uint64_t key_of_part(const DeviceTuples& tuples, const PackedMap& map,
                                                   const PartCodes& codes, std::size_t p,
                                                   std::size_t i) {
  const NativeMap& own = map.fields[p].map;
  if (codes.codes[p] != nullptr) return codes.codes[p][i] - own.base;
  return convert_end(own, tuples.end.fields[p], tuples.end.types[p], i, true).bits - own.base;
}

__global__ void pack(const __grid_constant__ DeviceTuples tuples,
                     const __grid_constant__ PackedMap map, const __grid_constant__ PartCodes codes,
                     std::uint64_t* keys) {
  const std::size_t i = thread_number();
  if (i >= tuples.size) return;
  std::uint64_t key = 0;
  for (std::size_t p = 0; p < map.count && p <= map.first_compared; ++p) {
    const PackedMap::Field& part = map.fields[p];
    key = append_field(key, part, key_of_part(tuples, map, codes, p, i));
  }
  keys[i] = key;
}

template <class Key>
__global__ void keep_part(const __grid_constant__ DeviceTuples tuples,
                          const __grid_constant__ PackedMap map,
                          const __grid_constant__ PartCodes codes, std::size_t p, Key* keys) {
  const std::size_t i = thread_number();
  if (i < tuples.size) keys[i] = static_cast<Key>(key_of_part(tuples, map, codes, p, i));
}

__global__ void set_validity(const __grid_constant__ DeviceTuples tuples, std::uint8_t* bits) {
  const std::size_t byte = thread_number();
  if (byte * 8 >= tuples.size) return;
  unsigned value = 0;
  for (unsigned k = 0; k < 8 && byte * 8 + k < tuples.size; ++k)
    value |= (is_valid_tuple(tuples, byte * 8 + k) ? 1U : 0U) << k;
  bits[byte] = static_cast<std::uint8_t>(value);
}

}  // namespace

std::vector<std::string> fetch_strings(const DeviceTuples& tuples, std::size_t part,
                                       const std::vector<std::uint64_t>& rows, const Queue& queue) {
  std::vector<std::string> strings;
  if (rows.empty()) return strings;
  const DeviceArray<std::uint64_t> listed(queue, rows.size());
  copy_to_device(listed.data(), rows.data(), listed.bytes(), queue);
  const DeviceArray<std::uint64_t> lengths(queue, rows.size());
  lengths_at<<<blocks_for(rows.size()), block_threads, 0, queue>>>(tuples, part, listed.data(),
                                                                   rows.size(), lengths.data());
  check_launch("reading strings");
  std::vector<std::uint64_t> sizes(rows.size());
  copy_to_host(sizes.data(), lengths.data(), lengths.bytes(), queue);
  std::vector<std::uint64_t> starts(rows.size() + 1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    starts[i + 1] = starts[i] + (sizes[i] == null_length ? 0 : sizes[i]);
  const DeviceArray<std::uint64_t> on_device(queue, starts.size());
  copy_to_device(on_device.data(), starts.data(), on_device.bytes(), queue);
  const DeviceArray<char> bytes(queue, starts.back());
  copy_strings<<<blocks_for(rows.size()), block_threads, 0, queue>>>(
      tuples, part, listed.data(), on_device.data(), rows.size(), bytes.data());
  check_launch("reading strings");
  std::string all(starts.back(), '\0');
  copy_to_host(all.data(), bytes.data(), all.size(), queue);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (sizes[i] != null_length) strings.push_back(all.substr(starts[i], sizes[i]));
  return strings;
}

DeviceCodes encode_strings(const DeviceTuples& tuples, std::size_t part,
                           const StringEncoder& encoder, const Queue& queue) {
  DeviceCodes result;
  result.codes = DeviceArray<std::uint64_t>(queue, tuples.size);
  CodeFacts facts;
  const DeviceArray<CodeFacts> on_device(queue, 1);
  copy_to_device(on_device.data(), &facts, sizeof(facts), queue);
  if (tuples.size != 0) {
    // One string per thread: they are read where they lie side by side.
    encode_each<<<std::min(blocks_for(tuples.size), 1U << 20), block_threads, 0, queue>>>(
        tuples, part, encoder, result.codes.data(), on_device.data());
    check_launch("encoding strings");
  }
  copy_to_host(&facts, on_device.data(), sizeof(facts), queue);
  result.smallest = facts.smallest;
  result.largest = facts.largest;
  result.valid = facts.valid;
  result.kept = facts.kept;
  result.common = facts.common;
  for (std::size_t i = 0; i < facts.listed && i < DeviceCodes::max_listed; ++i)
    result.some_kept.push_back(facts.rows[i]);
  std::sort(result.some_kept.begin(), result.some_kept.end());
  return result;
}

DeviceTails tails_of(const DeviceTuples& tuples, std::size_t part, const StringEncoder& encoder,
                     const std::uint64_t* codes, std::size_t prefix, const Queue& queue) {
  DeviceTails tails;
  tails.prefix = prefix;
  const std::size_t size = tuples.size + 1;
  DeviceArray<std::uint64_t> starts(queue, size);
  tail_lengths<<<blocks_for(size), block_threads, 0, queue>>>(tuples, part, encoder, codes, prefix,
                                                              starts.data());
  check_launch("copying strings");
  with_scratch(queue, "copying strings", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, starts.data(), starts.data(), size, queue);
  });
  std::uint64_t total = 0;
  copy_to_host(&total, starts.data() + tuples.size, sizeof(total), queue);
  tails.bytes = DeviceArray<char>(queue, total);
  if (total != 0)
    copy_tails<<<blocks_for(tuples.size * copy_lanes), block_threads, 0, queue>>>(
        tuples, part, prefix, starts.data(), tails.bytes.data());
  check_launch("copying strings");
  tails.starts.size = size;
  tails.starts.is_wide = is_wide(total);
  if (tails.starts.is_wide) {
    tails.starts.keys = starts.release_bytes();
    return tails;
  }
  tails.starts.keys = DeviceBytes(queue, size * sizeof(std::uint32_t));
  narrowed<<<blocks_for(size), block_threads, 0, queue>>>(
      starts.data(), size, static_cast<std::uint32_t*>(tails.starts.keys.data()));
  check_launch("copying strings");
  return tails;
}

DeviceArray<std::uint64_t> pack_tuples(const DeviceTuples& tuples, const PackedMap& map,
                                       const PartCodes& codes, const Queue& queue) {
  DeviceArray<std::uint64_t> keys(queue, tuples.size);
  if (tuples.size == 0) return keys;
  pack<<<blocks_for(tuples.size), block_threads, 0, queue>>>(tuples, map, codes, keys.data());
  check_launch("encoding keys");
  return keys;
}

DevicePackedKeys part_keys(const DeviceTuples& tuples, const PackedMap& map, std::size_t part,
                           const PartCodes& codes, const Queue& queue) {
  DevicePackedKeys result;
  result.is_wide = is_wide(map.fields[part].map.span);
  result.size = tuples.size;
  with_key_type(result.is_wide, [&]<class Key>(Key) {
    result.keys = DeviceBytes(queue, tuples.size * sizeof(Key));
    if (tuples.size != 0)
      keep_part<<<blocks_for(tuples.size), block_threads, 0, queue>>>(
          tuples, map, codes, part, static_cast<Key*>(result.keys.data()));
  });
  check_launch("encoding keys");
  return result;
}

DeviceArray<std::uint8_t> tuple_validity(const DeviceTuples& tuples, const Queue& queue) {
  DeviceArray<std::uint8_t> bits(queue, (tuples.size + 7) / 8);
  if (bits.empty()) return bits;
  set_validity<<<blocks_for(bits.size()), block_threads, 0, queue>>>(tuples, bits.data());
  check_launch("reading validity");
  return bits;
}

}  // namespace rtindex::cuda
