#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "answers/request.hpp"

namespace rtindex {

// How the answers of one segment are computed.
enum class Method : std::uint8_t {
  fold,           // the searcher folds what it finds
  runs,           // runs of positions are found, then folded
  rows,           // one row for each lookup is found, from which all answers follow
  sums,           // the value at that row, in one kernel
  included_sums,  // the sum of a run of included values, in one kernel
  pair,           // rows of this and the newer segment, in one kernel
  edges,          // the first or last row of a range: a neighbour
  ranks,          // the difference of ranks of starts and of ends of intervals
  walk,           // a walk over a tree of ends of intervals
  boxes,          // a walk over a tree of points
};

// What a segment offers to a plan.
struct SegmentTraits {
  bool casts_rays = false;          // on a GPU
  bool folds_hits = false;          // rays fold their hits
  bool intervals = false;           // it holds intervals
  bool points = false;              // it holds points
  bool unique_keys = false;         // a point has one row at most
  bool ascending_rows = false;      // rows of equal keys ascend
  bool compares_full_keys = false;  // different keys may have one encoded key
  bool has_deleted_rows = false;
  bool reads_elements = false;  // kernels encode the lookups of the batch themselves
  bool finds_first_rows = false;
  bool has_prefix_sums = false;  // of its included values
  // Fused kernels that its kind offers.
  bool fuses_sums = false;
  bool fuses_included_sums = false;
  bool fuses_pairs = false;     // with a newer segment
  bool fuses_as_newer = false;  // with an older one
};

// What a batch requires of every segment.
struct BatchWants {
  QueryKind kind = QueryKind::equal;
  bool any = false, first = false, last = false, count = false, rows = false, matched = false;
  bool values = false;     // sum, mean, min or max
  bool sums_only = false;  // of these only sum
  bool sum_alone = false;  // no other answer
  bool included = false;   // aggregates included values
  bool key_order = false;  // rows in the order of keys
  bool counters = false;

  [[nodiscard]] static BatchWants of(QueryKind kind, const Request& request);
};

// Whether all answers to a query of intervals follow from ranks of starts and ends: counts, and
// sums of included integers.
[[nodiscard]] bool ranks_are_enough(const SegmentTraits& segment, const BatchWants& wants);
[[nodiscard]] Method method_of(const SegmentTraits& segment, const BatchWants& wants);
// Whether one kernel answers from both segments.
[[nodiscard]] bool can_pair(const SegmentTraits& main, const SegmentTraits& newer,
                            const BatchWants& wants);

// The steps of a batch, decided before it runs.
struct Plan {
  static constexpr std::size_t max_segments = 16;

  struct Step {
    Method method = Method::fold;
    bool reads_elements = false;
    bool skips_deleted_rows = false;
    bool compares_full_keys = false;
  };

  std::array<Step, max_segments> steps = {};  // the oldest segment first
  std::uint8_t segments = 0;                  // with a step
  std::size_t more_segments = 0;              // on the CPU: those after them
  AnswerSet answers;                          // what the batch writes
  bool writes_matched = false;                // which lookups matched
  bool writes_pairs = false;                  // a join
  bool on_gpu = false;
  bool on_callers_stream = false;  // lookups and answers are in device memory
  bool casts_rays = false;         // on a GPU, after those of earlier calls
  // Steps of the host, one after the other.
  bool fetches_lookups = false;  // copies them to the host, which encodes or orders them
  bool orders_on_host = false;   // brings rows of several segments into the order of keys
  bool copies_values = false;    // copies a value column to the GPU
  bool folds_rows = false;       // finds all rows of a lookup and folds them
  bool counts_on_host = false;   // needs a number of rows before it allocates room for them
  bool measures = false;         // waits for counters or the times of rays
  std::size_t piece = 0;         // lookups that are answered at once; 0: all

  // Whether the call can be captured into a CUDA graph, because it only queues work and waits for
  // none on other streams.
  [[nodiscard]] bool capturable() const {
    return on_gpu && on_callers_stream && !casts_rays && !fetches_lookups && !orders_on_host &&
           !copies_values && !counts_on_host && !measures;
  }
  void set_outputs(const Request& request);
  [[nodiscard]] std::string describe() const;

 private:
  // The names of what the batch writes.
  [[nodiscard]] std::string outputs() const;
};

}  // namespace rtindex
