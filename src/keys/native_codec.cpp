#include "keys/codecs.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/native_map.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex {

namespace {

constexpr std::size_t scan_grain = std::size_t{1} << 16;

[[nodiscard]] KeyExtent extent_of(const ColumnView& column) {
  return visit_native(column.type(), [&]<class T>() {
    const T* elements = static_cast<const T*>(column.data());
    const bool nullable = column.nullable();
    return parallel_reduce(
        column.size(), scan_grain, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          KeyExtent block;
          for (std::size_t row = first; row < first + count; ++row)
            if (!nullable || column.valid(row)) block.add(ordered_bits(value_of(elements[row])));
          return block;
        },
        KeyExtent::union_of);
  });
}

// Lookups of the column's own type, whose ordered_bits() are not rounded. A null array: an end that
// is left out.
template <class T>
void encode_own(std::uint64_t base, std::uint64_t span, const T* low, const T* high, RangeEnds ends,
                std::size_t count, Interval* intervals) {
  const std::uint64_t top = base + span;
  const auto lower = [=](std::size_t i) { return ordered_bits(value_of(low[i])); };
  const auto upper = [=](std::size_t i) { return ordered_bits(value_of(high[i])); };
  const auto encode = [=](auto from, auto to, RangeEnds open) {
    for (std::size_t i = 0; i < count; ++i)
      intervals[i] = range_at(base, span, from(i), to(i), open);
  };
  if (low == nullptr && high == nullptr) {
    std::fill_n(intervals, count, Interval{0, span});
  } else if (low == nullptr) {
    encode([=](std::size_t) { return base; }, upper, {false, ends.upper_open});
  } else if (high == nullptr) {
    encode(lower, [=](std::size_t) { return top; }, {ends.lower_open, false});
  } else if (ends.any_open()) {
    encode(lower, upper, ends);
  } else if (low != high) {
    for (std::size_t i = 0; i < count; ++i)
      intervals[i] = range_at(base, span, lower(i), upper(i), {});
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      // A key below the base wraps around to one above the span.
      const std::uint64_t key = lower(i) - base;
      intervals[i] = key <= span ? Interval{key, key} : empty_interval;
    }
  }
}

class NativeCodec final : public KeyCodec {
 public:
  NativeCodec(Type type, const KeyExtent& extent) : type_(type) {
    empty_ = extent.empty();
    base_ = empty_ ? 0 : extent.smallest;
    span_ = empty_ ? 0 : extent.largest - extent.smallest;
  }

  NativeCodec(Type type, const FileReader& file)
      : KeyCodec(file), type_(type), base_(file.number("base")) {
    const auto largest = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * width_of(type));
    if (base_ > largest || span_ > largest - base_)
      file.refuse("its keys reach beyond the type {}", name_of(type));
  }

  [[nodiscard]] Type type() const override { return type_; }

  [[nodiscard]] std::optional<NativeMap> native_map() const override {
    return NativeMap{element_type(type_), base_, span_, empty_};
  }

  [[nodiscard]] std::string describe() const override {
    if (empty_) return fmt::format("{}, no valid keys", name_of(type_));
    return visit_native(type_, [&]<class T>() {
      return fmt::format("{} from {} to {}", name_of(type_), from_ordered_bits<value_t<T>>(base_),
                         from_ordered_bits<value_t<T>>(base_ + span_));
    });
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    visit_native(type_, [&]<class T>() {
      const T* elements = static_cast<const T*>(column.data()) + first;
      for (std::size_t i = 0; i < count; ++i) keys[i] = ordered_bits(value_of(elements[i])) - base_;
    });
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(type_, encoded.size());
    visit_native(type_, [&]<class T>() {
      T* elements = column.data<T>();
      parallel_for(encoded.size(), scan_grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
          elements[i] = T{from_ordered_bits<value_t<T>>(encoded.keys[i] + base_)};
          column.set_valid(i, true);
        }
      });
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
      return;
    }
    const NativeMap map = *native_map();
    const ElementType lower_type = element_type(lower.type());
    const ElementType upper_type = element_type(upper.type());
    if (is_own(lower) && is_own(upper)) {
      visit_native(type_, [&]<class T>() {
        const auto elements = [&](const ColumnView& end) {
          return end.has_value() ? static_cast<const T*>(end.data()) + first : nullptr;
        };
        encode_own(base_, span_, elements(lower), elements(upper), ends, count, intervals);
      });
    } else if (&lower == &upper && !ends.any_open()) {
      std::uint8_t unused = check_none;
      for (std::size_t i = 0; i < count; ++i) {
        const EncodedEnds own = rtindex::encode_ends(map, lower.data(), lower_type, first + i);
        intervals[i] = interval_between(own.lower, own.upper, unused);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i)
        intervals[i] = encode_interval(map, lower.data(), lower_type, upper.data(), upper_type,
                                       first + i, ends);
    }
    if (!lower.nullable() && !upper.nullable()) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (!lower.valid(first + i) || (!upper.valid(first + i) && !ends.null_upper_is_none))
        intervals[i] = empty_interval;
      else if (!upper.valid(first + i))
        intervals[i] = encode_interval(map, lower.data(), lower_type, nullptr, {}, first + i, ends);
    }
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    return rtindex::encode_ends(*native_map(), lookups.data(), element_type(lookups.type()), i);
  }

  [[nodiscard]] std::optional<std::uint64_t> encode_update(const ColumnView& keys,
                                                           std::uint64_t* encoded) const override {
    // All are checked, even after one below the base: a key that does not fit is an error.
    const KeyExtent extent = parallel_reduce(
        keys.size(), scan_grain, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          return encode_new_keys(keys, first, count, encoded + first);
        },
        KeyExtent::union_of);
    if (extent.empty()) return span_;
    if (empty_ || extent.smallest < base_) return std::nullopt;
    return std::max(span_, extent.largest - base_);
  }

 private:
  void save_own(FileWriter& file) const override { file.number("base", base_); }

  // Keys [first, first + count) of an update; null ones become 0.
  [[nodiscard]] KeyExtent encode_new_keys(const ColumnView& keys, std::size_t first,
                                          std::size_t count, std::uint64_t* encoded) const {
    const auto encode = [&](auto place) {
      const bool nullable = keys.nullable();
      KeyExtent extent;
      for (std::size_t i = 0; i < count; ++i) {
        encoded[i] = 0;
        if (nullable && !keys.valid(first + i)) continue;
        const NewKey key = place(first + i);
        if (!key.fits) fail_to_fit(keys, first + i, type_);
        encoded[i] = key.bits - base_;
        extent.add(key.bits);
      }
      return extent;
    };
    if (keys.type() == type_)
      return visit_native(type_, [&]<class T>() {
        return encode([elements = static_cast<const T*>(keys.data())](std::size_t i) {
          return NewKey{ordered_bits(value_of(elements[i])), true};
        });
      });
    return encode([&, map = *native_map(), type = element_type(keys.type())](std::size_t i) {
      return place_new_key(map, keys.data(), type, i);
    });
  }

  Type type_;
  std::uint64_t base_ = 0;
};

}  // namespace

std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column) {
  return make_native_codec(column.type(), extent_of(column));
}

std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent) {
  return std::make_unique<NativeCodec>(type, extent);
}

std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file) {
  return std::make_unique<NativeCodec>(type, file);
}

}  // namespace rtindex
