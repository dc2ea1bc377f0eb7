#pragma once

/// \file
/// Columns: typed, non-owning views of arrays of keys, of lookups or of values.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <ratio>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rtindex/device.hpp>
#include <rtindex/export.hpp>

namespace rtindex {

/// The type of a column's elements.
enum class Type : std::uint8_t {
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  boolean,      ///< one byte each, zero is false
  date32,       ///< days since 1970-01-01 in an int32
  timestamp64,  ///< ticks since 1970-01-01 in an int64, in the unit of `TimeUnit`
  f32,
  f64,
  string,      ///< bytes compared as unsigned chars
  composite,   ///< several columns compared in lexicographic order
  f16,         ///< IEEE 754 binary16
  time32,      ///< time of day: ticks since midnight in an int32, in the unit of `TimeUnit`
  time64,      ///< time of day in an int64
  duration64,  ///< ticks in an int64, in the unit of `TimeUnit`
  decimal32,   ///< an int32 times 10^-scale
  decimal64,   ///< an int64 times 10^-scale
  decimal128,  ///< a 128-bit integer times 10^-scale
  i128,        ///< two's complement, the low 64 bits first
  u128,        ///< the low 64 bits first
  binary16,    ///< 16 bytes compared as unsigned chars, such as UUIDs
};

/// The unit of the ticks of timestamps, times of day and durations.
enum class TimeUnit : std::uint8_t {
  unspecified,  ///< compares with every unit, tick by tick
  day,
  hour,
  minute,
  second,
  millisecond,
  microsecond,
  nanosecond,
};

/// The name of a unit as NumPy writes it ("s", "us", ...); empty for `unspecified`.
[[nodiscard]] RTINDEX_API std::string_view name_of(TimeUnit unit);
/// The unit of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API TimeUnit time_unit_named(std::string_view name);

/// The name of a type as messages and `describe()` print it ("uint32", "string", ...).
[[nodiscard]] RTINDEX_API std::string_view name_of(Type type);
/// The type of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API Type type_named(std::string_view name);

/// Which ends belong to a range of keys or to an interval.
enum class Ends : std::uint8_t {
  closed,      ///< [lower, upper]
  right_open,  ///< [lower, upper)
  left_open,   ///< (lower, upper]
  open,        ///< (lower, upper)
};

/// "[]", "[)", "(]" or "()".
[[nodiscard]] RTINDEX_API std::string_view name_of(Ends ends);
/// The ends of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API Ends ends_named(std::string_view name);

/// Whether elements of the type have 16 bytes.
[[nodiscard]] constexpr bool is_128_bit(Type type) {
  return type >= Type::decimal128 && type <= Type::binary16;
}
/// Whether elements of the type have 1 to 8 bytes: not 128-bit types, strings and composites.
[[nodiscard]] constexpr bool is_native(Type type) {
  return type != Type::string && type != Type::composite && !is_128_bit(type);
}
/// Whether a column of the type has a scale.
[[nodiscard]] constexpr bool is_decimal(Type type) {
  return type >= Type::decimal32 && type <= Type::decimal128;
}
/// Whether a column of the type has a `TimeUnit`.
[[nodiscard]] constexpr bool has_time_unit(Type type) {
  return type == Type::timestamp64 || (type >= Type::time32 && type <= Type::duration64);
}
/// Bytes of one element; 0 for strings and composites.
[[nodiscard]] constexpr std::size_t width_of(Type type) {
  switch (type) {
    case Type::u8:
    case Type::i8:
    case Type::boolean: return 1;
    case Type::u16:
    case Type::i16:
    case Type::f16: return 2;
    case Type::u32:
    case Type::i32:
    case Type::date32:
    case Type::time32:
    case Type::decimal32:
    case Type::f32: return 4;
    case Type::u64:
    case Type::i64:
    case Type::timestamp64:
    case Type::time64:
    case Type::duration64:
    case Type::decimal64:
    case Type::f64: return 8;
    case Type::decimal128:
    case Type::i128:
    case Type::u128:
    case Type::binary16: return 16;
    case Type::string:
    case Type::composite: break;
  }
  return 0;
}

/// An element type that a column can view directly: bool, integers of 8 to 64 bits, float, double.
template <class T>
concept NativeKey = ((std::floating_point<T> && sizeof(T) >= 4) ||
                     (std::integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                      !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                      !std::same_as<T, char32_t>)) &&
                    sizeof(T) <= 8;

/// The column type of a native element type.
template <NativeKey T>
[[nodiscard]] consteval Type type_of() {
  if constexpr (std::same_as<T, bool>) return Type::boolean;
  if constexpr (std::floating_point<T>) return sizeof(T) == 4 ? Type::f32 : Type::f64;
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return is_signed ? Type::i8 : Type::u8;
  if constexpr (sizeof(T) == 2) return is_signed ? Type::i16 : Type::u16;
  if constexpr (sizeof(T) == 4) return is_signed ? Type::i32 : Type::u32;
  return is_signed ? Type::i64 : Type::u64;
}

/// The unit of a period of std::chrono; `unspecified` for periods that no column has.
template <class Period>
[[nodiscard]] consteval TimeUnit unit_of_period() {
  if constexpr (std::ratio_equal_v<Period, std::ratio<86'400>>) return TimeUnit::day;
  if constexpr (std::ratio_equal_v<Period, std::ratio<3'600>>) return TimeUnit::hour;
  if constexpr (std::ratio_equal_v<Period, std::ratio<60>>) return TimeUnit::minute;
  if constexpr (std::ratio_equal_v<Period, std::ratio<1>>) return TimeUnit::second;
  if constexpr (std::ratio_equal_v<Period, std::milli>) return TimeUnit::millisecond;
  if constexpr (std::ratio_equal_v<Period, std::micro>) return TimeUnit::microsecond;
  if constexpr (std::ratio_equal_v<Period, std::nano>) return TimeUnit::nanosecond;
  return TimeUnit::unspecified;
}

/// How a column views an element of std::chrono; not at all by default.
template <class T>
struct ChronoTraits {
  static constexpr bool is_key = false;
};
/// Durations of 64 bits.
template <std::integral Rep, class Period>
struct ChronoTraits<std::chrono::duration<Rep, Period>> {
  static constexpr Type type = Type::duration64;
  static constexpr TimeUnit unit = unit_of_period<Period>();
  static constexpr bool is_key = sizeof(Rep) == 8 && unit != TimeUnit::unspecified;
};
/// Times of the system clock, in 64 bits; days of 32 bits are dates.
template <std::integral Rep, class Period>
struct ChronoTraits<
    std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<Rep, Period>>> {
  static constexpr TimeUnit unit = unit_of_period<Period>();
  static constexpr bool is_date = sizeof(Rep) == 4 && unit == TimeUnit::day;
  static constexpr Type type = is_date ? Type::date32 : Type::timestamp64;
  static constexpr bool is_key = is_date || (sizeof(Rep) == 8 && unit != TimeUnit::unspecified);
};

/// A time point of the system clock or a duration that a column can view directly.
template <class T>
concept ChronoKey = ChronoTraits<T>::is_key;

/// A string that a column can view directly.
template <class T>
concept StringKey = std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
    std::same_as<T, const char*>;

/// A non-owning, typed view of an array: the keys of a column, a batch of lookups, or values.
///
/// A view is cheap to copy and never frees what it points to; the arrays must outlive the call that
/// the view is passed to. `build` copies what it needs, so nothing has to outlive an index.
class RTINDEX_API ColumnView {
 public:
  /// An empty column of uint64.
  ColumnView() = default;

  /// Views a contiguous array of native elements: a vector or array.
  template <std::ranges::contiguous_range R>
  requires NativeKey<std::remove_cv_t<std::ranges::range_value_t<R>>> &&
      (!std::ranges::borrowed_range<R>)
      // NOLINTNEXTLINE(google-explicit-constructor): every call accepts spans and vectors
      ColumnView(const R& elements RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span(std::ranges::data(elements), std::ranges::size(elements))) {}
  /// \overload A span or another view of an array.
  template <std::ranges::contiguous_range R>
  requires NativeKey<std::remove_cv_t<std::ranges::range_value_t<R>>> &&
      std::ranges::borrowed_range<R>
      // NOLINTNEXTLINE(google-explicit-constructor)
      ColumnView(const R& elements)
      : type_(type_of<std::remove_cv_t<std::ranges::range_value_t<R>>>()),
        has_value_(true),
        size_(std::ranges::size(elements)),
        data_(std::ranges::data(elements)) {}

  /// Views a contiguous array of time points of the system clock, or of durations.
  template <std::ranges::contiguous_range R>
  requires ChronoKey<std::remove_cv_t<std::ranges::range_value_t<R>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const R& times RTINDEX_LIFETIMEBOUND)
      : ColumnView(of_chrono<std::remove_cv_t<std::ranges::range_value_t<R>>>(
            std::ranges::data(times), std::ranges::size(times))) {}

  /// Views one key: `index.lookup(29)`.
  template <class T>
  requires NativeKey<T> || ChronoKey<T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const T& key RTINDEX_LIFETIMEBOUND) : ColumnView(std::span<const T>(&key, 1)) {}
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const std::string& key RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span<const std::string>(&key, 1)) {}
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const std::string_view& key RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span<const std::string_view>(&key, 1)) {}
  /// \overload A string that ends with a NUL: `index.lookup("Ulm")`.
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const char* const& key RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span<const char* const>(&key, 1)) {}
  /// Views the keys of a list, until the end of the call: `index.lookup({29, 5})`.
  template <class T>
  requires NativeKey<T> || ChronoKey<T> ColumnView(
      std::initializer_list<T> keys RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span<const T>(keys.begin(), keys.size())) {}
  /// \overload
  ColumnView(std::initializer_list<std::string_view> keys RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span<const std::string_view>(keys.begin(), keys.size())) {}

  /// Views a contiguous array of std::string, std::string_view or const char*.
  template <std::ranges::contiguous_range R>
  requires StringKey<std::remove_cv_t<std::ranges::range_value_t<R>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const R& strings RTINDEX_LIFETIMEBOUND)
      : ColumnView(std::span<const std::ranges::range_value_t<R>>(std::ranges::data(strings),
                                                                  std::ranges::size(strings))) {}
  /// Views an array of strings; each `string_view` points to its own bytes.
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(std::span<const std::string_view> strings);
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(std::span<const std::string> strings);
  /// \overload Each string ends with a NUL; a null pointer is an error.
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(std::span<const char* const> strings);
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const std::vector<std::string>& strings RTINDEX_LIFETIMEBOUND);
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  ColumnView(const std::vector<std::string_view>& strings RTINDEX_LIFETIMEBOUND);

  /// Views `size` elements of any type but strings and composites. Those of 128 bits need an
  /// alignment of 8 bytes, UUIDs and other binaries none.
  [[nodiscard]] static ColumnView of(Type type, const void* data, std::size_t size);
  /// Views days since 1970-01-01.
  [[nodiscard]] static ColumnView dates(std::span<const std::int32_t> days);
  /// Views ticks since 1970-01-01. Lookups must have the unit of the column, unless one of the two
  /// is `unspecified`.
  [[nodiscard]] static ColumnView timestamps(std::span<const std::int64_t> ticks,
                                             TimeUnit unit = TimeUnit::unspecified);
  /// Views decimals: integers of 32, 64 or 128 bits times 10^-scale. Lookups must have the scale of
  /// the column.
  [[nodiscard]] static ColumnView decimals(Type type, const void* data, std::size_t size,
                                           int scale);
  /// Views strings of `width` bytes each, back to back; trailing NULs are not part of a string.
  [[nodiscard]] static ColumnView fixed_strings(const char* bytes, std::size_t width,
                                                std::size_t size);
  /// Views strings in Arrow's layout: string i is `bytes[offsets[i] .. offsets[i+1])`.
  [[nodiscard]] static ColumnView strings(std::span<const std::int32_t> offsets, const char* bytes);
  /// \overload
  [[nodiscard]] static ColumnView strings(std::span<const std::int64_t> offsets, const char* bytes);
  /// Views a dictionary column: element i is `values[indices[i]]`. Indices are integers; an element
  /// is null where its index or its value is null. Strings stay in `values`, which may hold a value
  /// several times, and are encoded once each; all other elements are copied. Host memory only.
  [[nodiscard]] static ColumnView dictionary(const ColumnView& indices, const ColumnView& values);
  /// Views several columns of one length as one column of tuples in lexicographic order. A tuple
  /// with a null in it is null.
  [[nodiscard]] static ColumnView composite(std::vector<ColumnView> parts);
  /// Views intervals: element i reaches from `start[i]` to `end[i]`, and `ends` says which of the
  /// two belong to it. `by` are leading columns (a symbol, a chromosome): a query searches the
  /// intervals whose leading values equal its own. An interval with a null in it is null; one
  /// without a point, such as [5, 5), matches nothing. As a type it is the composite of `by`,
  /// `start` and `end`. Host columns of two integer or float types become the one that holds both.
  [[nodiscard]] static ColumnView intervals(const ColumnView& start, const ColumnView& end,
                                            Ends ends, std::vector<ColumnView> by = {});

  /// Views points: 2 to 8 columns of one length, which box queries filter by. A row with a null in
  /// a column matches no condition on that column, but boxes without one. As a type it is the
  /// composite of the columns.
  [[nodiscard]] static ColumnView points(std::vector<ColumnView> columns);

  /// This column with Arrow's validity bitmap (bit set: valid, least significant bit first).
  /// Null keys never match, null lookups match nothing.
  [[nodiscard]] ColumnView with_validity(const std::uint8_t* bitmap,
                                         std::size_t bit_offset = 0) const;

  /// Elements [first, first + count) of the column.
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const;

  /// This column in the memory of a GPU: its elements and its validity bitmap are device
  /// pointers, and so are the offsets and bytes of strings, which must be in Arrow's layout.
  /// Lookups and answers of one call must lie in the same memory space.
  [[nodiscard]] ColumnView on_device() const;

  /// These elements, counted in this unit.
  [[nodiscard]] ColumnView with_time_unit(TimeUnit unit) const;
  /// These decimals, with this many digits behind the point: -128 to 127.
  [[nodiscard]] ColumnView with_scale(int scale) const;

  [[nodiscard]] Type type() const { return type_; }
  /// The unit of the ticks of timestamps, times of day and durations.
  [[nodiscard]] TimeUnit time_unit() const { return time_unit_; }
  /// The digits of decimals behind the point.
  [[nodiscard]] int scale() const { return scale_; }
  /// The memory space of the elements.
  [[nodiscard]] MemorySpace memory_space() const { return memory_space_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Whether it views an array, which may be empty; false only for a default-constructed column.
  [[nodiscard]] bool has_value() const { return has_value_ || type_ != Type::u64; }
  /// The elements of a column of one width; null for strings and composites.
  [[nodiscard]] const void* data() const { return data_; }
  /// The bytes of strings in Arrow's layout; null for all other columns.
  [[nodiscard]] const char* string_bytes() const;
  /// The offsets of strings in Arrow's layout, one more than strings; null for all other columns.
  [[nodiscard]] const void* string_offsets() const;
  /// Bytes of one such offset: 4 or 8; 0 for all other columns.
  [[nodiscard]] std::size_t string_offset_width() const;
  /// The parts of a composite column.
  [[nodiscard]] std::span<const ColumnView> parts() const {
    if (parts_ == nullptr) return {};
    return *parts_;
  }
  /// Of a column of intervals: which ends belong to them. None: it is a column of keys.
  [[nodiscard]] std::optional<Ends> interval_ends() const { return interval_ends_; }
  /// Whether it is a column of points.
  [[nodiscard]] bool are_points() const { return are_points_; }
  /// Whether an element may be null: the column carries a validity bitmap, its own or one of its
  /// parts'. Of points only their own counts.
  [[nodiscard]] bool nullable() const;
  /// The validity bitmap of the column itself, or null.
  [[nodiscard]] const std::uint8_t* validity() const { return validity_; }
  /// The bit of row 0 in the validity bitmap.
  [[nodiscard]] std::size_t validity_offset() const { return validity_offset_; }
  /// Whether element `row` is valid; only of columns in host memory.
  [[nodiscard]] bool valid(std::size_t row) const {
    if (!are_points_)
      for (const ColumnView& part : parts())
        if (!part.valid(row)) return false;
    if (validity_ == nullptr) return true;
    const std::size_t bit = row + validity_offset_;
    return ((validity_[bit / 8] >> (bit % 8)) & 1) != 0;
  }
  /// The distinct strings of a dictionary column, and the position of each element in them; null
  /// for all other columns. The position of a null is the number of strings.
  [[nodiscard]] const ColumnView* dictionary_values() const;
  [[nodiscard]] const std::uint32_t* dictionary_positions() const;
  /// String `row` of a string column.
  [[nodiscard]] std::string_view string(std::size_t row) const;
  /// Element `row` as text, for messages and tables.
  [[nodiscard]] std::string text(std::size_t row) const;

 private:
  enum class StringLayout : std::uint8_t {
    views,
    strings,
    fixed,
    offsets32,
    offsets64,
    indexed,
    terminated
  };
  struct Dictionary;

  // Time points and durations of std::chrono are their ticks.
  template <ChronoKey T>
  static ColumnView of_chrono(const T* times, std::size_t size) {
    using Traits = ChronoTraits<T>;
    const ColumnView ticks = of(Traits::type, times, size);
    return Traits::type == Type::date32 ? ticks : ticks.with_time_unit(Traits::unit);
  }
  // Replaces every part by change(part).
  template <class Change>
  void set_parts(Change&& change);

  Type type_ = Type::u64;
  MemorySpace memory_space_ = MemorySpace::host;
  TimeUnit time_unit_ = TimeUnit::unspecified;
  StringLayout layout_ = StringLayout::views;
  bool has_value_ = false;
  bool are_points_ = false;
  std::int8_t scale_ = 0;
  std::optional<Ends> interval_ends_;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  const void* data_ = nullptr;
  const void* offsets_ = nullptr;
  const std::uint8_t* validity_ = nullptr;
  std::size_t validity_offset_ = 0;
  std::shared_ptr<const std::vector<ColumnView>> parts_;  // shared, so that copies are cheap
  std::shared_ptr<const Dictionary> dictionary_;          // what a dictionary column owns
};

}  // namespace rtindex
