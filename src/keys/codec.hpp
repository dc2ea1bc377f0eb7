#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

#include "base/types.hpp"
#include "file/stored.hpp"
#include "keys/codec_fields.hpp"
#include "keys/composite_map.hpp"
#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"
#include "keys/native_map.hpp"
#include "keys/owned_column.hpp"
#include "keys/row_numbers.hpp"

namespace rtindex {

// What encoded keys are used for: ranges and order, or equality only.
enum class KeyUse : std::uint8_t { order, points };

// The smallest and largest of some keys: ordered_bits(), codes of strings or packed keys.
struct KeyExtent {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;

  [[nodiscard]] bool empty() const { return smallest > largest; }
  void add(std::uint64_t bits) { *this = union_of(*this, {bits, bits}); }
  [[nodiscard]] static KeyExtent union_of(const KeyExtent& a, const KeyExtent& b) {
    return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
  }
};

// What the text of a key needs beside its type.
struct KeyForm {
  TimeUnit time_unit = TimeUnit::unspecified;
  int scale = 0;  // of decimals
};

// Encodes elements [first, first + count) of a column.
using RowEncoder = std::function<void(std::size_t first, std::size_t count, std::uint64_t* keys)>;

// Orders full keys that share an encoded key, where the encoding is lossy. Results: <0, 0, >0.
class FullKeyComparer {
 public:
  virtual ~FullKeyComparer() = default;

  // The full key of a row against lookup i.
  [[nodiscard]] virtual int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                             std::size_t i) const = 0;
  [[nodiscard]] virtual int compare_rows(std::uint32_t a, std::uint32_t b) const = 0;
  // Prefetches the memory that compare_residual() reads of a row, in two steps: 0, then 1.
  virtual void prefetch_residual(std::uint32_t row, int step) const = 0;
};

// Turns the keys of one column into integers 0..span in the same order, and lookups into intervals
// of them. The column's smallest key is 0, so that signed and high keys fit every key mode. With
// KeyUse::points, strings may be encoded in another order.
class KeyCodec {
 public:
  virtual ~KeyCodec() = default;
  KeyCodec(const KeyCodec&) = delete;
  KeyCodec& operator=(const KeyCodec&) = delete;

  // The codec keeps a copy of what it needs of the column.
  [[nodiscard]] static std::unique_ptr<KeyCodec> for_column(const ColumnView& column,
                                                            KeyUse use = KeyUse::order);
  // `rows`: an upper limit for those of the column.
  [[nodiscard]] static std::unique_ptr<KeyCodec> from_file(const FileReader& file,
                                                           std::size_t rows);
  void save(FileWriter file) const;

  [[nodiscard]] Type type() const { return type_; }
  // Whether it is an IntervalCodec: starts and ends are encoded, and lookups are points.
  [[nodiscard]] bool are_intervals() const { return are_intervals_; }
  // Whether it is a PointCodec: each column is encoded by itself.
  [[nodiscard]] bool are_points() const { return are_points_; }
  // Of the fields of a composite column; of intervals: leading columns, start and end.
  [[nodiscard]] const std::vector<Type>& part_types() const { return part_types_; }
  // The largest encoded key.
  [[nodiscard]] std::uint64_t span() const { return map_.span; }
  void set_span(std::uint64_t span) { map_.span = span; }
  // Whether the column has no valid key at all.
  [[nodiscard]] bool empty() const { return map_.empty; }
  // The encoding of a native column, and the ordered_bits() of its smallest key.
  [[nodiscard]] std::optional<NativeMap> native_map() const {
    return is_native(type_) ? std::optional(map_) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> native_base() const {
    return is_native(type_) ? std::optional(map_.base) : std::nullopt;
  }
  // The encoding of a composite column of native fields that are all packed.
  [[nodiscard]] const std::optional<PackedMap>& packed_map() const { return packed_map_; }
  // Of all but native columns.
  [[nodiscard]] const CodecFields& fields() const { return fields_; }
  // Null: no two keys share an encoded key.
  [[nodiscard]] const FullKeyComparer* comparer() const { return comparer_.get(); }
  [[nodiscard]] bool has_residual() const { return comparer_ != nullptr; }
  // Host memory, mostly for the comparison in full.
  [[nodiscard]] std::size_t bytes() const;
  // A phrase for Index::describe(). `forms`: of the column, or of its parts.
  [[nodiscard]] std::string describe(std::span<const KeyForm> forms = {}) const;

  // The rowIDs of the column's elements, which all calls use. By default element i is row i.
  [[nodiscard]] const RowNumbers& rows() const { return rows_; }
  void number_rows(RowNumbers rows) { rows_ = std::move(rows); }

  // Encodes the column that the codec was made for, of an index with so many rows.
  [[nodiscard]] virtual EncodedColumn encode(const ColumnView& column, std::size_t row_count) const;
  [[nodiscard]] EncodedColumn encode(const ColumnView& column) const {
    return encode(column, column.size());
  }
  virtual void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                           std::uint64_t* keys) const = 0;
  // encode_rows() of one column, which encodes each value of a dictionary once. The codec and the
  // memory of the column must outlive it.
  [[nodiscard]] virtual RowEncoder row_encoder(const ColumnView& column) const;
  // Element i is key i of the encoded column.
  [[nodiscard]] virtual OwnedColumn decode(const EncodedColumn& encoded) const = 0;
  // A column of the codec's type, all null until it is set.
  [[nodiscard]] OwnedColumn null_column(std::size_t size) const;

  // Throws where lookups of this type cannot be compared with the column. Composite lookups may
  // have fewer fields than the column: each matches all keys that begin with it.
  void require_comparable(const ColumnView& lookups) const;
  // Lookups [first, first + count) as intervals; `checks` (Check flags) only where has_residual().
  // For points `lower` and `upper` are the same column.
  virtual void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                              std::size_t first, std::size_t count, Interval* intervals,
                              std::uint8_t* checks) const;
  [[nodiscard]] virtual EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const = 0;
  // How row's full key, whose encoded key is `key`, compares with lookup i: <0, 0, >0.
  [[nodiscard]] int compare(std::uint32_t row, std::uint64_t key, const ColumnView& lookups,
                            std::size_t i) const;

  // The new keys of an update as encoded keys, and the span with them. None: the column must be
  // encoded anew, because it is not native or a new key is below its smallest. Throws where the
  // column's type cannot hold a key.
  [[nodiscard]] std::optional<std::uint64_t> encode_update(const ColumnView& keys,
                                                           std::uint64_t* encoded) const;

 protected:
  explicit KeyCodec(Type type) : type_(type), map_{element_type(type), 0, 0, true} {}
  KeyCodec(Type type, const FileReader& file);
  void set_extent(const KeyExtent& extent);
  // What the codec stores beside its type and extent.
  virtual void save_own(FileWriter&) const {}

  Type type_;
  bool are_intervals_ = false;
  bool are_points_ = false;
  std::vector<Type> part_types_;
  NativeMap map_;  // of strings: their codes; of composites: the packed keys
  std::optional<PackedMap> packed_map_;
  CodecFields fields_;
  std::unique_ptr<const FullKeyComparer> comparer_;
  RowNumbers rows_;
};

}  // namespace rtindex
