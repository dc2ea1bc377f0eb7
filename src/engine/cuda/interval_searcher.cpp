#include "engine/cuda/interval_searcher.hpp"

#include <fmt/format.h>

#include <limits>

#include "answers/cuda/fold_rows.hpp"
#include "answers/cuda/runs.hpp"
#include "base/cuda/transfer.hpp"
#include "engine/cuda/interval_joins.hpp"
#include "engine/cuda/ordered_searcher.hpp"
#include "keys/interval_codec.hpp"
#include "order/columns.hpp"

namespace rtindex::cuda {

namespace {

// Counts and sums of the keys of each lookup.
class Totals {
 public:
  Totals(const DeviceSearcher& points, const SearchedLookups& searched,
         const DeviceRequest& request, const Queue& queue)
      : counts_(queue, searched.lookups.count),
        sums_(queue, request.sum == nullptr ? 0 : searched.lookups.count) {
    DeviceRequest own;
    own.count = counts_.data();
    own.sum = sums_.data();
    own.included_column = request.included_column;
    own.value_type = request.value_type;
    own.miss = {.u64 = 0, .i64 = 0, .f64 = 0};
    static_cast<void>(points.answer_on_device(Method::runs, searched, own, {}, queue));
  }

  [[nodiscard]] RankTotals get() const { return {counts_.data(), sums_.data()}; }

 private:
  DeviceArray<std::uint32_t> counts_;
  DeviceArray<std::uint64_t> sums_;
};

// Lookups of which native queries are encoded.
class EncodedLookups {
 public:
  EncodedLookups(const DeviceLookups& lookups, bool wide, const Queue& queue) : lookups_(lookups) {
    if (lookups_.queries != nullptr) encode_queries(lookups_, wide, starts_, ends_, queue);
  }
  [[nodiscard]] const DeviceLookups& get() const { return lookups_; }

 private:
  DeviceLookups lookups_;
  DeviceBytes starts_, ends_;
};

}  // namespace

IntervalSearcher::IntervalSearcher(GpuContext gpu, std::shared_ptr<Searcher> starts,
                                   std::shared_ptr<Searcher> ends, const DeviceColumn* ends_by_row,
                                   const MemoryMeter& meter)
    : DeviceSearcher(std::move(gpu)),
      starts_(std::move(starts)),
      ends_(std::move(ends)),
      arrays_(std::make_unique<Arrays>()) {
  size_ = starts_->size();
  included_ = starts_->included();
  capabilities_ = {.key_order = true};
  ordered_arrays_ = device_searcher(*starts_).ordered_arrays();
  const Queue queue(memory(), arrays_->stream.get());
  // Both searchers are complete: their builds have waited.
  const DeviceOrder& order = ordered_arrays_->order;
  if (ends_by_row != nullptr) {
    arrays_->tree = DeviceExtentTree(order.rows(), order.size(), *ends_by_row, queue);
  } else {
    const DeviceColumn column = device_searcher(*ends_).device_column(queue);
    arrays_->tree = DeviceExtentTree(order.rows(), order.size(), column, queue);
  }
  finish_build(arrays_->stream, meter);
}

// The callers' streams read the arrays of both searchers too.
IntervalSearcher::~IntervalSearcher() {
  const OnDevice current(gpu().device, std::nothrow);
  for (const std::shared_ptr<Searcher>& points : {starts_, ends_})
    uses().wait_on(device_searcher(*points).ordered_arrays()->stream.get());
  release(arrays_);
}

DeviceSearcher::Encoding IntervalSearcher::encoding() const {
  return {.row_count = ordered_arrays_->order.row_count(),
          .span = ordered_arrays_->order.span(),
          .reads_queries = true};
}

SegmentTraits IntervalSearcher::traits(std::size_t included_column) const {
  return {.intervals = true,
          .has_prefix_sums = device_searcher(*starts_).traits(included_column).has_prefix_sums};
}

DeviceArray<Run> IntervalSearcher::find_starts(const DeviceLookups& queries,
                                               cudaStream_t stream) const {
  DeviceArray<Run> runs({memory(), stream}, queries.count);
  ordered_arrays_->positions->find_ranges(queries, runs.data(), stream);
  return runs;
}

IntervalWalk IntervalSearcher::walk(const SearchedLookups& searched, const Run* starts) const {
  return {&arrays_->tree,
          is_wide(),
          searched.batch.kind() != QueryKind::within,
          starts,
          searched.lookups.ends,
          searched.lookups.count,
          ordered_arrays_->order.rows(),
          searched.lookups.deleted};
}

FoundRows IntervalSearcher::answer_on_device(Method method, const SearchedLookups& searched,
                                             const DeviceRequest& request, RowsWanted wanted,
                                             cudaStream_t stream) const {
  if (searched.lookups.count == 0) return {};
  if (method == Method::ranks) {
    answer_by_rank(searched, request, stream);
    return {};
  }
  const EncodedLookups encoded(searched.lookups, is_wide(), {memory(), stream});
  const DeviceArray<Run> starts = find_starts(encoded.get(), stream);
  const IntervalWalk found = walk({searched.batch, searched.first, encoded.get()}, starts.data());
  if (request.wants_rows() || request.matched != nullptr) answer_walk(found, request, stream);
  if (!wanted.any) return {};
  return collect(found, wanted, {memory(), stream});
}

void IntervalSearcher::answer_by_rank(const SearchedLookups& searched, const DeviceRequest& request,
                                      cudaStream_t stream) const {
  const Queue queue(memory(), stream);
  if (request.sum == nullptr && searched.lookups.deleted.empty() &&
      ordered_arrays_->positions->fused().ranks)
    return count_by_rank(searched.lookups, request, queue);
  const LookupBatch& batch = searched.batch;
  const LookupBatch ranges(interval_codec(batch.codec())->points(), batch.lower(), batch.upper(),
                           QueryKind::range, {}, batch.offset(), batch.size());
  const EncodedLookups encoded(searched.lookups, is_wide(), queue);
  DeviceLookups lookups = encoded.get();
  const std::size_t bytes =
      is_wide() ? sizeof(KeyInterval<std::uint64_t>) : sizeof(KeyInterval<std::uint32_t>);
  const DeviceBytes before(queue, lookups.count * bytes);
  find_ends_before(lookups.ends, lookups.count, is_wide(), before.data(), stream);
  lookups.ends = nullptr;
  const Totals up_to(device_searcher(*starts_), {ranges, searched.first, lookups}, request, queue);
  lookups.intervals = before.data();
  const Totals ended(device_searcher(*ends_), {ranges, searched.first, lookups}, request, queue);
  subtract_ranks(up_to.get(), ended.get(), lookups.count, request, stream);
}

void IntervalSearcher::count_by_rank(const DeviceLookups& queries, const DeviceRequest& request,
                                     const Queue& queue) const {
  DeviceArray<std::uint32_t> own;
  if (request.count == nullptr) own = DeviceArray<std::uint32_t>(queue, queries.count);
  std::uint32_t* const counts = request.count == nullptr ? own.data() : request.count;
  ordered_arrays_->positions->find_ranks(queries, {counts, false}, queue);
  device_searcher(*ends_).ordered_arrays()->positions->find_ranks(queries, {counts, true}, queue);
  if (request.matched != nullptr) write_validity(counts, queries.count, request.matched, queue);
}

FoundRows IntervalSearcher::collect(const IntervalWalk& walk, const RowsWanted& wanted,
                                    const Queue& queue) const {
  // Positions in an array of rows have 32 bits.
  constexpr std::uint64_t max_collected = std::numeric_limits<std::uint32_t>::max();
  FoundRows found;
  found.runs = DeviceArray<Run>(queue, walk.count);
  count_matches(walk, wanted.in_order ? no_limit : wanted.limit, found.runs.data(), queue);
  if (wanted.sizes_only) return found;
  const DeviceArray<std::uint64_t> offsets(queue, walk.count + 1);
  offsets_of(RowSources::of({found.runs.data()}), walk.count, no_limit, offsets.data(), queue);
  std::uint64_t total = 0;
  copy_to_host(&total, offsets.data() + walk.count, sizeof(total), queue);
  found.too_many = total > max_collected;
  if (found.too_many) return found;
  found.own = DeviceArray<std::uint32_t>(queue, total);
  MatchTarget target{offsets.data(), found.own.data(), nullptr, nullptr, {}};
  if (wanted.by_position) {
    found.own_positions = DeviceArray<std::uint32_t>(queue, total);
    target.positions = found.own_positions.data();
  }
  if (wanted.in_order) {
    found.own_keys = DeviceArray<std::uint64_t>(queue, total);
    target.keys = found.own_keys.data();
    target.keys_in_order = ordered_arrays_->order.keys();
    found.keys.wide = found.own_keys.data();
  }
  collect_matches(walk, target, found.runs.data(), queue);
  found.rows = {found.own.data(), 1};
  return found;
}

// Queries are sorted first: a warp then reads what its queries match once for all of them.
void IntervalSearcher::join_on_device(const SearchedLookups& searched, const JoinRequest& join,
                                      cudaStream_t stream) const {
  const Queue queue(memory(), stream);
  const bool one_sided = searched.batch.kind() != QueryKind::within;
  if (one_sided && !is_wide() && searched.lookups.count <= PackedQueries::max_count &&
      ordered_arrays_->positions->fused().ranks) {
    const PackedQueries packed = pack_queries(searched.lookups, encoding().span, queue);
    const DeviceArray<std::uint32_t> ranks(queue, searched.lookups.count);
    DeviceLookups last_starts;
    last_starts.elements = packed.starts.data();
    last_starts.count = searched.lookups.count;
    ordered_arrays_->positions->find_ranks(last_starts, {ranks.data(), false}, queue);
    return join_packed(walk(searched, nullptr), packed, ranks.data(), join, stream);
  }
  const EncodedLookups encoded(searched.lookups, is_wide(), queue);
  const SortedQueries sorted = sort_queries(encoded.get(), encoding().span, queue);
  DeviceLookups lookups = encoded.get();
  lookups.intervals = sorted.starts.data();
  lookups.ends = sorted.ends.data();
  const DeviceArray<Run> starts = find_starts(lookups, stream);
  join_walk(walk({searched.batch, searched.first, lookups}, starts.data()), sorted.numbers.data(),
            join, stream);
}

void IntervalSearcher::find_edges_on_device(const SearchedLookups&, Edge, std::uint32_t*,
                                            std::uint64_t*, cudaStream_t) const {
  fail_not_offered();
}

void IntervalSearcher::select(const KeyCodec& codec, std::span<const std::uint64_t> positions,
                              std::uint32_t* rows) const {
  starts_->select(codec, positions, rows);
}

DeviceColumn IntervalSearcher::device_column(cudaStream_t stream) const {
  return device_searcher(*starts_).device_column(stream);
}

EncodedColumn IntervalSearcher::column() const {
  EncodedColumn both = starts_->column();
  both.ends = ends_->column().keys;
  return both;
}

EncodedColumn IntervalSearcher::column_of(std::span<const std::uint32_t> rows) const {
  EncodedColumn both = starts_->column_of(rows);
  both.ends = ends_->column_of(rows).keys;
  return both;
}

IncludedRows IntervalSearcher::included_rows() const { return starts_->included_rows(); }

void IntervalSearcher::save(FileWriter file) const {
  starts_->save(file.part("starts"));
  FileWriter part = file.part("ends");
  save_column(part, ends_->column());
}

std::vector<std::pair<std::string, std::size_t>> IntervalSearcher::memory_entries() const {
  std::vector<std::pair<std::string, std::size_t>> entries;
  const auto add = [&](const char* what, const Searcher& points) {
    for (const auto& [name, bytes] : points.memory_usage().parts)
      entries.emplace_back(fmt::format("{}: {}", what, name), bytes);
  };
  add("starts", *starts_);
  add("ends", *ends_);
  entries.emplace_back("tree of ends", arrays_->tree.bytes());
  return entries;
}

std::string IntervalSearcher::describe() const {
  return fmt::format(
      "intervals: counts and integer sums are differences of ranks of starts and of ends; rows "
      "are found in a tree of ends of {} levels, in the order of starts\n{}",
      arrays_->tree.levels(), starts_->describe());
}

}  // namespace rtindex::cuda
