#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

#include "base/prefetch.hpp"
#include "file/stored.hpp"
#include "keys/composite_map.hpp"
#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"
#include "keys/owned_column.hpp"
#include "keys/row_numbers.hpp"

namespace rtindex {

struct CodecParts;

// What encoded keys are used for: questions of order, or points only.
enum class KeyUse : std::uint8_t { order, points };

// Turns the keys of one column into integers 0..span in the same order, and lookups into intervals
// of them. The column's smallest key is 0, so that signed and high keys fit every key mode. Where
// only points will be asked, strings may be encoded in another order.
class KeyCodec {
 public:
  virtual ~KeyCodec() = default;

  // The codec that suits the column; it keeps what it needs, not the column.
  [[nodiscard]] static std::unique_ptr<KeyCodec> for_column(const ColumnView& column,
                                                            KeyUse use = KeyUse::order);
  // The codec of a column of at most so many rows, as it was saved.
  [[nodiscard]] static std::unique_ptr<KeyCodec> from_file(const FileReader& file,
                                                           std::size_t rows);
  void save(FileWriter file) const;

  [[nodiscard]] virtual Type type() const = 0;
  // Of a composite column.
  [[nodiscard]] virtual std::vector<Type> part_types() const { return {}; }
  // The largest encoded key.
  [[nodiscard]] std::uint64_t span() const { return span_; }
  // Whether the encoding is lossy and hits must be compared in full.
  [[nodiscard]] bool has_residual() const { return has_residual_; }
  // Whether the column has no valid key at all.
  [[nodiscard]] bool empty() const { return empty_; }
  // The encoding of a native column, and the ordered_bits() of its smallest key.
  [[nodiscard]] virtual std::optional<NativeMap> native_map() const { return std::nullopt; }
  [[nodiscard]] std::optional<std::uint64_t> native_base() const {
    const std::optional<NativeMap> map = native_map();
    return map ? std::optional(map->base) : std::nullopt;
  }
  // The encoding of a composite column that can be done on a device.
  [[nodiscard]] virtual std::optional<PackedMap> packed_map() const { return std::nullopt; }
  // All that a device needs to encode lookups and to compare full keys; none where it cannot.
  [[nodiscard]] virtual std::optional<CodecParts> parts() const;
  // Bytes kept for the comparison in full.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }
  // What the codec does, as a phrase for describe().
  [[nodiscard]] virtual std::string describe() const = 0;

  // The rowIDs of the column's elements; those of calls below, too. By default element i is row i.
  [[nodiscard]] const RowNumbers& rows() const { return rows_; }
  void number_rows(RowNumbers rows) { rows_ = std::move(rows); }

  // Encodes the column (the one the codec was made for), of an index with so many rows.
  [[nodiscard]] EncodedColumn encode(const ColumnView& column, std::size_t row_count) const;
  [[nodiscard]] EncodedColumn encode(const ColumnView& column) const {
    return encode(column, column.size());
  }
  // The keys as they were: element i is key i of the encoded column.
  [[nodiscard]] virtual OwnedColumn decode(const EncodedColumn& encoded) const = 0;

  // A column of the same type, all null until it is set.
  [[nodiscard]] OwnedColumn null_column(std::size_t size) const;

  // Throws where lookups of this type cannot be compared with the column. Composite lookups may
  // have fewer parts than the column: each matches all keys that begin with it.
  virtual void require_comparable(const ColumnView& lookups) const = 0;
  // Lookups [first, first + count) as intervals; `checks` (Check flags) only where has_residual().
  // For points `lower` and `upper` are the same column.
  virtual void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                              std::size_t first, std::size_t count, Interval* intervals,
                              std::uint8_t* checks) const;
  // Whether the full key of a hit, whose encoded key lies in the interval, lies in lookup i.
  [[nodiscard]] bool accepts(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                             std::size_t i, Interval interval, std::uint8_t checks,
                             std::uint32_t row, std::uint64_t key) const;

  // New keys of an update as encoded keys, where the codec can hold them (none below its smallest
  // key, no comparison in full to maintain), and the span that they make. None: the column must be
  // encoded anew. Keys that the column's type cannot hold are an error.
  [[nodiscard]] virtual std::optional<std::uint64_t> encode_update(const ColumnView& keys,
                                                                   std::uint64_t* encoded) const {
    static_cast<void>(keys), static_cast<void>(encoded);
    return std::nullopt;
  }
  void set_span(std::uint64_t span) { span_ = span; }

  virtual void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                           std::uint64_t* keys) const = 0;
  [[nodiscard]] virtual EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const = 0;
  // How row's full key compares with lookup i where both have one encoded key: <0, 0, >0.
  [[nodiscard]] virtual int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                             std::size_t i) const;
  // Prefetches the memory that compare_residual() reads of a row, in two steps: 0, then 1.
  virtual void prefetch_residual(std::uint32_t row, int step) const;
  // How the full keys of two rows with one encoded key compare: <0, 0, >0.
  [[nodiscard]] virtual int compare_rows(std::uint32_t a, std::uint32_t b) const;
  // How row's full key, whose encoded key is `key`, compares with lookup i: <0, 0, >0.
  [[nodiscard]] int compare(std::uint32_t row, std::uint64_t key, const ColumnView& lookups,
                            std::size_t i) const;

 protected:
  KeyCodec() = default;
  explicit KeyCodec(const FileReader& file);
  // encode_lookups() for points that are strings, each encoded once: ends_of(string) is as
  // encode_ends().
  template <class EndsOf>
  static void encode_points(const ColumnView& strings, std::size_t first, std::size_t count,
                            Interval* intervals, std::uint8_t* checks, EndsOf ends_of) {
    constexpr std::size_t ahead = 8;  // lookups whose bytes are prefetched
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) prefetch(strings.string(first + i + ahead).data());
      std::uint8_t check = check_none;
      intervals[i] = empty_interval;
      if (strings.valid(first + i)) {
        const EncodedEnds own = ends_of(strings.string(first + i));
        intervals[i] = interval_between(own.lower, own.upper, check);
      }
      if (checks != nullptr) checks[i] = check;
    }
  }
  // What the codec keeps beyond its span.
  virtual void save_own(FileWriter& file) const = 0;

  RowNumbers rows_;
  std::uint64_t span_ = 0;
  bool has_residual_ = false;
  bool empty_ = true;
};

}  // namespace rtindex
