#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/composite_map.hpp"
#include "keys/text_reader.hpp"

namespace rtindex {

// RowNumbers for host and device: the elements of rows.
struct RowElements {
  const std::uint32_t* rows = nullptr;  // ascending; null: element i is row `first + i`
  std::uint32_t first = 0;
  std::size_t size = 0;

  // A row of a damaged file gets some element.
  [[nodiscard]] RTINDEX_HD std::size_t element(std::uint32_t row) const {
    if (rows == nullptr) {
      const std::size_t element = row - first;
      return element < size ? element : size - 1;
    }
    std::size_t begin = 0;
    std::size_t end = size - 1;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (rows[middle] < row)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }
};

// Keys whose encoding is lossy, for host and device: how they are encoded, and the full values of
// each field from PackedMap::first_compared on.
struct FullKeys {
  struct Field {
    // Encoded keys by element; null: the keys of compared rows are equal.
    const void* keys = nullptr;
    bool is_wide = false;
    // Tails of strings: bytes [starts[e], starts[e + 1]) of element e.
    const void* starts = nullptr;
    bool has_wide_starts = false;
    const char* bytes = nullptr;
    std::size_t size = 0;          // of the bytes
    const char* prefix = nullptr;  // in front of these tails
    std::size_t prefix_size = 0;
    // Of keys of 128 bits: the bits that Map128 drops, by element.
    const void* low = nullptr;
    bool has_wide_low = false;
  };

  PackedMap map;
  Field fields[PackedMap::max_fields];
  RowElements rows;
};

[[nodiscard]] RTINDEX_HD inline std::uint64_t unsigned_at(const void* values, bool is_wide,
                                                          std::size_t i) {
  return is_wide ? static_cast<const std::uint64_t*>(values)[i]
                 : static_cast<const std::uint32_t*>(values)[i];
}

// Starts from a file can have any value.
[[nodiscard]] RTINDEX_HD inline TextReader tail_of(const FullKeys::Field& field,
                                                   std::size_t element) {
  std::uint64_t begin = unsigned_at(field.starts, field.has_wide_starts, element);
  std::uint64_t end = unsigned_at(field.starts, field.has_wide_starts, element + 1);
  end = end < field.size ? end : field.size;
  begin = begin < end ? begin : end;
  return {field.bytes + begin, end - begin, field.bytes + field.size};
}

// How the string of an element compares with another that has its code: <0, 0, >0.
[[nodiscard]] RTINDEX_HD inline int compare_tail(const FullKeys::Field& field, std::size_t element,
                                                 TextReader text) {
  const std::size_t common = text.size() < field.prefix_size ? text.size() : field.prefix_size;
  const std::size_t same = equal_bytes(text, 0, field.prefix, common);
  if (same < field.prefix_size) {
    const bool is_less =
        same == text.size() || text[same] < static_cast<unsigned char>(field.prefix[same]);
    return is_less ? 1 : -1;
  }
  TextReader tail = tail_of(field, element);
  return compare_texts(tail, 0, text, field.prefix_size);
}

// How two numbers compare: <0, 0, >0.
[[nodiscard]] RTINDEX_HD inline int compare_bits(std::uint64_t a, std::uint64_t b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// How field p of an element compares with that of lookup i, where both have one encoded key.
[[nodiscard]] RTINDEX_HD inline int compare_residual(const FullKeys& full, std::size_t p,
                                                     std::size_t element, const PackedEnd& lookups,
                                                     std::size_t i) {
  const FullKeys::Field& field = full.fields[p];
  if (field.low == nullptr) return compare_tail(field, element, text_of(lookups, p, i));
  const PackedMap::Field& own = full.map.fields[p];
  const Uint128 bits =
      ordered_bits_128(lookups.fields[p], lookups.types[p], i, own.map.column).bits;
  return compare_bits(unsigned_at(field.low, field.has_wide_low, element), own.map_128.low(bits));
}

// How the full key of an element compares with lookup i, where both have one encoded key.
[[nodiscard]] RTINDEX_HD inline int compare_full(const FullKeys& full, std::size_t element,
                                                 const PackedEnd& lookups, std::size_t i) {
  for (std::size_t p = full.map.first_compared; p < lookups.count; ++p) {
    const FullKeys::Field& field = full.fields[p];
    if (field.keys != nullptr) {
      const EncodedEnds own = encode_ends(full.map, lookups, p, i);
      const std::uint64_t key = unsigned_at(field.keys, field.is_wide, element);
      if (own.lower.none || key < own.lower.key) return -1;
      if (own.upper.none || key > own.upper.key) return 1;
      if (!own.lower.check) continue;
    }
    const int order = compare_residual(full, p, element, lookups, i);
    if (order != 0) return order;
  }
  return 0;
}

// How the full keys of two elements compare that have one encoded key.
[[nodiscard]] RTINDEX_HD inline int compare_elements(const FullKeys& full, std::size_t a,
                                                     std::size_t b) {
  for (std::size_t p = full.map.first_compared; p < full.map.count; ++p) {
    const FullKeys::Field& field = full.fields[p];
    const auto compare = [&](const void* values, bool is_wide) {
      if (values == nullptr) return 0;
      return compare_bits(unsigned_at(values, is_wide, a), unsigned_at(values, is_wide, b));
    };
    if (const int order = compare(field.keys, field.is_wide); order != 0) return order;
    if (const int order = compare(field.low, field.has_wide_low); order != 0) return order;
    if (field.starts == nullptr) continue;
    TextReader x = tail_of(field, a);
    TextReader y = tail_of(field, b);
    const int order = compare_texts(x, 0, y, 0);
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace rtindex
