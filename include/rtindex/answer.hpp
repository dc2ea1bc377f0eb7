#pragma once

/// \file
/// Answers: what a batch of queries returns, as a result, into buffers or as a join.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <rtindex/bitmap.hpp>
#include <rtindex/column.hpp>
#include <rtindex/control.hpp>
#include <rtindex/device.hpp>
#include <rtindex/export.hpp>
#include <rtindex/query.hpp>

namespace rtindex {

/// What to return for each query.
enum class Answer : std::uint32_t {
  any = 1,     ///< one matching rowID (uint32); which one is not specified
  first = 2,   ///< the smallest matching rowID (uint32)
  count = 4,   ///< the number of matching rows (uint32)
  sum = 8,     ///< the sum of the values at the matching rowIDs
  min = 16,    ///< the smallest of these values
  max = 32,    ///< the largest of these values; NaN is greater than every number
  rows = 64,   ///< all matching rowIDs
  key = 128,   ///< the key of the neighbour, for `QueryKind::nearest` only
  mean = 256,  ///< the mean of the values at the matching rowIDs (double)
  last = 512,  ///< the greatest matching rowID (uint32)
  /// The rows that match any query of the batch, as one bitmap over the rows of the index.
  bitmap = 1024,
  bitmaps = 2048,  ///< the matching rows of each query, as a bitmap over the rows of the index
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
  constexpr AnswerSet(Answer answer) : bits_(static_cast<std::uint32_t>(answer)) {}

  [[nodiscard]] constexpr bool has(Answer answer) const {
    return (bits_ & static_cast<std::uint32_t>(answer)) != 0;
  }
  /// Whether any of `answers` is in the set.
  [[nodiscard]] constexpr bool has_any_of(AnswerSet answers) const {
    return (bits_ & answers.bits_) != 0;
  }
  /// The answers that are not in `others`.
  [[nodiscard]] constexpr AnswerSet difference(AnswerSet others) const {
    AnswerSet rest = *this;
    rest.bits_ &= ~others.bits_;
    return rest;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }

  friend constexpr AnswerSet operator|(AnswerSet a, AnswerSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(AnswerSet, AnswerSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

/// Two answers make a set.
[[nodiscard]] constexpr AnswerSet operator|(Answer a, Answer b) {
  return AnswerSet(a) | AnswerSet(b);
}

/// The rowID of a lookup without a match, for `any`, `first` and `last`.
inline constexpr std::uint32_t miss_row = std::numeric_limits<std::uint32_t>::max();

/// No limit on the rows that `rows` returns per lookup.
inline constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

/// The order of the rowIDs that `rows` returns for a lookup.
enum class RowOrder : std::uint8_t {
  any,         ///< as they are found
  ascending,   ///< by key, rows of equal keys by rowID
  descending,  ///< the reverse of `ascending`
};

/// The classes in which `sum`, `min` and `max` are computed and returned.
enum class ValueClass : std::uint8_t {
  u64,  ///< std::uint64_t, of bool and unsigned integers
  i64,  ///< std::int64_t, of signed integers, dates, times, durations and decimals of 32 or 64 bits
  f64,  ///< double, of floats
};

/// The class of values of a native type.
[[nodiscard]] constexpr ValueClass class_of(Type type) {
  if (type == Type::f16 || type == Type::f32 || type == Type::f64) return ValueClass::f64;
  const bool is_signed = (type >= Type::i8 && type <= Type::i64) || type == Type::date32 ||
                         type == Type::timestamp64 ||
                         (type >= Type::time32 && type <= Type::decimal64);
  return is_signed ? ValueClass::i64 : ValueClass::u64;
}

/// The type of the values that `sum`, `min` and `max` aggregate.
struct ValueType {
  Type type = Type::u64;
  TimeUnit time_unit = TimeUnit::unspecified;  ///< of timestamps, times of day and durations
  int scale = 0;                               ///< of decimals
};

/// What `sum`, `min` and `max` return for a lookup without a match, by the class of the value type;
/// `mean` returns `f64`.
struct MissValues {
  std::uint64_t u64 = std::numeric_limits<std::uint64_t>::max();
  std::int64_t i64 = std::numeric_limits<std::int64_t>::min();
  double f64 = std::numeric_limits<double>::quiet_NaN();
};

/// The work of one call. What an index does not count stays 0.
struct Counters {
  std::uint64_t rays = 0;   ///< rays that were cast (rx:optix, rx:embree)
  std::uint64_t cells = 0;  ///< cells of the grid, or groups of them, that were read (rx:native)
  /// Keys compared with lookups: by rx:native, and with primitive=aabb. Embree and OptiX test all
  /// other primitives themselves and do not count.
  std::uint64_t tested = 0;
  /// Hits that the tracer reported, including those that a comparison of keys then rejected;
  /// matching rows for rx:native and with buckets.
  std::uint64_t hits = 0;

  constexpr Counters& operator+=(const Counters& more) {
    rays += more.rays;
    cells += more.cells;
    tested += more.tested;
    hits += more.hits;
    return *this;
  }
  friend constexpr bool operator==(const Counters&, const Counters&) = default;
};

/// Measurements of one call, for benchmarks. The pointers are to host memory; null: not measured,
/// at no cost. A call that measures waits for its work on the stream and is slower.
struct Diagnostics {
  /// Receives the counters of `rx`; classic indexes throw `Error`.
  Counters* counters = nullptr;
  /// Receives the milliseconds that the rays of the call took on the GPU; `rx:optix` only.
  double* ray_ms = nullptr;
  /// Receives how the call was answered, as text: the segments, how each is searched, what the host
  /// does, and whether the call can be captured into a CUDA graph.
  std::string* plan = nullptr;
};

/// What a call returns. All answers are found in one pass.
struct AnswerOptions {
  /// One or several answers.
  AnswerSet answers = Answer::any;
  /// The value column of `sum`, `min`, `max` and `mean`: one value per row of the indexed column.
  /// Null values are skipped, as in SQL; where all values of a query are null, it gets the miss
  /// value. Borrowed for the call. Unset: the values that the index includes.
  ColumnView values = {};
  /// The name of the included column to aggregate where `values` is unset. Empty: the only one.
  std::string included = {};
  /// Whether to return a bitmap of the queries that matched.
  bool matched = false;
  /// `rows` returns at most this many rowIDs per query, the first ones in their order.
  std::uint32_t limit = no_limit;
  /// The order of these rowIDs.
  RowOrder order = RowOrder::any;
  /// The values of misses in `sum`, `min`, `max` and `mean`.
  MissValues miss = {};
  /// The CUDA stream of a call whose queries lie in device memory. The call returns as soon as its
  /// work is queued there; values and results must live until it is done.
  Stream stream = {};
  /// `bitmaps` that take more bytes are an error.
  std::size_t max_bitmap_bytes = std::size_t{1} << 30;
  /// Stops the call, and reports its progress.
  Control control = {};
};

/// `sum`, `min` or `max` of every lookup. The value type decides: uint64 for bool and unsigned
/// integers, int64 for signed integers, decimals, dates, times and durations, double for floats.
/// Those of decimals and times have the scale and unit of the values. Sums of all but floats wrap
/// around beyond 64 bits.
using Aggregates =
    std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>>;

class OwnedColumn;

/// What a batch returned: one entry per lookup, in the order of the lookups, for every requested
/// answer. Reading an answer that was not requested throws `Error`.
///
/// Its accessors return views, which live as long as it does. Those of a temporary return vectors,
/// or do not compile where the view is of keys or of a bitmap: `index.lookup(keys).any()` is safe.
class RTINDEX_API Answers {
 public:
  /// The number of lookups.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The requested answers.
  [[nodiscard]] AnswerSet answers() const { return answers_; }

  /// One matching rowID per lookup, or `miss_row`.
  [[nodiscard]] std::span<const std::uint32_t> any() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint32_t> any() &&;
  /// The smallest matching rowID per lookup, or `miss_row`.
  [[nodiscard]] std::span<const std::uint32_t> first() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint32_t> first() &&;
  /// The greatest matching rowID per lookup, or `miss_row`.
  [[nodiscard]] std::span<const std::uint32_t> last() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint32_t> last() &&;
  /// The number of matches per lookup.
  [[nodiscard]] std::span<const std::uint32_t> count() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint32_t> count() &&;
  /// The sums, in the class of the value type; beyond 64 bits they wrap, and `mean` does not.
  [[nodiscard]] const Aggregates& sum() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] Aggregates sum() &&;
  /// The smallest values, in the class of the value type.
  [[nodiscard]] const Aggregates& min() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] Aggregates min() &&;
  /// The largest values, in the class of the value type.
  [[nodiscard]] const Aggregates& max() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] Aggregates max() &&;
  /// The type of the values, with the unit or scale of `sum`, `min` and `max`.
  [[nodiscard]] const ValueType& value_type() const { return value_type_; }
  /// The means. Integers are added up in 128 bits, so that no sum behind a mean wraps.
  [[nodiscard]] std::span<const double> mean() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<double> mean() &&;
  /// The sums as T: std::uint64_t, std::int64_t or double, as the value type demands.
  template <class T>
  [[nodiscard]] std::span<const T> sum_as() const& RTINDEX_LIFETIMEBOUND {
    return as<T>(sum());
  }
  template <class T>
  [[nodiscard]] std::vector<T> sum_as() && {
    const std::span<const T> values = as<T>(static_cast<const Answers&>(*this).sum());
    return {values.begin(), values.end()};
  }
  /// The smallest values as T.
  template <class T>
  [[nodiscard]] std::span<const T> min_as() const& RTINDEX_LIFETIMEBOUND {
    return as<T>(min());
  }
  template <class T>
  [[nodiscard]] std::vector<T> min_as() && {
    const std::span<const T> values = as<T>(static_cast<const Answers&>(*this).min());
    return {values.begin(), values.end()};
  }
  /// The largest values as T.
  template <class T>
  [[nodiscard]] std::span<const T> max_as() const& RTINDEX_LIFETIMEBOUND {
    return as<T>(max());
  }
  template <class T>
  [[nodiscard]] std::vector<T> max_as() && {
    const std::span<const T> values = as<T>(static_cast<const Answers&>(*this).max());
    return {values.begin(), values.end()};
  }

  /// Where each lookup's rowIDs start in `rows()`; size() + 1 entries.
  [[nodiscard]] std::span<const std::uint64_t> offsets() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint64_t> offsets() &&;
  /// All matching rowIDs, lookup by lookup, in the requested order.
  [[nodiscard]] std::span<const std::uint32_t> rows() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint32_t> rows() &&;
  /// The rowIDs of one lookup.
  [[nodiscard]] std::span<const std::uint32_t> rows(
      std::size_t lookup) const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint32_t> rows(std::size_t lookup) &&;

  /// The keys of the neighbours, in the type of the column; null where there is none.
  [[nodiscard]] ColumnView keys() const& RTINDEX_LIFETIMEBOUND;
  ColumnView keys() && = delete;

  /// The rows that match any query; `limit` does not apply to it.
  [[nodiscard]] BitmapView bitmap() const& RTINDEX_LIFETIMEBOUND;
  BitmapView bitmap() && = delete;
  /// The rows that match one query; needs `Answer::bitmaps`.
  [[nodiscard]] BitmapView bitmap(std::size_t lookup) const& RTINDEX_LIFETIMEBOUND;
  BitmapView bitmap(std::size_t lookup) && = delete;

  /// Whether `AnswerOptions::matched` was set.
  [[nodiscard]] bool has_matched() const { return has_matched_; }
  /// Whether a lookup matched; needs `AnswerOptions::matched`.
  [[nodiscard]] bool matched(std::size_t lookup) const;
  /// The bitmap of lookups that matched, least significant bit first; needs
  /// `AnswerOptions::matched`.
  [[nodiscard]] std::span<const std::uint8_t> matched_bitmap() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint8_t> matched_bitmap() &&;

  /// The bitmap of lookups with a value that is not null, which is the validity of `sum`, `mean`,
  /// `min` and `max`; needs `AnswerOptions::matched`.
  [[nodiscard]] std::span<const std::uint8_t> validity_bitmap() const& RTINDEX_LIFETIMEBOUND;
  [[nodiscard]] std::vector<std::uint8_t> validity_bitmap() &&;

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
  ValueType value_type_;
  std::vector<std::uint32_t> any_, first_, last_, count_, rows_;
  Aggregates sum_, min_, max_;
  std::vector<double> mean_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> matched_, validity_;
  std::shared_ptr<const OwnedColumn> keys_;
  std::size_t bitmap_rows_ = 0;
  std::vector<std::uint8_t> bitmap_, bitmaps_;
};

/// Buffers of the caller that receive answers in place of an `Answers`. Null: not requested.
/// Each has one element per query; `sum`, `min` and `max` are arrays of uint64, int64 or double by
/// the value type; `matched` has (n + 7) / 8 bytes.
///
/// For `rows`, call once with only `offsets` (n + 1 entries) to size the buffer: offsets[n] is the
/// number of rowIDs. A buffer that is too small receives the first `rows_capacity` of them, and
/// `offsets` are those of all.
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
  std::size_t rows_capacity = 0;  ///< the size of `rows` in rowIDs
  /// The memory space of all these buffers.
  MemorySpace memory_space = MemorySpace::host;
  /// Keys of neighbours, of a column without strings and composites: elements of its type, any for
  /// a miss.
  void* key = nullptr;
  std::uint32_t* last = nullptr;
  double* mean = nullptr;
  /// A bitmap as `matched`, of the queries with a value that is not null: Arrow's validity of
  /// `sum`, `mean`, `min` and `max`.
  std::uint8_t* validity = nullptr;
  /// `bitmap` has `bitmap_bytes(bitmap_rows)` bytes, `bitmaps` as many for each query. An index has
  /// `Index::size()` rows; where `bitmap_rows` is less, the rows after it are not written.
  std::uint8_t* bitmap = nullptr;
  std::uint8_t* bitmaps = nullptr;
  std::size_t bitmap_rows = 0;
};

/// Which pairs of queries and rows a join returns.
enum class JoinKind : std::uint8_t {
  inner,  ///< every query with each row that it matches
  left,   ///< `inner`, and queries without a match once, with `miss_row`
  semi,   ///< the queries that have a match, without rows
  anti,   ///< the queries that have none, without rows
};

/// "inner", "left", "semi" or "anti".
[[nodiscard]] RTINDEX_API std::string_view name_of(JoinKind kind);
/// The kind of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API JoinKind join_named(std::string_view name);

/// In which order a join returns its pairs.
enum class JoinOrder : std::uint8_t {
  lookups,  ///< in the order of the queries; the rows of one query come in any order
  any,      ///< in whichever order is fastest, which may differ from call to call
};

/// "lookups" or "any".
[[nodiscard]] RTINDEX_API std::string_view name_of(JoinOrder order);
/// The order of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API JoinOrder join_order_named(std::string_view name);

/// How a join returns its pairs.
struct JoinOptions {
  JoinOrder order = JoinOrder::lookups;
  /// The CUDA stream of a call on device memory.
  Stream stream = {};
  /// Stops the call, and reports its progress. In batches, each is a call, and the progress is that
  /// of all of them.
  Control control = {};
};

/// What a join returned, in the order of the queries or in any order: `JoinOptions::order`.
struct JoinedRows {
  std::vector<std::uint64_t> lookups;  ///< positions in the batch
  std::vector<std::uint32_t> rows;     ///< as many, of the index; none for semi and anti
};

/// Receives the batches of a join, one after the other.
using JoinCallback = std::function<void(const JoinedRows&)>;

/// Buffers of the caller that receive a join. Call once with only `count` to size them; an index of
/// unique keys has at most one pair for each key, and so has a join with neighbours. Buffers that
/// are too small receive the first `capacity` pairs (in any order, so many of them), and `count` is
/// the number of all.
struct JoinOutputs {
  std::uint64_t* lookups = nullptr;  ///< the position in the batch of each pair
  std::uint32_t* rows = nullptr;     ///< its row; unused by semi and anti joins
  std::size_t capacity = 0;          ///< the size of both in pairs
  std::uint64_t* count = nullptr;    ///< one number: how many pairs there are
  /// The memory space of all these buffers.
  MemorySpace memory_space = MemorySpace::host;
};

}  // namespace rtindex
