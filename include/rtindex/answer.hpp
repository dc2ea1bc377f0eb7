#pragma once

/// \file
/// Answers: what a batch of lookups returns, and how a call asks for it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <rtindex/column.hpp>
#include <rtindex/device.hpp>
#include <rtindex/export.hpp>

namespace rtindex {

/// What to return for each lookup.
enum class Answer : std::uint8_t {
  any = 1,    ///< one matching rowID (uint32); which one is not specified
  first = 2,  ///< the smallest matching rowID (uint32)
  count = 4,  ///< the number of matching rows (uint32)
  sum = 8,    ///< the sum of the values at the matching rowIDs
  min = 16,   ///< the smallest of these values
  max = 32,   ///< the largest of these values; NaN is greater than every number
  rows = 64,  ///< all matching rowIDs
  key = 128,  ///< the key of the neighbour, for `Index::nearest` only
};

/// The name of an answer ("any", "sum", ...).
[[nodiscard]] RTINDEX_API std::string_view name_of(Answer answer);
/// The answer of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API Answer answer_named(std::string_view name);
/// All answers, in the order of the enumeration.
[[nodiscard]] RTINDEX_API std::span<const Answer> all_answers();

/// One or several answers: `Answer::sum | Answer::count`.
class AnswerSet {
 public:
  constexpr AnswerSet() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one answer is a set of one
  constexpr AnswerSet(Answer answer) : bits_(static_cast<std::uint8_t>(answer)) {}

  [[nodiscard]] constexpr bool has(Answer answer) const {
    return (bits_ & static_cast<std::uint8_t>(answer)) != 0;
  }
  /// Whether any of `answers` is in the set.
  [[nodiscard]] constexpr bool has_any_of(AnswerSet answers) const {
    return (bits_ & answers.bits_) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint8_t bits() const { return bits_; }

  friend constexpr AnswerSet operator|(AnswerSet a, AnswerSet b) {
    a.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return a;
  }
  friend constexpr bool operator==(AnswerSet, AnswerSet) = default;

 private:
  std::uint8_t bits_ = 0;
};

/// Two answers make a set.
[[nodiscard]] constexpr AnswerSet operator|(Answer a, Answer b) {
  return AnswerSet(a) | AnswerSet(b);
}

/// What a lookup is: one key, a range of keys, or the neighbour of a key.
enum class LookupKind : std::uint8_t { point, range, nearest };

/// "point", "range" or "nearest".
[[nodiscard]] RTINDEX_API std::string_view name_of(LookupKind kind);

/// The rowID of a lookup without a match, for `any` and `first`.
inline constexpr std::uint32_t miss_row = std::numeric_limits<std::uint32_t>::max();

/// No limit on the rows that `rows` returns per lookup.
inline constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

/// Which ends belong to a range of keys.
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

/// The order of the rowIDs that `rows` returns for a lookup.
enum class RowOrder : std::uint8_t {
  any,         ///< as they are found
  ascending,   ///< by key, rows of equal keys by rowID
  descending,  ///< the same from the end
};

/// Where to look for the neighbour of a key.
enum class Direction : std::uint8_t {
  backward,  ///< the greatest key that is not above; of its rows the last
  forward,   ///< the smallest key that is not below; of its rows the first
  nearest,   ///< the closer one of these two; the one before where both are as close
};

/// "backward", "forward" or "nearest".
[[nodiscard]] RTINDEX_API std::string_view name_of(Direction direction);
/// The direction of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API Direction direction_named(std::string_view name);

/// How far a neighbour may be away: an integer for integers, dates and timestamps, in the unit of
/// the column; a double for floats. Left out: as far as it is.
using Tolerance = std::variant<std::monostate, std::int64_t, std::uint64_t, double>;

/// What makes a key the neighbour of another.
struct NearestOptions {
  Direction direction = Direction::backward;
  /// Whether an equal key is a neighbour.
  bool exact = true;
  /// Needs keys that have a distance: not strings. In composite keys, of the last part.
  Tolerance tolerance = {};
};

/// What `sum`, `min` and `max` give for a lookup without a match, by the class of the value type.
struct MissValues {
  std::uint64_t u64 = std::numeric_limits<std::uint64_t>::max();
  std::int64_t i64 = std::numeric_limits<std::int64_t>::min();
  double f64 = std::numeric_limits<double>::quiet_NaN();
};

/// How much work the lookups of a call were. What an index cannot tell stays 0.
struct Counters {
  std::uint64_t rays = 0;   ///< rays that were cast (rx:optix, rx:embree)
  std::uint64_t cells = 0;  ///< cells of the grid, or groups of them, that were read (rx:native)
  std::uint64_t tested =
      0;                   ///< keys compared with lookups: of pairs (rx:native), and of boxes
                           ///< (primitive=aabb); other primitives are tested by the foreign tracer
  std::uint64_t hits = 0;  ///< hits that the tracer reported, those included that a comparison of
                           ///< keys then refused; matching rows (rx:native, and with buckets)

  friend constexpr bool operator==(const Counters&, const Counters&) = default;
};

/// What a call asks for. All answers are found in one pass.
struct LookupOptions {
  /// One or several answers.
  AnswerSet answers = Answer::any;
  /// The value column of `sum`, `min` and `max`: one value per row of the indexed column. Borrowed
  /// for the call. Left out, the values that the index includes are taken.
  ColumnView values = {};
  /// Whether to return a bitmap that tells which lookups matched.
  bool matched = false;
  /// `rows` returns at most this many rowIDs per lookup, the first ones in their order.
  std::uint32_t limit = no_limit;
  /// The order of these rowIDs.
  RowOrder order = RowOrder::any;
  /// Which ends belong to ranges.
  Ends ends = Ends::closed;
  /// What misses give in `sum`, `min` and `max`.
  MissValues miss = {};
  /// The CUDA stream of a call whose lookups lie in device memory. The call returns as soon as its
  /// work is queued there; values and results must live until it is done.
  Stream stream = {};
  /// Where to put what the call counted, in host memory; null: nothing is counted, at no cost. Such
  /// a call takes longer, and waits for its work on the stream. `rx` counts, classic indexes
  /// refuse.
  Counters* counters = nullptr;
  /// Where to put the milliseconds that the rays of the call took on the GPU, in host memory; null:
  /// they are not timed. Such a call waits for its work on the stream. Only `rx:optix` times rays.
  double* launch_ms = nullptr;
};

/// `sum`, `min` or `max` of every lookup. The value type decides: uint64 for bool and unsigned
/// integers (sums wrap), int64 for signed integers (sums wrap), double for floats.
using Aggregates =
    std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>>;

class OwnedColumn;

/// What a batch returned: one entry per lookup, in the order of the lookups, for every answer that
/// was asked for. Reading an answer that was not asked for throws `Error`.
class RTINDEX_API Answers {
 public:
  /// The number of lookups.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The answers that were asked for.
  [[nodiscard]] AnswerSet answers() const { return answers_; }

  /// One matching rowID per lookup, or `miss_row`.
  [[nodiscard]] std::span<const std::uint32_t> any() const;
  /// The smallest matching rowID per lookup, or `miss_row`.
  [[nodiscard]] std::span<const std::uint32_t> first() const;
  /// The number of matches per lookup.
  [[nodiscard]] std::span<const std::uint32_t> count() const;
  /// The sums, in the class of the value type.
  [[nodiscard]] const Aggregates& sum() const;
  /// The smallest values, in the class of the value type.
  [[nodiscard]] const Aggregates& min() const;
  /// The largest values, in the class of the value type.
  [[nodiscard]] const Aggregates& max() const;
  /// The sums as T: std::uint64_t, std::int64_t or double, as the value type demands.
  template <class T>
  [[nodiscard]] std::span<const T> sum_as() const {
    return as<T>(sum());
  }
  /// The smallest values as T.
  template <class T>
  [[nodiscard]] std::span<const T> min_as() const {
    return as<T>(min());
  }
  /// The largest values as T.
  template <class T>
  [[nodiscard]] std::span<const T> max_as() const {
    return as<T>(max());
  }

  /// Where each lookup's rowIDs start in `rows()`; size() + 1 entries.
  [[nodiscard]] std::span<const std::uint64_t> offsets() const;
  /// All matching rowIDs, lookup by lookup, in the order that was asked for.
  [[nodiscard]] std::span<const std::uint32_t> rows() const;
  /// The rowIDs of one lookup.
  [[nodiscard]] std::span<const std::uint32_t> rows(std::size_t lookup) const;

  /// The keys of the neighbours, in the type of the column; null where there is none.
  [[nodiscard]] ColumnView keys() const;

  /// Whether a lookup matched; needs `LookupOptions::matched`.
  [[nodiscard]] bool matched(std::size_t lookup) const;
  /// The bitmap of lookups that matched, least significant bit first; needs
  /// `LookupOptions::matched`.
  [[nodiscard]] std::span<const std::uint8_t> matched_bitmap() const;

 private:
  friend class AnswersAccess;
  template <class T>
  static std::span<const T> as(const Aggregates& values) {
    if (const auto* vector = std::get_if<std::vector<T>>(&values)) return *vector;
    throw_wrong_class(values);
  }
  [[noreturn]] static void throw_wrong_class(const Aggregates& values);
  void require(Answer answer) const;
  void require_lookup(std::size_t lookup) const;

  std::size_t size_ = 0;
  AnswerSet answers_;
  bool has_matched_ = false;
  std::vector<std::uint32_t> any_, first_, count_, rows_;
  Aggregates sum_, min_, max_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> matched_;
  std::shared_ptr<const OwnedColumn> keys_;
};

/// Buffers of the caller that receive answers in place of an `Answers`. A null pointer: not wanted.
/// Each has one element per lookup; `sum`, `min` and `max` are arrays of uint64, int64 or double as
/// the value type demands; `matched` has (n + 7) / 8 bytes.
///
/// For `rows` ask twice: a call with `offsets` alone (n + 1 entries) tells how much room they need,
/// offsets[n]; a second one with `rows` as well fills it. Too little room is an error in host
/// memory; in device memory the rowIDs that do not fit are left out.
struct Outputs {
  std::uint32_t* any = nullptr;
  std::uint32_t* first = nullptr;
  std::uint32_t* count = nullptr;
  void* sum = nullptr;
  void* min = nullptr;
  void* max = nullptr;
  std::uint8_t* matched = nullptr;
  std::uint64_t* offsets = nullptr;
  std::uint32_t* rows = nullptr;
  std::size_t rows_capacity = 0;  ///< how many rowIDs `rows` has room for
  /// The memory space of all these buffers: that of the lookups.
  MemorySpace memory_space = MemorySpace::host;
  /// Keys of neighbours, of a column of native elements: elements of its type, any for a miss.
  void* key = nullptr;
};

}  // namespace rtindex
