#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cuda/pooled_stream.hpp"
#include "engine/cuda/deleted_rows.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "engine/cuda/position_searcher.hpp"
#include "engine/engine.hpp"
#include "keys/cuda/device_full_keys.hpp"
#include "keys/point_codec.hpp"
#include "order/cuda/device_box_tree.hpp"
#include "order/cuda/device_filter.hpp"
#include "order/cuda/device_included.hpp"

namespace rtindex::cuda {

struct DeviceRows;
struct DeviceIntervalRows;

// How a kind makes searchers of intervals in its own way.
struct IntervalSearchers {
  // As in DeviceSearchers.
  HoldsSpan holds;
  std::function<void(const EncodedColumn&, const KeyText&)> reject;
  std::function<std::unique_ptr<Searcher>(DeviceIntervalRows rows, const GpuContext& gpu,
                                          const MemoryMeter& meter)>
      make;
};

// How a kind makes searchers on a GPU. Options are bound in the functions.
struct DeviceSearchers {
  Capabilities capabilities = {.ranges = true, .key_order = true};
  KeyUse key_use = KeyUse::order;
  // For a kind that cannot hold every key: whether it holds keys up to a span, and a function that
  // throws an Error with the row and key that it cannot hold.
  HoldsSpan holds = {};
  std::function<void(const EncodedColumn&, const KeyText&)> reject = {};

  // Makes a searcher of positions among sorted keys.
  std::function<std::unique_ptr<PositionSearcher>(DeviceOrder& order, const Queue& queue)>
      positions = {};
  Gather gather = Gather::automatic;
  Layout layout = Layout::split;
  bool keeps_order = true;          // keys stay beside the searcher; else it extracts them
  bool searches_sequences = false;  // without keys in memory

  // Whether a main segment goes without the rowIDs of a sorted column.
  [[nodiscard]] bool drops_rows() const { return positions && keeps_order; }

  // In place of `positions`, make searchers over unsorted keys: on the current GPU, and encoded by
  // the host.
  std::function<std::unique_ptr<Searcher>(DeviceRows rows, const GpuContext& gpu,
                                          const MemoryMeter& meter)>
      rows = {};
  std::function<std::unique_ptr<Searcher>(EncodedColumn column, const KeyCodec& codec,
                                          const GpuContext& gpu)>
      encoded = {};

  bool holds_points = false;  // it makes searchers of points too
  // Makes one over points that the host has encoded. Not set: they are searched in a tree of
  // blocks.
  std::function<std::unique_ptr<Searcher>(const EncodedColumn& column, const PointCodec& codec,
                                          const GpuContext& gpu, const MemoryMeter& meter)>
      points = {};
  // None: a searcher of intervals is made of two searchers over sorted keys.
  std::optional<IntervalSearchers> intervals = {};
};

// Rows in key order, and in row order within equal keys. Made where the column has another order:
// updated rows come after other rows of the same key.
struct RowsByKey {
  RowsByKey(const DeviceOrder& from, const Queue& queue)
      : order(from.column(queue), Sorting::needed, Layout::split, queue),
        deleted(order, 0, queue.memory()) {
    order.release_keys();
    check(cudaStreamSynchronize(queue), "sorting rows");
  }
  DeviceOrder order;
  DeletedRowsCache deleted;
};

// The arrays of a searcher over sorted keys, or over points, whose order has rows only. They are
// released on the stream that they were made on.
struct OrderedArrays {
  explicit OrderedArrays(PooledStream made_on) : stream(std::move(made_on)) {}

  PooledStream stream;
  DeviceOrder order;
  std::vector<DeviceIncluded> included;  // never resized once it is searchable
  std::shared_ptr<DeviceFullKeys> full;  // of keys that are not native
  DeviceBoxTree boxes;                   // of points
  // Set when it is made searchable.
  DeviceFilter filter;  // of a small segment that lookups search beside a large one
  std::unique_ptr<PositionSearcher> positions;
  std::optional<DeletedRowsCache> deleted_rows;
  std::optional<RowsByKey> by_row;  // made by the first call that needs it

  [[nodiscard]] bool compares_full_keys() const { return full != nullptr && full->compares(); }
};

// What a new searcher is for.
enum class SegmentUse : std::uint8_t {
  main,
  delta,   // a small segment beside the main one
  merged,  // the change that adds it also merges it: made searchable only if it is searched
};

// Searches keys in key order on a GPU.
class OrderedSearcher final : public DeviceSearcher {
 public:
  // `arrays` are not searchable yet.
  OrderedSearcher(GpuContext gpu, std::shared_ptr<const DeviceSearchers> kind,
                  std::unique_ptr<OrderedArrays> arrays, SegmentUse use, const MemoryMeter& meter);
  ~OrderedSearcher() override;

  [[nodiscard]] Encoding encoding() const override;
  [[nodiscard]] SegmentTraits traits(std::size_t included_column) const override;
  [[nodiscard]] FoundRows answer_on_device(Method method, const SearchedLookups& searched,
                                           const DeviceRequest& request, RowsWanted wanted,
                                           cudaStream_t stream) const override;
  void find_edges_on_device(const SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                            std::uint64_t* keys, cudaStream_t stream) const override;

  void select(const KeyCodec& codec, std::span<const std::uint64_t> positions,
              std::uint32_t* rows) const override;
  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override;
  void save(FileWriter file) const override;
  [[nodiscard]] IncludedRows included_rows() const override;
  [[nodiscard]] std::string describe() const override;

 private:
  // Makes it searchable, if it is not yet. Any number of threads may need it at once.
  OrderedArrays& ready() const;
  void make_searchable() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_entries() const override;

  // The runs of positions that lookups match.
  [[nodiscard]] DeviceArray<Run> find_runs(const DeviceLookups& lookups, QueryKind kind,
                                           cudaStream_t stream) const;
  [[nodiscard]] FoundRows answer_by_row(const DeviceLookups& lookups, const DeviceRequest& request,
                                        bool wants_rows, cudaStream_t stream) const;
  [[nodiscard]] bool is_ordered() const {
    return arrays_->order.unique() || arrays_->order.rows_ascend();
  }
  [[nodiscard]] RowsByKey& rows_by_key() const;
  // The rows in the order of keys, those of equal keys in their own order.
  [[nodiscard]] RowsView ordered_rows() const;
  void bring_into_order(FoundRows& found, const DeviceLookups& lookups, cudaStream_t stream) const;

  std::shared_ptr<const DeviceSearchers> kind_;
  std::unique_ptr<OrderedArrays> arrays_;
  SegmentUse use_;
  mutable std::once_flag searchable_;
  mutable std::mutex by_row_mutex_;
};

// The included values and their rows, ascending, in host memory.
[[nodiscard]] IncludedRows included_by_row(const OrderedArrays& arrays, const GpuContext& gpu);

// Answers points from a segment and a newer one, for which can_pair() holds.
void answer_pair(const OrderedArrays& main, const OrderedArrays& newer,
                 const DeviceLookups& lookups, const DeviceLookups& newer_lookups,
                 const DeviceRequest& request, cudaStream_t stream);

// Encoded keys with their rows on the GPU, of which a searcher is made.
struct DeviceRows {
  explicit DeviceRows(PooledStream made_on) : stream(std::move(made_on)) {}

  PooledStream stream;
  // With included values, the rows of the column are indices into these; `ids` maps them to
  // rowIDs once the values are in key order.
  DeviceColumn column;
  Sorting sorting = Sorting::needed;
  // Whether rows may follow each other in key order: not where a key is less than the one before
  // it.
  bool rows_may_follow = true;
  std::size_t row_count = 0;             // of the index
  std::shared_ptr<DeviceFullKeys> full;  // of keys that are not native
  RowIds ids;
  // An included column: a value for each element of the column, and the values of rows without a
  // key.
  struct Included {
    ElementValues values;
    KeylessValues keyless, keyless_valid;
  };
  std::vector<Included> included;
};

// Encoded intervals on the GPU, in row order. The ends have the rows of the starts.
struct DeviceIntervalRows {
  explicit DeviceIntervalRows(PooledStream made_on) : stream(std::move(made_on)) {}

  PooledStream stream;
  DeviceColumn starts;
  DeviceColumn ends;
};

// Sorts rows by key, with their included values.
[[nodiscard]] std::unique_ptr<OrderedArrays> in_key_order(
    DeviceRows rows, Layout layout, const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
