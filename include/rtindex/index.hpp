#pragma once

/// \file
/// Indexes: build one over a column, then answer batches of queries.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>
#include <rtindex/control.hpp>
#include <rtindex/device.hpp>
#include <rtindex/export.hpp>
#include <rtindex/query.hpp>
#include <rtindex/spec.hpp>

namespace rtindex {

/// Memory of an index, in bytes.
struct MemoryUsage {
  std::size_t resident = 0;    ///< held as long as the index lives
  std::size_t build_peak = 0;  ///< the most held at once while it was built
  /// What `resident` is made of, by name; the entries add up to it.
  std::vector<std::pair<std::string, std::size_t>> parts;
};

/// A column of values that an index keeps beside its keys.
struct IncludedColumn {
  std::string name;  ///< may be empty where there is one column only
  ColumnView values;
};

/// The included columns of a build or of an insert: one column, or several with names. Implicit, so
/// that a column or a list is passed as it is: `{.include = price}`, or
/// `{.include = {{"price", price}, {"tax", tax}}}`.
class IncludedColumns {
 public:
  /// None.
  IncludedColumns() = default;
  /// One column without a name; none where it is unset.
  // NOLINTNEXTLINE(google-explicit-constructor)
  IncludedColumns(const ColumnView& values) {
    if (values.has_value()) one_ = {{}, values};
  }
  /// \overload A vector or array.
  template <std::ranges::contiguous_range R>
  requires std::convertible_to<const R&, ColumnView> &&(!std::ranges::borrowed_range<R>)
      // NOLINTNEXTLINE(google-explicit-constructor)
      IncludedColumns(const R& values RTINDEX_LIFETIMEBOUND)
      : IncludedColumns(ColumnView(values)) {}
  /// \overload A span or another view of an array.
  template <std::ranges::contiguous_range R>
  requires std::convertible_to<const R&, ColumnView> && std::ranges::borrowed_range<R>
  // NOLINTNEXTLINE(google-explicit-constructor)
  IncludedColumns(const R& values) : IncludedColumns(ColumnView(values)) {}
  /// Several columns, each with a name of its own.
  // NOLINTNEXTLINE(google-explicit-constructor)
  IncludedColumns(std::vector<IncludedColumn> columns) : several_(std::move(columns)) {}
  /// \overload
  IncludedColumns(std::initializer_list<IncludedColumn> columns) : several_(columns) {}

  [[nodiscard]] std::span<const IncludedColumn> columns() const& RTINDEX_LIFETIMEBOUND {
    if (one_.values.has_value()) return {&one_, 1};
    return several_;
  }
  [[nodiscard]] bool empty() const { return columns().empty(); }

 private:
  IncludedColumn one_;  // without an allocation, which could fail before a call begins
  std::vector<IncludedColumn> several_;
};

/// What `Index::included` reports of a column.
struct IncludedType {
  std::string name;
  Type type = Type::u64;
  TimeUnit time_unit = TimeUnit::unspecified;  ///< of timestamps, times of day and durations
  int scale = 0;                               ///< of decimals

  friend bool operator==(const IncludedType&, const IncludedType&) = default;
};

/// An index over one column. Move-only: `copy` makes a second one. Destroying it frees its memory.
/// One that was moved from can be destroyed and assigned to, nothing else.
///
/// Any number of threads may look up and change an index at the same time. A lookup answers from
/// the index as it was when the call began: it never waits for a change, nor a change for lookups.
/// Changes run one after the other. Each is atomic: if its arguments are invalid, memory runs out
/// or it is stopped, it throws an Error and the index stays unchanged. (With `update=refit`,
/// `update` changes it in place: it waits for running lookups, and later ones wait for it.)
class RTINDEX_API Index {
 public:
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  /// Answers a batch of queries of any kind: one entry per query for each answer.
  [[nodiscard]] Answers answer(const Query& query, const AnswerOptions& options = {},
                               const Diagnostics& diagnostics = {}) const;
  /// \overload One or several answers; `values` as in `AnswerOptions`.
  template <class Requested>
  requires std::same_as<Requested, Answer> || std::same_as<Requested, AnswerSet>
  [[nodiscard]] Answers answer(const Query& query, Requested answers,
                               const ColumnView& values = {}) const {
    return answer(query, AnswerOptions{.answers = answers, .values = values});
  }
  /// `answer` into the caller's buffers. Those that are set decide which answers are returned;
  /// `options.answers` and `options.matched` are ignored. With queries and buffers in device memory
  /// the call only queues its work on `options.stream`.
  void answer_into(const Query& query, const AnswerOptions& options, const Outputs& outputs,
                   const Diagnostics& diagnostics = {}) const;

  /// Joins queries with the rows that they match. A neighbour is joined with one row at most. In
  /// device memory the queries may still be written on `options.stream`.
  [[nodiscard]] JoinedRows join(const Query& query, JoinKind how = JoinKind::inner,
                                const JoinOptions& options = {}) const;
  /// `join` into the caller's buffers. With queries and buffers in device memory the call only
  /// queues its work on `options.stream`.
  void join_into(const Query& query, JoinKind how, const JoinOutputs& outputs,
                 const JoinOptions& options = {}) const;
  /// `join` in batches of at most `max_pairs` pairs, each passed to `callback`, for results that do
  /// not fit into memory. All batches are of the index as it was when the call began; some may be
  /// empty. The pairs are in host memory; `JoinBatches::next_into` writes them to device memory.
  void join_batches(const Query& query, JoinKind how, std::size_t max_pairs,
                    const JoinCallback& callback, const JoinOptions& options = {}) const;

  /// `answer` of `Query::equal(keys)`: which rows hold a key equal to `keys[i]`?
  [[nodiscard]] Answers lookup(const ColumnView& keys, const AnswerOptions& options = {}) const {
    return answer(Query::equal(keys), options);
  }
  /// \overload One or several answers; `values` as in `AnswerOptions`.
  [[nodiscard]] Answers lookup(const ColumnView& keys, AnswerSet answers,
                               const ColumnView& values = {}) const {
    return lookup(keys, AnswerOptions{.answers = answers, .values = values});
  }
  /// \overload
  [[nodiscard]] Answers lookup(const ColumnView& keys, Answer answer,
                               const ColumnView& values = {}) const {
    return lookup(keys, AnswerSet(answer), values);
  }
  /// `answer` of `Query::range(lower, upper)`: which rows hold a key from `lower[i]` to `upper[i]`?
  [[nodiscard]] Answers range(const ColumnView& lower, const ColumnView& upper,
                              const AnswerOptions& options = {}) const {
    return answer(Query::range(lower, upper), options);
  }
  /// \overload One or several answers; `values` as in `AnswerOptions`.
  [[nodiscard]] Answers range(const ColumnView& lower, const ColumnView& upper, AnswerSet answers,
                              const ColumnView& values = {}) const {
    return range(lower, upper, AnswerOptions{.answers = answers, .values = values});
  }
  /// \overload
  [[nodiscard]] Answers range(const ColumnView& lower, const ColumnView& upper, Answer answer,
                              const ColumnView& values = {}) const {
    return range(lower, upper, AnswerSet(answer), values);
  }
  /// `answer` of `Query::nearest(keys, nearest)`: which rows hold the closest key?
  [[nodiscard]] Answers nearest(const ColumnView& keys, const NearestOptions& nearest = {},
                                const AnswerOptions& options = {}) const {
    return answer(Query::nearest(keys, nearest), options);
  }
  /// \overload One or several answers; `values` as in `AnswerOptions`.
  template <class Requested>
  requires std::same_as<Requested, Answer> || std::same_as<Requested, AnswerSet>
  [[nodiscard]] Answers nearest(const ColumnView& keys, const NearestOptions& nearest,
                                Requested answers, const ColumnView& values = {}) const {
    return answer(Query::nearest(keys, nearest), answers, values);
  }

  /// How many rows hold a key less than `keys[i]`; 0 for a null key.
  [[nodiscard]] std::vector<std::uint32_t> rank(const ColumnView& keys) const;
  /// The row at each rank, from 0 on, among all rows with a key in the order of keys and then of
  /// rowIDs; `miss_row` beyond the last.
  [[nodiscard]] std::vector<std::uint32_t> select(const ColumnView& ranks) const;
  /// The rows whose key is null, ascending.
  [[nodiscard]] std::vector<std::uint32_t> null_rows() const;

  /// Appends rows with these keys, null keys included, and returns the rowID of the first one;
  /// the others follow. An index with included columns needs all of them, by name, with one value
  /// per row. Keys may have any type that compares with the column, as long as its type can hold
  /// them. Keys and values lie in the same memory space. An index on a GPU also accepts device
  /// memory, which may still be written on `stream`. An index holds at most 2^32 - 1 rows, erased
  /// ones included.
  std::uint32_t insert(const ColumnView& keys, const IncludedColumns& values = {},
                       Stream stream = {});

  /// Erases rows: from now on they match nothing, and no later change may name them. rowIDs are
  /// never reused, so the rows of a table keep their numbers. `rows` are integers of any type, in
  /// device memory uint32, without nulls and without duplicates.
  void erase(const ColumnView& rows, Stream stream = {});
  /// Erases every row that holds one of these keys, and returns how many there were.
  std::size_t erase_keys(const ColumnView& keys, Stream stream = {});

  /// Replaces the keys of rows: row `rows[i]` now holds `new_keys[i]`. A null key leaves its row
  /// without a key until the next update. Rows as in `erase`, keys as in `insert`, both in the same
  /// memory space. Included values stay with their rows.
  void update(const ColumnView& rows, const ColumnView& new_keys, Stream stream = {});

  /// Replaces the values of rows in the included column of this name; an empty name is that of the
  /// only one. The type stays. Rows as in `erase`.
  void set_included(const ColumnView& rows, const ColumnView& values, const std::string& name = {},
                    Stream stream = {});

  /// Merges what changes have added into one structure and drops erased rows from it. Changes do so
  /// automatically once they have added enough keys (the spec option `delta`), on a CPU in the
  /// background; call this before a long time without changes. Returns when all is merged.
  void merge();

  /// An index with the current content that shares memory with this one; made in constant time.
  /// Later changes of either do not affect the other.
  [[nodiscard]] Index snapshot() const;

  /// Writes the index to a file that `load` opens; `*.rtindex` by custom. The file appears whole or
  /// not at all: it is written under a temporary name in the same folder and then renamed. Lookups
  /// may go on meanwhile. A file that this or another index was loaded from may be replaced.
  void save(const std::filesystem::path& path) const;
  /// The bytes that `save` writes, in memory; `deserialize` makes an index of them.
  [[nodiscard]] std::vector<std::byte> serialize() const;
  /// An independent index with the same content, on the same device.
  [[nodiscard]] Index copy() const;

  /// Stores a text with the index, in its file too: a time zone, the name of a table. An empty text
  /// removes the entry.
  void set_metadata(const std::string& name, std::string text);
  /// A copy of the texts that were stored, by name.
  [[nodiscard]] std::map<std::string, std::string> metadata() const;

  /// The number of rows, null and erased ones included: one more than the greatest rowID, and the
  /// size of a value column.
  [[nodiscard]] std::size_t size() const;
  /// The number of rows that are neither erased nor null.
  [[nodiscard]] std::size_t valid() const;
  /// The type of the column.
  [[nodiscard]] Type type() const;
  /// The types of a composite column's parts; empty for any other column.
  [[nodiscard]] std::vector<Type> part_types() const;
  /// Whether the index holds points, which box queries search.
  [[nodiscard]] bool holds_points() const;
  /// Of an index of intervals: which ends belong to them. None: it holds keys.
  [[nodiscard]] std::optional<Ends> interval_ends() const;
  /// The unit of the ticks of timestamps, times of day and durations, as passed to `build`.
  [[nodiscard]] TimeUnit time_unit() const;
  /// The units of a composite column's parts; empty for any other column.
  [[nodiscard]] std::vector<TimeUnit> part_time_units() const;
  /// The digits of a decimal column behind the point, as passed to `build`.
  [[nodiscard]] int scale() const;
  /// The scales of a composite column's parts; empty for any other column.
  [[nodiscard]] std::vector<int> part_scales() const;
  /// The included columns, in the order in which they were passed to `build`.
  [[nodiscard]] std::vector<IncludedType> included() const;
  /// The full spec: `build(column, index.spec())` builds the same index.
  [[nodiscard]] Spec spec() const;
  /// The memory that the index holds.
  [[nodiscard]] MemoryUsage memory_usage() const;
  /// The steps of the last build or update, of rx:optix: names that end in `_ms` are times, those
  /// that end in `_bytes` are memory. Other indexes report nothing.
  [[nodiscard]] std::vector<std::pair<std::string, double>> build_profile() const;
  /// What the index consists of, which choices were made and why, in lines of text for a person.
  [[nodiscard]] std::string describe() const;
  /// Whether the index can return this answer for this kind of query.
  [[nodiscard]] bool supports(Answer answer, QueryKind kind) const;

 private:
  friend class IndexAccess;
  friend class Joiner;
  struct State;
  explicit Index(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The batches of a join, on request: what `Index::join_batches` passes to its callback.
///
/// The columns of the query must outlive it; the index need not. All batches are of the index as it
/// was when this was made.
class RTINDEX_API JoinBatches {
 public:
  /// Batches of at most `max_pairs` pairs.
  JoinBatches(const Index& index, Query query, JoinKind how, std::size_t max_pairs,
              const JoinOptions& options = {});
  JoinBatches(JoinBatches&&) noexcept;
  JoinBatches& operator=(JoinBatches&&) noexcept;
  ~JoinBatches();
  /// The next batch, which may be empty; nothing after the last one.
  [[nodiscard]] std::optional<JoinedRows> next();
  /// `next` into buffers of the caller for `max_pairs` pairs; returns the number of pairs. Semi and
  /// anti joins do not use `rows`. In device memory the pairs are complete for work that is queued
  /// on `JoinOptions::stream` after the call. All batches come from either `next` or `next_into`
  /// with the same memory space.
  [[nodiscard]] std::optional<std::size_t> next_into(std::uint64_t* lookups, std::uint32_t* rows,
                                                     MemorySpace memory_space);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Settings of a build.
struct BuildOptions {
  /// Columns of values to keep in key order beside the keys, as SQL's INCLUDE does: one value per
  /// row of the column. `sum`, `mean`, `min` and `max` without `AnswerOptions::values` then read
  /// them, and a range costs about the same for one match and for a million. All indexes that keep
  /// their keys in order support them; `memory_usage()` reports the cost. Included values belong to
  /// their row: an update of a row's key does not change the row's value. Sums of floats are exact
  /// up to 100 * log2(matches)
  /// * 2^-53 times the sum of the magnitudes.
  IncludedColumns include = {};
  /// The CUDA stream on which a column in device memory, or values there, may still be written.
  /// Lookups on other streams wait for the build by themselves.
  Stream stream = {};
  /// The allocator of an index on a GPU, for its own arrays and those of its queries. Null: a pool
  /// of `cudaMallocAsync`.
  std::shared_ptr<DeviceMemory> device_memory = {};
  /// Stops the build, and reports its progress.
  Control control = {};
};

/// Builds an index over a column. The column is not needed afterwards.
[[nodiscard]] RTINDEX_API Index build(const ColumnView& column, const Spec& spec = {},
                                      const BuildOptions& options = {});

/// How much of a file `load` checks. Its header is always checked before it is used.
enum class Verify : std::uint8_t {
  quick,  ///< large arrays are trusted: damage in them can cause wrong answers, never a crash
  full,   ///< every byte is read and compared with its checksum
};

/// How to open a saved index.
struct LoadOptions {
  Verify verify = Verify::quick;
  /// The allocator of an index on a GPU, as in `BuildOptions`.
  std::shared_ptr<DeviceMemory> device_memory = {};
  /// Stops the call, and reports its progress.
  Control control = {};
};

/// Opens an index that `Index::save` wrote, in constant time: the file is mapped into memory and
/// read as lookups need it. An index whose structure belongs to another library (rx:embree) or lies
/// on a GPU is built again from the column in the file; `describe()` says which of the two it was.
/// Files that are damaged, truncated, of another format or of a newer version are rejected.
///
/// The file must not be made shorter or overwritten in place while the index lives (the system ends
/// a process that reads a mapping beyond the end of its file); deleting or replacing it, as `save`
/// does, is fine. An update makes new arrays in memory and leaves the file as it is.
[[nodiscard]] RTINDEX_API Index load(const std::filesystem::path& path,
                                     const LoadOptions& options = {});

/// Makes an index of the bytes that `Index::serialize` returned. They are copied.
[[nodiscard]] RTINDEX_API Index deserialize(std::span<const std::byte> bytes,
                                            const LoadOptions& options = {});

/// An index that specs can name, and whether it is available on this machine.
struct IndexInfo {
  std::string spec;  ///< "rx:embree@cpu"
  bool available = false;
  std::string reason;  ///< what it runs on, or why it is not available and what to do about it
};

/// Every kind and tracer, available on this machine or the reason why not.
[[nodiscard]] RTINDEX_API std::vector<IndexInfo> indexes();

/// The spec that `auto` stands for on this machine: `rx:native` on a GPU where one is available,
/// else on the CPU.
[[nodiscard]] RTINDEX_API Spec default_spec();

}  // namespace rtindex
