#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/host_copies.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "engine/cuda/full_matches.hpp"
#include "engine/cuda/interval_kernels.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/point_codec.hpp"
#include "order/cuda/device_boxes.hpp"

namespace rtindex::cuda {

// Lookups that move to the GPU at once: a power of two, and a multiple of chunk_lookups. Few enough
// that the first and the last copy, which overlap with nothing, take little of the time.
inline constexpr std::size_t piece_lookups = std::size_t{1} << 21;
inline constexpr std::size_t large_piece_lookups = 2 * piece_lookups;

// The piece for lookups that have so many bytes, answers included: a lane uses a bounded part of
// the pinned memory.
[[nodiscard]] constexpr std::size_t piece_of(std::size_t lookup_bytes) {
  constexpr std::size_t lane_bytes = std::size_t{32} << 20;
  return std::bit_floor(
      std::min(piece_lookups, lane_bytes / std::max<std::size_t>(lookup_bytes, 1)));
}

// Lookups in device memory, borrowed or copied from the host, until their kernels are queued.
// `upper` is `lower` for points.
struct LookupElements {
  // Lookups of native types.
  DeviceElements lower, upper;
  DeviceBytes lower_copy, lower_validity, upper_copy, upper_validity;
  // Lookups on strings, keys of 128 bits and tuples.
  bool has_tuples = false;
  DeviceTuples lower_tuples, upper_tuples;
  std::vector<DeviceBytes> copies;
};

// Elements [first, first + count) of a native column, which are copied where they are in host
// memory; without data where the column is unset.
[[nodiscard]] DeviceElements elements_on_device(const ColumnView& column, std::size_t first,
                                                std::size_t count, DeviceBytes& copy,
                                                DeviceBytes& validity, CopiesIn& in,
                                                const Queue& queue);
// Elements [first, first + count) of a column that is not native, or of lookups on one; `copies`
// keep those that were copied from the host.
[[nodiscard]] DeviceTuples tuples_on_device(const ColumnView& column, std::size_t first,
                                            std::size_t count, std::vector<DeviceBytes>& copies,
                                            CopiesIn& in, const Queue& queue);
// Lookups [first, first + count) of a batch; none where the host encodes them.
[[nodiscard]] LookupElements elements_on_device(const LookupBatch& batch, std::size_t first,
                                                std::size_t count, bool reads_tuples, CopiesIn& in,
                                                const Queue& queue);

// Bytes of one lookup's end that are copied to the GPU: its elements, or what the host encodes.
[[nodiscard]] std::size_t bytes_of(const ColumnView& end);

// The device memory of some encoded lookups, until their kernels are queued.
struct LookupBuffers {
  DeviceBytes intervals;
  DeviceBytes ends;       // of queries of intervals
  NativeQueries queries;  // which kernels encode
  PairMap pair;
  DeviceBytes checks;  // of `full`
  FullLookups full;
  LookupElements own;
  DeviceBoxes boxes;
  std::vector<DeviceBytes> box_arrays;  // of `boxes`
};

[[nodiscard]] inline bool is_on_device(const ColumnView& end) {
  return end.has_value() && end.memory_space() == MemorySpace::device;
}
// Whether kernels encode the condition of box queries on a column of points, some end of which is
// in device memory.
[[nodiscard]] bool encodes_on_device(const PointCodec& codec, std::size_t column,
                                     const Condition& condition);

// Whether the host encodes these queries of a column of intervals: those that are not native, and
// those whose ends have two types.
[[nodiscard]] bool encodes_intervals_on_host(const LookupBatch& queries);

// Converts the lookups of a batch to the form that kernels read: elements of the column's type as
// they are, or encoded intervals.
class LookupEncoder {
 public:
  LookupEncoder(const LookupBatch& batch, const DeviceSearcher::Encoding& encoding)
      : batch_(batch),
        span_(encoding.span),
        full_(encoding.full),
        reads_queries_(encoding.reads_queries) {}

  // Elements [first, first + count) of the batch, none where the host encodes them.
  [[nodiscard]] LookupElements elements(std::size_t first, std::size_t count, CopiesIn& in,
                                        const Queue& queue) const;

  // Whether points are read as elements of the column's type, without a pass over the batch.
  [[nodiscard]] bool reads_elements() const;
  [[nodiscard]] std::size_t interval_bytes() const {
    return is_wide(span_) ? sizeof(KeyInterval<std::uint64_t>) : sizeof(KeyInterval<std::uint32_t>);
  }
  // Whether lookups are encoded on the device as tuples.
  [[nodiscard]] bool reads_tuples() const {
    return full_ != nullptr || batch_.codec().packed_map().has_value();
  }

  // Lookups [first, first + count), whose elements are on the device if the column is native.
  // `buffers` keep them. `edge`: the end of ranges that may stay elements, for
  // DeviceSearcher::find_edges_on_device().
  [[nodiscard]] DeviceLookups encode(std::size_t first, std::size_t count,
                                     const LookupElements& elements, LookupBuffers& buffers,
                                     CopiesIn& in, const Queue& queue,
                                     std::optional<Edge> edge = std::nullopt) const;

 private:
  [[nodiscard]] bool is_open(Edge edge) const {
    return edge == Edge::last ? batch_.ends().upper_open : batch_.ends().lower_open;
  }
  [[nodiscard]] const DeviceElements* elements_to_read(const LookupElements& elements,
                                                       std::optional<Edge> edge) const;
  // Pairs that kernels encode themselves.
  [[nodiscard]] std::optional<PairMap> pair_to_read(std::size_t first, Edge edge) const;
  template <class Key>
  [[nodiscard]] DeviceBytes encode_intervals(std::size_t first, std::size_t count,
                                             const LookupElements& elements, LookupBuffers& buffers,
                                             CopiesIn& in, const Queue& queue) const;
  // Queries of intervals.
  [[nodiscard]] DeviceLookups encode_queries(std::size_t first, std::size_t count,
                                             const LookupElements& elements, LookupBuffers& buffers,
                                             CopiesIn& in, const Queue& queue) const;
  // Box queries.
  [[nodiscard]] DeviceLookups encode_boxes(std::size_t first, std::size_t count,
                                           LookupBuffers& buffers, CopiesIn& in,
                                           const Queue& queue) const;
  template <class Key>
  [[nodiscard]] DeviceBytes encode_on_host(std::size_t first, std::size_t count, CopiesIn& in,
                                           const Queue& queue) const;

  LookupBatch batch_;
  std::uint64_t span_;
  const FullKeys* full_;
  bool reads_queries_;
};

}  // namespace rtindex::cuda
