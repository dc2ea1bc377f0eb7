#include "keys/codecs.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex {

namespace {

constexpr std::size_t scan_grain = std::size_t{1} << 16;

// T: how an element lies in memory.
template <class T>
class NativeCodec final : public KeyCodec {
  using Value = value_t<T>;

 public:
  explicit NativeCodec(const ColumnView& column) : NativeCodec(column.type(), extent_of(column)) {}

  NativeCodec(Type type, const KeyExtent& extent) : type_(type) {
    empty_ = extent.empty();
    base_ = empty_ ? 0 : extent.smallest;
    span_ = empty_ ? 0 : extent.largest - extent.smallest;
  }

  NativeCodec(Type type, const FileReader& file)
      : KeyCodec(file), type_(type), base_(file.number("base")) {
    constexpr auto largest = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * sizeof(T));
    if (base_ > largest || span_ > largest - base_)
      file.refuse("its keys reach beyond the type {}", name_of(type));
  }

  [[nodiscard]] Type type() const override { return type_; }

  [[nodiscard]] std::optional<std::uint64_t> native_base() const override { return base_; }

  [[nodiscard]] std::string describe() const override {
    if (empty_) return fmt::format("{}, no valid keys", name_of(type_));
    return fmt::format("{} from {} to {}", name_of(type_), from_ordered_bits<Value>(base_),
                       from_ordered_bits<Value>(base_ + span_));
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    const T* elements = static_cast<const T*>(column.data()) + first;
    for (std::size_t i = 0; i < count; ++i) keys[i] = ordered_bits(value_of(elements[i])) - base_;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(type_, encoded.size());
    T* elements = column.data<T>();
    parallel_for(encoded.size(), scan_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        const auto value = from_ordered_bits<Value>(encoded.keys[i] + base_);
        if constexpr (std::is_same_v<T, Bool8>)
          elements[i] = Bool8{value};
        else
          elements[i] = value;
        column.set_valid(i, true);
      }
    });
    return column;
  }

  void require_comparable(const ColumnView& lookups) const override {
    if (!is_native(lookups.type()) || !comparable(type_, lookups.type()))
      fail("{} keys cannot be compared with a {} column: convert them to {} first",
           name_of(lookups.type()), name_of(type_), name_of(type_));
  }

  void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                      std::size_t first, std::size_t count, Interval* intervals,
                      std::uint8_t*) const override {
    const auto is_own = [&](const ColumnView& end) {
      return !end.has_value() || end.type() == type_;
    };
    if (empty_) {
      std::fill_n(intervals, count, empty_interval);
    } else if (is_own(lower) && is_own(upper) && !ends.null_upper_is_none) {
      encode_own_type(lower, upper, ends, first, count, intervals);
    } else {
      KeyCodec::encode_lookups(lower, upper, ends, first, count, intervals, nullptr);
      return;
    }
    if (!lower.nullable() && !upper.nullable()) return;
    for (std::size_t i = 0; i < count; ++i)
      if (!lower.valid(first + i) || !upper.valid(first + i)) intervals[i] = empty_interval;
  }

  [[nodiscard]] Bound lower_bound(const ColumnView& lookups, std::size_t i) const override {
    const auto value = with_lookup(lookups, i, [](auto v) { return round_up_to<Value>(v); });
    if (!value) return {.none = true};
    const std::uint64_t bits = ordered_bits(*value);
    if (bits <= base_) return {};
    return {.key = bits - base_, .none = bits - base_ > span_};
  }

  [[nodiscard]] Bound upper_bound(const ColumnView& lookups, std::size_t i) const override {
    const auto value = with_lookup(lookups, i, [](auto v) { return round_down_to<Value>(v); });
    if (!value) return {.none = true};
    const std::uint64_t bits = ordered_bits(*value);
    if (bits < base_) return {.none = true};
    return {.key = std::min(bits - base_, span_)};
  }

  [[nodiscard]] std::optional<std::uint64_t> encode_update(const ColumnView& keys,
                                                           std::uint64_t* encoded) const override {
    // All are checked, even after one below the base: a key that does not fit is an error.
    const KeyExtent extent = parallel_reduce(
        keys.size(), scan_grain, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          return encode_new_keys(keys, first, count, encoded + first);
        },
        union_of);
    if (extent.empty()) return span_;
    if (empty_ || extent.smallest < base_) return std::nullopt;
    return std::max(span_, extent.largest - base_);
  }

 private:
  void save_own(FileWriter& file) const override { file.number("base", base_); }

  [[nodiscard]] static KeyExtent extent_of(const ColumnView& column) {
    const T* elements = static_cast<const T*>(column.data());
    const bool nullable = column.nullable();
    return parallel_reduce(
        column.size(), scan_grain, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          KeyExtent block;
          for (std::size_t row = first; row < first + count; ++row) {
            if (nullable && !column.valid(row)) continue;
            const std::uint64_t bits = ordered_bits(value_of(elements[row]));
            block.smallest = std::min(block.smallest, bits);
            block.largest = std::max(block.largest, bits);
          }
          return block;
        },
        union_of);
  }

  [[nodiscard]] static KeyExtent union_of(const KeyExtent& a, const KeyExtent& b) {
    return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
  }

  // Keys [first, first + count) of an update; null ones become 0. Those of another type are made
  // elements of this one first.
  [[nodiscard]] KeyExtent encode_new_keys(const ColumnView& keys, std::size_t first,
                                          std::size_t count, std::uint64_t* encoded) const {
    OwnedColumn converted;
    const T* elements = nullptr;
    if (keys.type() == type_) {
      elements = static_cast<const T*>(keys.data()) + first;
    } else {
      converted = OwnedColumn(type_, count);
      for (std::size_t i = 0; i < count; ++i) converted.set(i, keys, first + i);
      elements = converted.data<T>();
    }
    const bool nullable = keys.nullable();
    KeyExtent extent;
    for (std::size_t i = 0; i < count; ++i) {
      encoded[i] = 0;
      if (nullable && !keys.valid(first + i)) continue;
      const std::uint64_t bits = ordered_bits(value_of(elements[i]));
      encoded[i] = bits - base_;
      extent = union_of(extent, {bits, bits});
    }
    return extent;
  }

  void encode_own_type(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                       std::size_t first, std::size_t count, Interval* intervals) const {
    const T* low = lower.has_value() ? static_cast<const T*>(lower.data()) + first : nullptr;
    const T* high = upper.has_value() ? static_cast<const T*>(upper.data()) + first : nullptr;
    const std::uint64_t base = base_;
    const std::uint64_t span = span_;
    if (low == nullptr || high == nullptr || ends.any_open())
      return encode_open_ends(low, high, ends, count, intervals);
    if (low == high) {
      for (std::size_t i = 0; i < count; ++i) {
        // A key below the base wraps around to one above the span.
        const std::uint64_t key = ordered_bits(value_of(low[i])) - base;
        intervals[i] = key <= span ? Interval{key, key} : empty_interval;
      }
      return;
    }
    const std::uint64_t top = base + span;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t from = std::max(ordered_bits(value_of(low[i])), base);
      const std::uint64_t to = std::min(ordered_bits(value_of(high[i])), top);
      intervals[i] = from <= to ? Interval{from - base, to - base} : empty_interval;
    }
  }

  // Ends that are open, or left out where null.
  void encode_open_ends(const T* low, const T* high, RangeEnds ends, std::size_t count,
                        Interval* intervals) const {
    constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t base = base_;
    const std::uint64_t top = base + span_;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t from = low == nullptr ? base : ordered_bits(value_of(low[i]));
      std::uint64_t to = high == nullptr ? top : ordered_bits(value_of(high[i]));
      bool none = false;
      if (low != nullptr && ends.lower_open) none = from++ == greatest;
      if (high != nullptr && ends.upper_open) none = to-- == 0 || none;
      from = std::max(from, base);
      to = std::min(to, top);
      intervals[i] = none || from > to ? empty_interval : Interval{from - base, to - base};
    }
  }

  template <class Round>
  [[nodiscard]] std::optional<Value> with_lookup(const ColumnView& lookups, std::size_t i,
                                                 Round round) const {
    return visit_native(lookups.type(), [&]<class L>() -> std::optional<Value> {
      if constexpr (std::floating_point<Value> == std::floating_point<value_t<L>>)
        return round(value_of(static_cast<const L*>(lookups.data())[i]));
      else
        return std::nullopt;  // require_comparable refused this before
    });
  }

  Type type_;
  std::uint64_t base_ = 0;
};

}  // namespace

std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column) {
  return visit_native(column.type(), [&]<class T>() -> std::unique_ptr<KeyCodec> {
    return std::make_unique<NativeCodec<T>>(column);
  });
}

std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent) {
  return visit_native(type, [&]<class T>() -> std::unique_ptr<KeyCodec> {
    return std::make_unique<NativeCodec<T>>(type, extent);
  });
}

std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file) {
  return visit_native(type, [&]<class T>() -> std::unique_ptr<KeyCodec> {
    return std::make_unique<NativeCodec<T>>(type, file);
  });
}

}  // namespace rtindex
