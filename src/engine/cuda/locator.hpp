#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/runs.hpp"
#include "keys/cuda/device_keys.hpp"
#include "order/cuda/device_filter.hpp"
#include "order/cuda/device_order.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

class LaunchTimes;
struct FullLookups;

// Lookups of a batch in device memory, in one of two forms; a kernel takes them by value.
struct DeviceLookups {
  // Elements of the column's own type, an integer of 4 or 8 bytes: the encoded key of element e is
  // (e ^ flip) - base, and the column has none above the span. Encoding takes no pass over the
  // batch. Points, and ranges of which find_edges() needs one end.
  const void* elements = nullptr;
  std::uint32_t element_bytes = 0;
  std::uint64_t flip = 0;
  std::uint64_t base = 0;
  std::uint64_t span = 0;
  // Of elements or pairs that are the ends of ranges: they are outside.
  bool open = false;
  // Pairs of elements whose neighbours are wanted, in place of intervals; in host memory.
  const PairMap* pair = nullptr;
  // KeyInterval<Key>s, in the width of the index's keys.
  const void* intervals = nullptr;

  std::size_t count = 0;
  // What is compared in full, in host memory; null: nothing. Lookup 0 is number `first_full` there.
  const FullLookups* full = nullptr;
  std::size_t first_full = 0;
  RowBits deleted;               // rows that no lookup matches
  bool any_row = false;          // find_rows() need not find the first row of a key
  Counters* counters = nullptr;  // in device memory; null: nothing is counted
  LaunchTimes* times = nullptr;  // in host memory, for what casts rays

  // Lookups [begin, begin + size).
  [[nodiscard]] DeviceLookups part(std::size_t begin, std::size_t size,
                                   std::size_t interval_bytes) const {
    DeviceLookups result = *this;
    result.count = size;
    result.first_full += begin;
    if (intervals != nullptr)
      result.intervals = static_cast<const std::byte*>(intervals) + begin * interval_bytes;
    if (elements != nullptr)
      result.elements = static_cast<const std::byte*>(elements) + begin * element_bytes;
    return result;
  }
};

// The output of sums over a value column, one per lookup.
struct SumTarget {
  const void* values = nullptr;
  Type type = Type::u64;
  MissValues miss;
  void* sums = nullptr;
};

// The same for included values of integer types.
struct IncludedSumTarget {
  const unsigned long long* before = nullptr;  // the sum of the values before each position
  DeletedPositions deleted;
  const unsigned long long* deleted_sums = nullptr;  // OrderedView::deleted_sums
  Type type = Type::u64;
  MissValues miss;
  void* sums = nullptr;
};

// The output of edges of ranges, one per lookup.
struct EdgeTarget {
  Edge edge = Edge::first;
  DeletedPositions deleted;
  std::uint32_t* rows = nullptr;  // miss_row where a range has no valid row
  std::uint64_t* keys = nullptr;  // the encoded keys of these rows; null: not wanted
};

// Finds keys in device memory. Kernels are launched on the stream; no call waits for them. Rows are
// skipped where they are deleted, positions are not.
class Locator {
 public:
  virtual ~Locator() = default;

  // One rowID for each point lookup, or miss_row: all matches where keys are unique.
  virtual void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                         cudaStream_t stream) const = 0;
  // Whether find_rows() finds the first of the rows in key order where keys are not unique.
  [[nodiscard]] virtual bool finds_first_rows() const { return false; }
  // The value at that rowID for each point lookup, in one kernel; false if the caller has to use
  // find_rows() and a second pass.
  [[nodiscard]] virtual bool find_sums(const DeviceLookups& lookups, const SumTarget& target,
                                       cudaStream_t stream) const {
    static_cast<void>(lookups), static_cast<void>(target), static_cast<void>(stream);
    return false;
  }
  // The sum of all matches of each point lookup, in one kernel; false if the caller has to use
  // find_points() and a second pass.
  [[nodiscard]] virtual bool find_included_sums(const DeviceLookups& lookups,
                                                const IncludedSumTarget& target,
                                                cudaStream_t stream) const {
    static_cast<void>(lookups), static_cast<void>(target), static_cast<void>(stream);
    return false;
  }
  // Answers point lookups from this column and a newer one, in one kernel, where both have unique
  // keys; false if the caller has to join the answers of both. `newer_keys` filters those of the
  // newer one.
  [[nodiscard]] virtual bool answer_with(const Locator& newer, const DeviceLookups& lookups,
                                         const DeviceLookups& newer_lookups,
                                         const KeyFilter& newer_keys, const DeviceRequest& request,
                                         cudaStream_t stream) const {
    static_cast<void>(newer), static_cast<void>(lookups), static_cast<void>(newer_lookups);
    static_cast<void>(newer_keys), static_cast<void>(request), static_cast<void>(stream);
    return false;
  }
  // The positions of all matches of each point lookup.
  virtual void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const = 0;
  // The positions of all matches of each range lookup; intervals only.
  virtual void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const = 0;

  // The first or last valid row of each range lookup, in the order of (key, rowID), with one search
  // each; false if the caller has to use find_ranges() and a second pass.
  [[nodiscard]] virtual bool find_edges(const DeviceLookups& lookups, const EdgeTarget& target,
                                        cudaStream_t stream) const {
    static_cast<void>(lookups), static_cast<void>(target), static_cast<void>(stream);
    return false;
  }

  [[nodiscard]] virtual bool finds_ranges() const { return true; }
  // Whether find_edges() takes elements; else intervals only.
  [[nodiscard]] virtual bool reads_edge_elements() const { return false; }
  // Whether it adds its work to DeviceLookups::counters.
  [[nodiscard]] virtual bool counts_work() const { return false; }
  // Whether it adds the time of rays to DeviceLookups::times.
  [[nodiscard]] virtual bool times_rays() const { return false; }
  // The column in row order.
  [[nodiscard]] virtual DeviceColumn column(const DeviceOrder& order, const Queue& queue) const {
    return order.column(queue);
  }
  // Its memory besides the keys and rowIDs in key order, by name.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::size_t>> bytes() const = 0;
  // Index::build_profile().
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> build_profile() const {
    return {};
  }
  // Lines for describe().
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace rtindex::cuda
