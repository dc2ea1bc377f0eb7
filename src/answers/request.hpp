#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/values.hpp"
#include "base/wide.hpp"
#include "keys/interval.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// Lookups are answered in chunks of this many: a multiple of 8, so that no two chunks share a byte
// of the matched bitmap.
inline constexpr std::size_t chunk_lookups = 256;

[[nodiscard]] constexpr std::size_t chunks_of(std::size_t lookups) {
  return (lookups + chunk_lookups - 1) / chunk_lookups;
}

class PairSink;

[[nodiscard]] constexpr bool has_rows(JoinKind how) {
  return how == JoinKind::inner || how == JoinKind::left;
}

// A join into device memory.
struct JoinRequest {
  JoinKind how = JoinKind::inner;
  JoinOutputs outputs;  // without `count` where `total` is set
  JoinOrder order = JoinOrder::lookups;
  // Of a part of a join: the number of its first lookup, and of the pairs that other buffers
  // have received.
  std::uint64_t first_lookup = 0;
  std::uint64_t skipped_pairs = 0;
  // In host memory: the number of pairs, `too_many` where they cannot be listed at once. Null: not
  // requested.
  std::uint64_t* total = nullptr;

  static constexpr std::uint64_t too_many = ~std::uint64_t{0};

  [[nodiscard]] bool wants_rows() const { return has_rows(how); }
};

// The sum behind a mean, by the class of the values: that of 2^32 integers of 64 bits fits 128.
union MeanSum {
  int128 whole;
  double real;
};

// The answers that need values.
inline constexpr AnswerSet value_answers =
    Answer::sum | Answer::min | Answer::max | AnswerSet(Answer::mean);

// The answers of a batch and their buffers: validated, with every buffer large enough.
struct Request {
  AnswerSet answers;
  std::uint32_t limit = no_limit;
  RowOrder order = RowOrder::any;
  Type value_type = Type::u64;
  MemorySpace values_space = MemorySpace::host;
  bool included = false;  // aggregate included values instead of `values`
  // On a GPU: whether the values of each lookup are counted, for means or because some may be null.
  bool counts_values = false;
  const void* values = nullptr;
  // Of the values, as in a ColumnView; null: no value is null. Null values are not aggregated.
  const std::uint8_t* validity = nullptr;
  std::size_t validity_offset = 0;
  std::size_t included_column = 0;  // whose values are aggregated
  MissValues miss;
  RowBits deleted;  // rows that no lookup matches, in the memory of the searcher
  // Lookups of a chunk that another segment has answered, a bit each; a searcher may skip
  // them. Null: none.
  const std::uint8_t* answered = nullptr;
  Stream stream;  // of a call on device memory
  Outputs outputs;
  Counters* counters = nullptr;  // many threads add their work with add_work; null: not counted
  double* ray_ms = nullptr;      // the time of rays is added to it; null: rays are not timed
  std::string* plan = nullptr;   // how the batch is answered, in words; null: not wanted
  // For `rows`: the number of each lookup (n entries), and the rowIDs chunk by chunk; null where
  // only their number is wanted.
  std::uint64_t* row_counts = nullptr;
  std::vector<std::vector<std::uint32_t>>* chunk_rows = nullptr;
  // The encoded keys of these rowIDs, to merge the rows of several segments in key order.
  std::vector<std::vector<std::uint64_t>>* chunk_keys = nullptr;
  // The number of values of each lookup, without null values, and, for means, their sum, which the
  // host's BatchRunner divides by it; null: not needed, as there are neither means nor nulls.
  std::uint32_t* value_counts = nullptr;
  MeanSum* mean_sums = nullptr;
  // The keys of neighbours in host memory; null: not requested.
  std::shared_ptr<const OwnedColumn>* found_keys = nullptr;

  // A join into device memory. Null: answers are requested.
  const JoinRequest* join = nullptr;
  // Receives every row with its lookup, in any order, from searchers with Capabilities::pairs;
  // null: not requested.
  PairSink* pairs = nullptr;

  // Without `rows`.
  void drop_rows() {
    answers = answers.difference(Answer::rows);
    row_counts = nullptr;
    chunk_rows = nullptr;
    outputs.offsets = nullptr;
    outputs.rows = nullptr;
  }

  // Without `bitmap` and `bitmaps`.
  void drop_bitmaps() {
    answers = answers.difference(Answer::bitmap | Answer::bitmaps);
    outputs.bitmap = nullptr;
    outputs.bitmaps = nullptr;
  }

  [[nodiscard]] bool wants_anything() const {
    return !answers.empty() || outputs.matched != nullptr;
  }
  [[nodiscard]] ValueClass value_class() const { return class_of(value_type); }
  [[nodiscard]] bool wants_values() const { return answers.has_any_of(value_answers); }
  [[nodiscard]] bool has_value(std::size_t row) const {
    const std::size_t bit = row + validity_offset;
    return validity == nullptr || (validity[bit / 8] >> (bit % 8) & 1) != 0;
  }
  [[nodiscard]] bool wants_bitmaps() const {
    return outputs.bitmap != nullptr || outputs.bitmaps != nullptr;
  }
  // Whether every hit of a lookup changes its answers.
  [[nodiscard]] bool wants_all_hits() const {
    return wants_values() || wants_bitmaps() || pairs != nullptr ||
           answers.has_any_of(Answer::last | Answer::count | Answer::rows);
  }
  // Whether one hit answers the lookup.
  [[nodiscard]] bool one_hit_is_enough() const {
    return !wants_all_hits() && !answers.has(Answer::first);
  }
  // The bitmap of one lookup.
  [[nodiscard]] std::uint8_t* bitmap_of(std::size_t lookup) const {
    return outputs.bitmaps + lookup * bitmap_bytes(outputs.bitmap_rows);
  }
};

[[nodiscard]] constexpr RangeEnds range_ends(Ends ends) {
  return {.lower_open = ends == Ends::left_open || ends == Ends::open,
          .upper_open = ends == Ends::right_open || ends == Ends::open};
}

// A request for buffers of the caller.
[[nodiscard]] Request request_into(const AnswerOptions& options, const ColumnView& values,
                                   const Outputs& outputs);

// The answers whose buffers are set.
[[nodiscard]] AnswerSet answers_of(const Outputs& outputs);

// Throws if `values` cannot be the value column of an indexed column with this many rows.
void require_values(const ColumnView& values, std::size_t rows);

inline void set_matched(std::uint8_t* bitmap, std::size_t lookup) {
  bitmap[lookup / 8] = static_cast<std::uint8_t>(bitmap[lookup / 8] | 1U << (lookup % 8));
}

// Sets the bit of a lookup, while other threads set theirs.
inline void set_matched_shared(std::uint8_t* bitmap, std::size_t lookup) {
  std::atomic_ref<std::uint8_t>(bitmap[lookup / 8])
      .fetch_or(static_cast<std::uint8_t>(1U << (lookup % 8)), std::memory_order_relaxed);
}

// Sets the bit of a row, while other threads set theirs.
inline void set_row(std::uint8_t* bitmap, std::uint32_t row) {
  const std::atomic_ref<std::uint8_t> byte(bitmap[row / 8]);
  const auto bit = static_cast<std::uint8_t>(1U << (row % 8));
  // Rows are often set already, and reading is cheaper.
  if ((byte.load(std::memory_order_relaxed) & bit) == 0)
    byte.fetch_or(bit, std::memory_order_relaxed);
}

// Adds the work of a part of a batch to the total, while other threads add theirs.
inline void add_work(Counters& total, const Counters& work) {
  const auto add = [](std::uint64_t& to, std::uint64_t more) {
    std::atomic_ref(to).fetch_add(more, std::memory_order_relaxed);
  };
  add(total.rays, work.rays);
  add(total.cells, work.cells);
  add(total.tested, work.tested);
  add(total.hits, work.hits);
}

// Allocates the Answers of a batch and makes the Request that fills them.
class AnswersAccess {
 public:
  AnswersAccess(const AnswerOptions& options, std::size_t lookups)
      : AnswersAccess(options, options.values, lookups) {}
  // `values`: the value column of sum, mean, min and max; `has_nulls`: whether any may be null;
  // `rows`: of the index, for bitmaps.
  AnswersAccess(const AnswerOptions& options, const ColumnView& values, std::size_t lookups,
                bool has_nulls = false, std::size_t rows = 0);

  [[nodiscard]] Request& request() { return request_; }
  // After the request has run: joins the rowIDs of all chunks.
  [[nodiscard]] Answers finish();

  // Moves the rowIDs out of `answers`.
  [[nodiscard]] static std::vector<std::uint32_t> rows_of(Answers&& answers) {
    return std::move(answers.rows_);
  }

 private:
  Answers answers_;
  Request request_;
  std::vector<std::vector<std::uint32_t>> chunk_rows_;
  std::shared_ptr<const OwnedColumn> found_keys_;
};

// Collects the rowIDs of a request for buffers of the caller in host memory; finish() copies them
// there.
class RowsInto {
 public:
  RowsInto(Request& request, std::size_t lookups);
  void finish();

 private:
  Outputs outputs_;
  std::size_t lookups_;
  std::vector<std::vector<std::uint32_t>> chunks_;
};

}  // namespace rtindex
