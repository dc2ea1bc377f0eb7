#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/segment_builder.hpp"
#include "keys/point_codec.hpp"
#include "order/included.hpp"
#include "order/merge_orders.hpp"

namespace rtindex {

// Segments of native keys whose pairs can be merged in key order.
struct OrderedMerge {
  std::vector<OrderInput> inputs;
  std::vector<std::vector<IncludedValues::Part>> included;  // by column
  std::shared_ptr<KeyCodec> codec;                          // of the merged segment
};

// How a kind makes searchers from columns that the host has encoded. Options are bound in the
// functions.
struct HostSearchers {
  KeyUse key_use = KeyUse::order;
  // `include` has the included columns, with a value for each element of the column, which
  // codec.rows() numbers.
  std::function<std::unique_ptr<Searcher>(EncodedColumn column, const KeyCodec& codec,
                                          const KeyText& key_text,
                                          std::span<const ColumnView> include)>
      build;
  // Makes a searcher of intervals. Not set: it is made of two searchers of keys
  // (engine/interval_searcher.hpp).
  std::function<std::unique_ptr<Searcher>(EncodedColumn column, const KeyCodec& codec,
                                          const KeyText& key_text,
                                          std::span<const ColumnView> include)>
      build_intervals = {};
  // Makes a searcher of points. Not set: it is made in host memory (engine/box_searcher.hpp).
  std::function<std::unique_ptr<Searcher>(EncodedColumn column, const PointCodec& codec,
                                          std::span<const ColumnView> include)>
      build_points = {};
  // Opens what a searcher saved. Not set: it is built again from its column.
  std::function<LoadedSearcher(const FileReader& file, const KeyCodec& codec, std::size_t rows)>
      load = {};
  // Merges segments in key order. Not set: they are decoded and built again.
  std::function<std::unique_ptr<Searcher>(const OrderedMerge& merge, std::size_t row_count)> merge =
      {};
};

// Makes segments of columns in host memory.
class HostSegmentBuilder final : public SegmentBuilder {
 public:
  explicit HostSegmentBuilder(HostSearchers searchers) : searchers_(std::move(searchers)) {}

  [[nodiscard]] NewSegment build(const ColumnView& column,
                                 const BuildOptions& options) const override;
  [[nodiscard]] NewSegment build_rows(const NewRows& rows, std::span<const Segment> current,
                                      std::size_t row_count) const override;
  [[nodiscard]] Segment merge(std::span<const Segment> segments, std::size_t row_count,
                              bool is_all) const override;
  [[nodiscard]] LoadedSearcher load(const FileReader& file, const KeyCodec& codec,
                                    std::size_t rows) const override;
  [[nodiscard]] RowBitmapPtr load_bitmap(Array<std::uint32_t> words,
                                         std::size_t rows) const override;
  [[nodiscard]] CheckedRows check_rows(const ColumnView& rows, const RowStates& states,
                                       Stream stream) const override;
  [[nodiscard]] MarkedRows mark_rows(const ColumnView& rows, const RowStates& states,
                                     std::span<const RowBitmapPtr> bitmaps,
                                     Stream stream) const override;
  [[nodiscard]] std::optional<Refit> plan_refit(const Segment& segment, const ColumnView& rows,
                                                const ColumnView& new_keys,
                                                Stream stream) const override;

 private:
  // Columns of a new segment, one element for each of its rows.
  struct Columns;

  [[nodiscard]] std::unique_ptr<Searcher> make_searcher(EncodedColumn column, const KeyCodec& codec,
                                                        const KeyText& key_text,
                                                        std::span<const ColumnView> include) const;
  [[nodiscard]] NewSegment build_numbered(Columns& columns, std::size_t row_count,
                                          bool merged_at_once) const;

  HostSearchers searchers_;
};

}  // namespace rtindex
