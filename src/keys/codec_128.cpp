#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "keys/bits_128.hpp"
#include "keys/codecs.hpp"
#include "keys/compare.hpp"

namespace rtindex {

namespace {

constexpr std::size_t grain_128 = std::size_t{1} << 14;

// The smallest and largest key of a column.
struct Extent128 {
  Uint128 smallest = ~Uint128{0};
  Uint128 largest = 0;

  [[nodiscard]] bool empty() const { return smallest > largest; }
  void add(Uint128 key) { *this = union_of(*this, {key, key}); }
  [[nodiscard]] static Extent128 union_of(const Extent128& a, const Extent128& b) {
    return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
  }
};

[[nodiscard]] Extent128 extent_of_128(const ColumnView& column) {
  return parallel_reduce(
      column.size(), grain_128, Extent128{},
      [&](std::size_t first, std::size_t count) {
        Extent128 here;
        for (std::size_t row = first; row < first + count; ++row)
          if (column.valid(row)) here.add(ordered_bits_128(column, row, column.type()).bits);
        return here;
      },
      Extent128::union_of);
}

[[nodiscard]] int bit_width_128(Uint128 number) {
  const Bits128 bits = to_bits128(number);
  return bits.high != 0 ? 64 + static_cast<int>(std::bit_width(bits.high))
                        : static_cast<int>(std::bit_width(bits.low));
}

// Keys are the highest 64 bits of what remains above the smallest one. Where a column spans more
// than 64 bits, the bits below are kept, and compared in the hit.
class Codec128 final : public KeyCodec {
 public:
  explicit Codec128(const ColumnView& column) : KeyCodec(column.type()) {
    const Extent128 extent = extent_of_128(column);
    map_.empty = extent.empty();
    if (!empty()) {
      base_ = extent.smallest;
      const Uint128 span = extent.largest - extent.smallest;
      dropped_ = std::max(bit_width_128(span) - 64, 0);
      map_.span = static_cast<std::uint64_t>(span >> dropped_);
      if (dropped_ != 0) keep(low_bits_of(column));
    }
    set_fields();
  }

  Codec128(Type type, const FileReader& file, std::size_t rows) : KeyCodec(type, file) {
    base_ = to_uint128({file.number("base_low"), file.number("base_high")});
    dropped_ = static_cast<int>(file.number("dropped", 64));
    if (dropped_ != 0) keep(PackedKeys(file, "low", rows, low_mask()));
    set_fields();
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = column.valid(first + i)
                    ? static_cast<std::uint64_t>(offset_of(column, first + i) >> dropped_)
                    : 0;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(type_, encoded.size());
    column.set_all_valid();
    auto* const elements = column.data<Bits128>();
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      Uint128 offset = static_cast<Uint128>(encoded.keys[i]) << dropped_;
      if (has_residual()) offset |= low_.get()[rows_.element(encoded.row(i))];
      elements[i] = from_ordered_bits_128(base_ + offset, type_);
    }
    return column;
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    using Range = ClampedBits::Range;
    const ClampedBits128 own = ordered_bits_128(lookups, i, type_);
    if (own.range == Range::below || own.bits < base_) return {{}, {0, true}};
    const Uint128 code = (own.bits - base_) >> dropped_;
    if (own.range == Range::above || code > map_.span) return {{0, true}, {map_.span}};
    const Bound bound{static_cast<std::uint64_t>(code), false, has_residual()};
    return {bound, bound};
  }

 private:
  class LowComparer final : public FullKeyComparer {
   public:
    explicit LowComparer(const Codec128& codec) : codec_(codec) {}

    [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                       std::size_t i) const override {
      return rtindex::compare(low(row), codec_.low_of(codec_.offset_of(lookups, i)));
    }
    [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
      return rtindex::compare(low(a), low(b));
    }
    void prefetch_residual(std::uint32_t row, int step) const override {
      if (step == 0) prefetch(codec_.low_.get().address(codec_.rows_.element(row)));
    }

   private:
    [[nodiscard]] std::uint64_t low(std::uint32_t row) const {
      return codec_.low_.get()[codec_.rows_.element(row)];
    }

    const Codec128& codec_;
  };

  void save_own(FileWriter& file) const override {
    const Bits128 base = to_bits128(base_);
    file.number("base_low", base.low);
    file.number("base_high", base.high);
    file.number("dropped", static_cast<std::uint64_t>(dropped_));
    if (has_residual()) low_.get().save(file, "low");
  }

  // A key above the smallest one.
  [[nodiscard]] Uint128 offset_of(const ColumnView& column, std::size_t i) const {
    return ordered_bits_128(column, i, type_).bits - base_;
  }
  [[nodiscard]] std::uint64_t low_mask() const { return ~std::uint64_t{0} >> (64 - dropped_); }
  [[nodiscard]] std::uint64_t low_of(Uint128 offset) const {
    return static_cast<std::uint64_t>(offset) & low_mask();
  }

  [[nodiscard]] PackedKeys low_bits_of(const ColumnView& column) const {
    PackedKeys low(column.size(), low_mask());
    parallel_for(column.size(), grain_128, [&](std::size_t first, std::size_t count) {
      for (std::size_t row = first; row < first + count; ++row)
        low.set(row, column.valid(row) ? low_of(offset_of(column, row)) : 0);
    });
    return low;
  }

  void keep(PackedKeys low) {
    low_ = std::move(low);
    comparer_ = std::make_unique<LowComparer>(*this);
  }

  void set_fields() {
    CodecField field{map_};
    if (has_residual()) field.keys = &low_;
    fields_ = {{field}, has_residual() ? std::size_t{0} : 1};
  }

  Uint128 base_ = 0;
  int dropped_ = 0;  // low bits of the keys that are not encoded
  Lazy<PackedKeys> low_{PackedKeys()};
};

}  // namespace

std::unique_ptr<KeyCodec> make_128_bit_codec(const ColumnView& column) {
  return std::make_unique<Codec128>(column);
}

std::unique_ptr<KeyCodec> make_128_bit_codec(Type type, const FileReader& file, std::size_t rows) {
  return std::make_unique<Codec128>(type, file, rows);
}

}  // namespace rtindex
