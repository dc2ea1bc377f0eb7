#include <algorithm>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "engine/cuda/interval_kernels.hpp"
#include "engine/interval_query.hpp"

// Queries of intervals in device memory: native ones are encoded there, all others by the host.
namespace rtindex::cuda {

namespace {

// The points of queries, as lookups of a native column.
[[nodiscard]] LookupBatch points_in(const LookupBatch& queries) {
  return {interval_codec(queries.codec())->points(),
          queries.lower(),
          queries.upper(),
          queries.kind() == QueryKind::contains ? QueryKind::equal : QueryKind::range,
          {},
          queries.offset(),
          queries.size()};
}

// Points of native queries, whose elements are on the device.
[[nodiscard]] NativeRanges native_ranges(const LookupBatch& queries, const LookupElements& elements,
                                         const LookupBatch& points) {
  const auto of = [&](const ColumnView& end) {
    if (&end == &queries.lower()) return elements.lower;
    return &end == &queries.upper() ? elements.upper : DeviceElements{};
  };
  return {of(points.lower()), of(points.upper()), points.ends()};
}

// Encodes points of any type on the host, without those of queries that are none.
template <class Key>
void encode_points(const IntervalQuery& query, const LookupBatch& points, std::size_t first,
                   KeyInterval<Key>* intervals, std::size_t size, CopiesIn& in,
                   cudaStream_t stream) {
  const auto fill = [&](std::byte* buffer, std::size_t at, std::size_t bytes) {
    auto* const out = reinterpret_cast<KeyInterval<Key>*>(buffer);
    const std::size_t done = first + at / sizeof(KeyInterval<Key>);
    parallel_for(bytes / sizeof(KeyInterval<Key>), chunk_lookups,
                 [&](std::size_t begin, std::size_t count) {
                   bool is_query[chunk_lookups];
                   Interval encoded[chunk_lookups];
                   query.find_queries(done + begin, count, is_query);
                   points.encode(done + begin, count, encoded, nullptr);
                   for (std::size_t i = 0; i < count; ++i)
                     out[begin + i] = !is_query[i] || encoded[i].empty()
                                          ? KeyInterval<Key>{1, 0}
                                          : KeyInterval<Key>{static_cast<Key>(encoded[i].lower),
                                                             static_cast<Key>(encoded[i].upper)};
                 });
  };
  in.copy_filled(intervals, size * sizeof(KeyInterval<Key>), stream, fill);
}

}  // namespace

bool encodes_intervals_on_host(const LookupBatch& queries) {
  if (!interval_codec(queries.codec())->points().native_base()) return true;
  const bool are_native = (!queries.lower().has_value() || is_native(queries.lower().type())) &&
                          (!queries.upper().has_value() || is_native(queries.upper().type()));
  return !are_native || (IntervalQuery(queries).compares_ends() &&
                         queries.lower().type() != queries.upper().type());
}

LookupElements LookupEncoder::elements(std::size_t first, std::size_t count, CopiesIn& in,
                                       const Queue& queue) const {
  if (!batch_.codec().are_intervals())
    return elements_on_device(batch_, first, count, reads_tuples(), in, queue);
  if (encodes_intervals_on_host(batch_)) return {};
  return elements_on_device(points_in(batch_), first, count, false, in, queue);
}

DeviceLookups LookupEncoder::encode_queries(std::size_t first, std::size_t count,
                                            const LookupElements& elements, LookupBuffers& buffers,
                                            CopiesIn& in, const Queue& queue) const {
  DeviceLookups lookups;
  lookups.count = count;
  const IntervalQuery query(batch_);
  const LookupBatch of_starts = query.matching_starts();
  const LookupBatch of_ends = query.ends();
  const bool wide = is_wide(span_);
  if (!encodes_intervals_on_host(batch_)) {
    buffers.queries = {native_ranges(batch_, elements, of_starts),
                       native_ranges(batch_, elements, of_ends),
                       {},
                       *of_starts.codec().native_map()};
    if (query.compares_ends())
      buffers.queries.own = {elements.lower, elements.upper, batch_.ends()};
    lookups.queries = &buffers.queries;
    if (!reads_queries_)
      cuda::encode_queries(lookups, wide, buffers.intervals, buffers.ends, queue);
    return lookups;
  }
  buffers.intervals = DeviceBytes(queue, count * interval_bytes());
  buffers.ends = DeviceBytes(queue, count * interval_bytes());
  with_key_type(wide, [&]<class Key>(Key) {
    using Keys = KeyInterval<Key>;
    encode_points(query, of_starts, first, static_cast<Keys*>(buffers.intervals.data()), count, in,
                  queue);
    encode_points(query, of_ends, first, static_cast<Keys*>(buffers.ends.data()), count, in, queue);
  });
  drop_empty_queries(buffers.intervals.data(), buffers.ends.data(), count, wide, queue);
  lookups.intervals = buffers.intervals.data();
  lookups.ends = buffers.ends.data();
  return lookups;
}

}  // namespace rtindex::cuda
