#include <algorithm>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/codecs.hpp"
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

// Lookups of the column's own type, whose ordered_bits() are not rounded. A null array: an unset
// end.
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
  if (low == high && low != nullptr && !ends.any_open()) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t key = 0;
      intervals[i] = encode_bits(base, span, lower(i), key) ? Interval{key, key} : empty_interval;
    }
  } else if (low == nullptr && high == nullptr) {
    std::fill_n(intervals, count, Interval{0, span});
  } else if (low == nullptr) {
    encode([=](std::size_t) { return base; }, upper, {false, ends.upper_open});
  } else if (high == nullptr) {
    encode(lower, [=](std::size_t) { return top; }, {ends.lower_open, false});
  } else if (ends.any_open()) {
    encode(lower, upper, ends);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      intervals[i] = range_at(base, span, lower(i), upper(i), {});
  }
}

// Lookups of any comparable type.
void encode_rounded(const NativeMap& map, const ColumnView& lower, const ColumnView& upper,
                    RangeEnds ends, std::size_t first, std::size_t count, Interval* intervals) {
  const ElementType lower_type = element_type(lower.type());
  if (&lower == &upper && !ends.any_open()) {
    std::uint8_t unused = check_none;
    for (std::size_t i = 0; i < count; ++i) {
      const EncodedEnds own = encode_ends(map, lower.data(), lower_type, first + i);
      intervals[i] = interval_between(own.lower, own.upper, unused);
    }
    return;
  }
  const ElementType upper_type = element_type(upper.type());
  for (std::size_t i = 0; i < count; ++i)
    intervals[i] =
        encode_interval(map, lower.data(), lower_type, upper.data(), upper_type, first + i, ends);
}

// T: an element in memory. A template, because a switch over the type would slow single lookups
// down by a third.
template <class T>
class NativeCodec final : public KeyCodec {
 public:
  NativeCodec(Type type, const KeyExtent& extent) : KeyCodec(type) { set_extent(extent); }
  NativeCodec(Type type, const FileReader& file) : KeyCodec(type, file) {}

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    const T* elements = static_cast<const T*>(column.data()) + first;
    const std::uint64_t base = map_.base;
    for (std::size_t i = 0; i < count; ++i) keys[i] = ordered_bits(value_of(elements[i])) - base;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(type_, encoded.size());
    column.set_all_valid();
    T* elements = column.data<T>();
    parallel_for(encoded.size(), scan_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        elements[i] = T{from_ordered_bits<value_t<T>>(encoded.keys[i] + map_.base)};
    });
    return column;
  }

  void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                      std::size_t first, std::size_t count, Interval* intervals,
                      std::uint8_t*) const override {
    if (empty()) {
      std::fill_n(intervals, count, empty_interval);
      return;
    }
    const bool has_lower = lower.has_value();
    const bool has_upper = upper.has_value();
    if ((!has_lower || lower.type() == type_) && (!has_upper || upper.type() == type_))
      encode_own(map_.base, map_.span,
                 has_lower ? static_cast<const T*>(lower.data()) + first : nullptr,
                 has_upper ? static_cast<const T*>(upper.data()) + first : nullptr, ends, count,
                 intervals);
    else
      encode_rounded(map_, lower, upper, ends, first, count, intervals);
    if (!lower.nullable() && !upper.nullable()) return;
    const ColumnView unset;
    for (std::size_t i = 0; i < count; ++i) {
      if (!lower.valid(first + i) || (!upper.valid(first + i) && !ends.null_upper_is_none))
        intervals[i] = empty_interval;
      else if (!upper.valid(first + i))
        encode_rounded(map_, lower, unset, ends, first + i, 1, intervals + i);
    }
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    return rtindex::encode_ends(map_, lookups.data(), element_type(lookups.type()), i);
  }
};

template <class Source>
[[nodiscard]] std::unique_ptr<KeyCodec> make(Type type, const Source& source) {
  return visit_native(type, [&]<class T>() -> std::unique_ptr<KeyCodec> {
    return std::make_unique<NativeCodec<T>>(type, source);
  });
}

}  // namespace

KeyExtent encode_new_keys(Type type, const NativeMap& map, const ColumnView& keys,
                          std::uint64_t* encoded) {
  const auto encode = [&](auto convert) {
    const bool nullable = keys.nullable();
    // All are checked, even after one below the base: a key that does not fit is an error.
    return parallel_reduce(
        keys.size(), scan_grain, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          KeyExtent extent;
          for (std::size_t i = first; i < first + count; ++i) {
            encoded[i] = 0;
            if (nullable && !keys.valid(i)) continue;
            const NewKey key = convert(i);
            if (!key.fits) fail_to_fit(keys, i, type);
            encoded[i] = key.bits - map.base;
            extent.add(key.bits);
          }
          return extent;
        },
        KeyExtent::union_of);
  };
  if (keys.type() == type)
    return visit_native(type, [&]<class T>() {
      return encode([elements = static_cast<const T*>(keys.data())](std::size_t i) {
        return NewKey{ordered_bits(value_of(elements[i])), true};
      });
    });
  return encode([&, from = element_type(keys.type())](std::size_t i) {
    return convert_key(map, keys.data(), from, i);
  });
}

std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column) {
  return make_native_codec(column.type(), extent_of(column));
}

std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent) {
  return make(type, extent);
}

std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file) {
  return make(type, file);
}

}  // namespace rtindex
