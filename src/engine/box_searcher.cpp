#include "engine/box_searcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "engine/box_batch.hpp"
#include "engine/run_fold.hpp"
#include "engine/stored_rows.hpp"
#include "order/included.hpp"
#include "order/point_order.hpp"

namespace rtindex {

namespace {

constexpr std::size_t box_grain = std::size_t{1} << 14;

// rowIDs by position. A damaged file may contain any.
struct BoxRows {
  const std::uint32_t* rows;
  std::uint32_t last_row;

  [[nodiscard]] std::uint32_t operator[](std::size_t position) const {
    return std::min(rows[position], last_row);
  }
  [[nodiscard]] const void* address(std::size_t position) const { return rows + position; }
};

class BoxSearcher final : public Searcher {
 public:
  BoxSearcher(const EncodedColumn& column, const PointCodec& codec,
              std::span<const ColumnView> include)
      : row_count_(column.row_count) {
    for (std::size_t c = 0; c < codec.columns(); ++c) largest_.push_back(codec.largest(c));
    const Array<std::uint32_t> order = order_of_points(column.points, BoxTree::block_rows);
    tree_ = BoxTree(column.points, order.span());
    rows_ = Array<std::uint32_t>(order.size());
    parallel_for(order.size(), box_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) rows_[i] = column.row(order[i]);
    });
    for (const ColumnView& values : include)
      values_.push_back(IncludedValues::make(
          values, order.size(), [rows = rows()](std::size_t at) { return rows[at]; },
          codec.rows()));
    declare();
  }
  BoxSearcher(const FileReader& file, const PointCodec& codec, std::size_t rows)
      : row_count_(rows), rows_(file.array<std::uint32_t>("rows", file.number("size", rows))) {
    for (std::size_t c = 0; c < codec.columns(); ++c) largest_.push_back(codec.largest(c));
    tree_ = BoxTree(file.part("tree"), rows_.size(), largest_);
    for (std::size_t i = 0; file.has(included_part(i) + ".type"); ++i)
      values_.push_back(IncludedValues::from_file(file.part(included_part(i)), rows_.size(), rows));
    for (const auto& values : values_)
      if (values->outside_rows().size() != values_.front()->outside_rows().size())
        file.reject("its included columns have values of different numbers of rows");
    declare();
  }

  void save(FileWriter file) const override {
    file.number("size", rows_.size());
    file.array("rows", rows_.span());
    tree_.save(file.part("tree"));
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i]->save(file.part(included_part(i)));
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    const CountedRef<DeletedSet> deleted = deleted_sets_.of(request.deleted);
    // Rows are collected chunk by chunk; all else is spread over cores more evenly.
    constexpr std::size_t few = 16;
    const std::size_t grain = request.chunk_rows == nullptr ? few : chunk_lookups;
    const BoxBatch boxes(batch);
    visit_class(request.value_class(), [&]<class Class>() {
      parallel_for(batch.size(), grain, [&](std::size_t first, std::size_t count) {
        std::vector<Box> chunk(count);
        boxes.encode(first, count, chunk.data());
        for (std::size_t i = 0; i < count; ++i) {
          if (request.answered != nullptr && is_matched(request.answered, first + i))
            chunk[i].is_empty = true;
          if (needs_count_alone(request))
            count_rows(boxes, chunk[i], request, first + i);
          else
            fold_rows<Class>(boxes, chunk[i], request, first + i, deleted.get());
        }
      });
    });
  }

  [[nodiscard]] EncodedColumn column() const override {
    return column_at({stored_rows().positions_by_row().keys.narrow_data(), rows_.size()});
  }
  [[nodiscard]] EncodedColumn column_of(std::span<const std::uint32_t> rows) const override {
    return column_at(stored_rows().positions_of(rows));
  }
  [[nodiscard]] IncludedRows included_rows() const override { return stored_rows().all_included(); }
  [[nodiscard]] IncludedRows included_rows_of(std::span<const std::uint32_t> rows) const override {
    return stored_rows().included_of(rows);
  }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"points", tree_.key_bytes()},
                   {"rowIDs", rows_.bytes()},
                   {"zone maps", tree_.zone_bytes()}};
    std::size_t included = 0;
    for (const auto& values : values_) included += values->bytes();
    if (!values_.empty()) bytes.parts.emplace_back("included values", included);
    if (const std::size_t deleted = deleted_sets_.bytes(); deleted != 0)
      bytes.parts.emplace_back("deleted rows by position", deleted);
    if (const RowPositions* const made = own_row_positions_.if_there(); made && made->bytes() != 0)
      bytes.parts.emplace_back("positions of rows", made->bytes());
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    // The points in row order, their Morton codes, and as much again to sort these.
    bytes.build_peak = bytes.resident + 24 * rows_.size();
    for (const std::uint64_t largest : largest_)
      bytes.build_peak += (is_wide(largest) ? 8 : 4) * rows_.size();
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "points: {} columns in Morton order, blocks of {} rows with zone maps in a tree of "
        "height {}\n",
        tree_.columns(), BoxTree::block_rows, tree_.levels());
  }

 private:
  static constexpr std::size_t blocks_at_once = 128;  // of a query, on one core

  [[nodiscard]] static std::string included_part(std::size_t column) {
    return fmt::format("included{}", column);
  }

  void declare() {
    size_ = rows_.size();
    row_positions_ = &own_row_positions_;
    for (const auto& values : values_) included_.push_back({values->type(), values->has_nulls()});
  }

  [[nodiscard]] StoredRows<BoxRows> stored_rows() const {
    return {rows_.size(), row_count_, rows(), values_, own_row_positions_};
  }
  [[nodiscard]] BoxRows rows() const {
    const std::size_t rows = std::max<std::size_t>(row_count_, 1);
    return {std::as_const(rows_).data(), static_cast<std::uint32_t>(rows - 1)};
  }

  [[nodiscard]] static bool needs_count_alone(const Request& request) {
    return request.deleted.empty() && request.answers.difference(Answer::count).empty() &&
           request.pairs == nullptr && !request.wants_bitmaps();
  }

  void count_rows(const BoxBatch& boxes, const Box& query, const Request& request,
                  std::size_t lookup) const {
    std::uint64_t rows = 0;
    boxes.visit_boxes(query, [&](const Box& box) { rows += rows_in(box); });
    if (request.outputs.count != nullptr)
      request.outputs.count[lookup] = static_cast<std::uint32_t>(rows);
    if (rows != 0 && request.outputs.matched != nullptr)
      set_matched(request.outputs.matched, lookup);
  }

  [[nodiscard]] std::uint64_t rows_in(const Box& box) const {
    const BoxTree::Found found = tree_.find(box);
    std::uint64_t rows = 0;
    for (const Match& run : found.runs) rows += run.size();
    const std::vector<BoxTree::Block>& blocks = found.blocks;
    if (blocks.size() <= blocks_at_once)
      return rows + tree_.count_rows(box, blocks.data(), blocks.size());
    std::atomic<std::uint64_t> total = rows;
    parallel_for(blocks.size(), blocks_at_once, [&](std::size_t first, std::size_t count) {
      total += tree_.count_rows(box, blocks.data() + first, count);
    });
    return total;
  }

  void append_runs(const Box& box, std::vector<Match>& runs) const {
    const BoxTree::Found found = tree_.find(box);
    runs.insert(runs.end(), found.runs.begin(), found.runs.end());
    const std::vector<BoxTree::Block>& blocks = found.blocks;
    if (blocks.size() <= blocks_at_once)
      return tree_.find_runs(box, blocks.data(), blocks.size(), runs);
    std::vector<std::vector<Match>> parts((blocks.size() + blocks_at_once - 1) / blocks_at_once);
    parallel_for(blocks.size(), blocks_at_once, [&](std::size_t first, std::size_t count) {
      tree_.find_runs(box, blocks.data() + first, count, parts[first / blocks_at_once]);
    });
    for (const std::vector<Match>& part : parts) runs.insert(runs.end(), part.begin(), part.end());
  }

  template <class Class>
  void fold_rows(const BoxBatch& boxes, const Box& query, const Request& request,
                 std::size_t lookup, DeletedSet* deleted) const {
    std::vector<Match> found;
    boxes.visit_boxes(query, [&](const Box& box) { append_runs(box, found); });
    if (wants_rows_alone(request)) return copy_rows(found, request, lookup);
    if (wants_bitmap_alone(request)) return set_bitmaps(found, request, lookup);
    using Fold = RunFold<Class, BoxRows>;
    const auto make = [&] { return Fold(request, lookup, rows(), rows_.size(), values_, deleted); };
    Fold all = make();
    const std::span<Match> runs = found;
    // Rows are listed by one thread.
    if (runs.size() <= runs_at_once || request.answers.has(Answer::rows) ||
        request.one_hit_is_enough()) {
      all.add(runs);
    } else {
      std::vector<std::optional<Fold>> parts((runs.size() + runs_at_once - 1) / runs_at_once);
      parallel_for(runs.size(), runs_at_once, [&](std::size_t first, std::size_t count) {
        parts[first / runs_at_once].emplace(make()).add(runs.subspan(first, count));
      });
      for (const std::optional<Fold>& part : parts) all.merge(*part);
    }
    all.finish();
  }

  [[nodiscard]] static bool wants_rows_alone(const Request& request) {
    return request.answers == AnswerSet(Answer::rows) && request.deleted.empty() &&
           request.chunk_rows != nullptr && request.limit == no_limit;
  }

  // Copies the rows of all runs, by many threads where there are many.
  void copy_rows(const std::vector<Match>& runs, const Request& request, std::size_t lookup) const {
    std::vector<std::uint64_t> starts(runs.size() + 1, 0);
    for (std::size_t i = 0; i < runs.size(); ++i) starts[i + 1] = starts[i] + runs[i].size();
    std::vector<std::uint32_t>& out = (*request.chunk_rows)[lookup / chunk_lookups];
    const std::size_t before = out.size();
    out.resize(before + starts.back());
    const BoxRows from = rows();
    const auto copy = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        std::uint32_t* const to = out.data() + before + starts[i];
        for (std::uint64_t k = 0; k < runs[i].size(); ++k) to[k] = from[runs[i].begin + k];
      }
    };
    if (starts.back() < box_grain)
      copy(0, runs.size());
    else
      parallel_for(runs.size(), runs_at_once, copy);
    request.row_counts[lookup] = starts.back();
    if (starts.back() != 0 && request.outputs.matched != nullptr)
      set_matched(request.outputs.matched, lookup);
  }

  [[nodiscard]] static bool wants_bitmap_alone(const Request& request) {
    return request.answers.difference(Answer::bitmap | Answer::bitmaps).empty() &&
           request.outputs.matched == nullptr && request.deleted.empty();
  }

  // Threads set the rows of many in bitmaps of their own, because setting a bit that others may
  // change takes much longer.
  void set_bitmaps(const std::vector<Match>& runs, const Request& request,
                   std::size_t lookup) const {
    const Outputs& out = request.outputs;
    std::uint8_t* const own = out.bitmaps == nullptr ? nullptr : request.bitmap_of(lookup);
    std::uint64_t total = 0;
    for (const Match& run : runs) total += run.size();
    constexpr std::size_t max_parts = 8;
    const std::size_t parts =
        std::min<std::size_t>(static_cast<std::size_t>(parallel_threads()), max_parts);
    const BoxRows rows_at = rows();
    const auto visit = [&](std::uint64_t first, std::uint64_t end, const auto& set) {
      std::uint64_t before = 0;
      for (const Match& run : runs) {
        const std::uint64_t skipped = first > before ? std::min(first - before, run.size()) : 0;
        const std::uint64_t stop = end > before ? std::min(end - before, run.size()) : 0;
        for (std::uint64_t i = skipped; i < stop; ++i)
          if (const std::uint32_t row = rows_at[run.begin + i]; row < out.bitmap_rows) set(row);
        before += run.size();
      }
    };
    constexpr std::size_t rows_each = 64;  // of the index, for one that is set
    if (total < row_count_ / rows_each)
      return visit(0, total, [&](std::uint32_t row) {
        if (out.bitmap != nullptr) set_row(out.bitmap, row);
        if (own != nullptr) set_row(own, row);
      });
    const std::size_t bytes = bitmap_bytes(out.bitmap_rows);
    std::vector<std::vector<std::uint8_t>> set(parts);
    parallel_for(parts, 1, [&](std::size_t part, std::size_t) {
      set[part].resize(bytes);
      std::uint8_t* const bits = set[part].data();
      visit(total * part / parts, total * (part + 1) / parts, [&](std::uint32_t row) {
        bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | 1U << (row % 8));
      });
    });
    parallel_for(bytes, box_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t byte = first; byte < first + count; ++byte) {
        std::uint8_t bits = 0;
        for (const std::vector<std::uint8_t>& part : set)
          bits = static_cast<std::uint8_t>(bits | part[byte]);
        if (own != nullptr) own[byte] = static_cast<std::uint8_t>(own[byte] | bits);
        if (bits != 0 && out.bitmap != nullptr)  // which other queries may set
          std::atomic_ref(out.bitmap[byte]).fetch_or(bits, std::memory_order_relaxed);
      }
    });
  }

  // The points at these positions, whose rows ascend.
  [[nodiscard]] EncodedColumn column_at(std::span<const std::uint32_t> positions) const {
    EncodedColumn column;
    column.row_count = row_count_;
    column.rows = Array<std::uint32_t>(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) column.rows[i] = rows()[positions[i]];
    for (std::size_t c = 0; c < largest_.size(); ++c) {
      PackedKeys& keys = column.points.emplace_back(positions.size(), largest_[c]);
      parallel_for(positions.size(), box_grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) keys.set(i, tree_.key(c, positions[i]));
      });
    }
    return column;
  }

  static constexpr std::size_t runs_at_once = std::size_t{1} << 12;

  std::size_t row_count_;
  std::vector<std::uint64_t> largest_;  // key of each column
  BoxTree tree_;
  Array<std::uint32_t> rows_;                            // by position
  std::vector<std::unique_ptr<IncludedValues>> values_;  // included, by column
  Lazy<RowPositions> own_row_positions_{
      [this] { return RowPositions(rows_.size(), row_count_, rows()); }};
  DeletedSets deleted_sets_{&own_row_positions_};
};

}  // namespace

std::unique_ptr<Searcher> make_box_searcher(EncodedColumn column, const PointCodec& codec,
                                            std::span<const ColumnView> include) {
  return std::make_unique<BoxSearcher>(column, codec, include);
}

std::unique_ptr<Searcher> load_box_searcher(const FileReader& file, const PointCodec& codec,
                                            std::size_t rows) {
  return std::make_unique<BoxSearcher>(file, codec, rows);
}

}  // namespace rtindex
