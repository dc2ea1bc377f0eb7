#include <functional>
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

[[nodiscard]] Extent128 extent_of_128(const ColumnView& column) {
  return parallel_reduce(
      column.size(), grain_128, Extent128{},
      [&](std::size_t first, std::size_t count) {
        Extent128 here;
        for (std::size_t row = first; row < first + count; ++row) {
          if (!column.valid(row)) continue;
          const Uint128 key = ordered_bits_128(column, row, column.type()).bits;
          here = Extent128::union_of(here, {key, key});
        }
        return here;
      },
      Extent128::union_of);
}

class Codec128 final : public KeyCodec {
 public:
  explicit Codec128(const ColumnView& column) : KeyCodec(column.type()) {
    set_extent_128(extent_of_128(column));
    if (drops_bits()) keep(low_bits_of(column));
    set_fields();
  }

  Codec128(Type type, const Extent128& extent, std::function<PackedKeys()> load_low)
      : KeyCodec(type) {
    set_extent_128(extent);
    if (drops_bits()) keep(Lazy<PackedKeys>(std::move(load_low)));
    set_fields();
  }

  Codec128(Type type, const FileReader& file, std::size_t rows) : KeyCodec(type, file) {
    map_128_.base = {file.number("base_low"), file.number("base_high")};
    map_128_.dropped = static_cast<int>(file.number("dropped", 64));
    if (drops_bits()) keep(PackedKeys(file, "low", rows, map_128_.low_mask()));
    set_fields();
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = column.valid(first + i)
                    ? static_cast<std::uint64_t>(map_128_.encoded(bits_of(column, first + i)))
                    : 0;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(type_, encoded.size());
    column.set_all_valid();
    auto* const elements = column.data<Bits128>();
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      Uint128 offset = static_cast<Uint128>(encoded.keys[i]) << map_128_.dropped;
      if (has_residual()) offset |= low_.get()[rows_.element(encoded.row(i))];
      elements[i] = from_ordered_bits_128(to_uint128(map_128_.base) + offset, type_);
    }
    return column;
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    return rtindex::encode_ends(map_128_, map_.span, ordered_bits_128(lookups, i, type_));
  }

 private:
  class LowComparer final : public FullKeyComparer {
   public:
    explicit LowComparer(const Codec128& codec) : codec_(codec) {}

    [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                       std::size_t i) const override {
      return rtindex::compare(low(row), codec_.map_128_.low(codec_.bits_of(lookups, i)));
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
    file.number("base_low", map_128_.base.low);
    file.number("base_high", map_128_.base.high);
    file.number("dropped", static_cast<std::uint64_t>(map_128_.dropped));
    if (has_residual()) low_.get().save(file, "low");
  }

  [[nodiscard]] Uint128 bits_of(const ColumnView& column, std::size_t i) const {
    return ordered_bits_128(column, i, type_).bits;
  }
  [[nodiscard]] bool drops_bits() const { return map_128_.dropped != 0; }

  [[nodiscard]] PackedKeys low_bits_of(const ColumnView& column) const {
    PackedKeys low(column.size(), map_128_.low_mask());
    parallel_for(column.size(), grain_128, [&](std::size_t first, std::size_t count) {
      for (std::size_t row = first; row < first + count; ++row)
        low.set(row, column.valid(row) ? map_128_.low(bits_of(column, row)) : 0);
    });
    return low;
  }

  void keep(Lazy<PackedKeys> low) {
    low_ = std::move(low);
    comparer_ = std::make_unique<LowComparer>(*this);
  }

  void set_extent_128(const Extent128& extent) {
    map_.empty = extent.empty();
    map_128_ = Map128::of(extent);
    if (!empty()) map_.span = static_cast<std::uint64_t>(map_128_.encoded(extent.largest));
  }

  void set_fields() {
    CodecField field{map_};
    field.map_128 = map_128_;
    if (has_residual()) field.low = &low_;
    fields_ = {{field}, has_residual() ? std::size_t{0} : 1};
  }

  Map128 map_128_;
  Lazy<PackedKeys> low_{PackedKeys()};
};

}  // namespace

std::unique_ptr<KeyCodec> make_128_bit_codec(const ColumnView& column) {
  return std::make_unique<Codec128>(column);
}

std::unique_ptr<KeyCodec> make_128_bit_codec(Type type, const Extent128& extent,
                                             std::function<PackedKeys()> load_low) {
  return std::make_unique<Codec128>(type, extent, std::move(load_low));
}

std::unique_ptr<KeyCodec> make_128_bit_codec(Type type, const FileReader& file, std::size_t rows) {
  return std::make_unique<Codec128>(type, file, rows);
}

}  // namespace rtindex
