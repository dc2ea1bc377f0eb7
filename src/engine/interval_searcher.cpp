#include "engine/interval_searcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "answers/accumulator.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engine/interval_query.hpp"
#include "engine/start_order.hpp"
#include "order/extent_tree.hpp"

namespace rtindex {

namespace {

// One column of keys of a column of intervals.
EncodedColumn points_in(const EncodedColumn& column, PackedKeys keys) {
  EncodedColumn points;
  points.keys = std::move(keys);
  points.rows = Array<std::uint32_t>(column.rows.size());
  std::copy(column.rows.begin(), column.rows.end(), points.rows.begin());
  points.row_count = column.row_count;
  points.span = column.span;
  points.merged_at_once = column.merged_at_once;
  return points;
}

template <class Key>
class IntervalSearcher final : public Searcher {
 public:
  IntervalSearcher(const HostSearchers& searchers, EncodedColumn column, const IntervalCodec& codec,
                   const KeyText& key_text, std::span<const ColumnView> include) {
    starts_ = searchers.build(points_in(column, std::move(column.keys)), codec, key_text, include);
    declare(column.row_count);
    if (!column.merged_at_once)
      tree_ = ExtentTree<Key>(ends_in_start_order(column), column.ends.size());
    ends_ = searchers.build(points_in(column, std::move(column.ends)), codec, key_text, include);
  }
  IntervalSearcher(const HostSearchers& searchers, const FileReader& file,
                   const IntervalCodec& codec, std::size_t rows)
      : starts_(searchers.load(file.part("starts"), codec, rows).searcher),
        ends_(searchers.load(file.part("ends"), codec, rows).searcher) {
    if (starts_->size() != ends_->size())
      file.reject("it has {} starts and {} ends", starts_->size(), ends_->size());
    tree_ = ExtentTree<Key>(file.part("tree"), starts_->size());
    declare(rows);
  }

  void save(FileWriter file) const override {
    starts_->save(file.part("starts"));
    ends_->save(file.part("ends"));
    tree_.save(file.part("tree"));
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    const IntervalQuery query(batch);
    if (query.counts_by_rank() && needs_no_rows(request)) return answer_by_rank(query, request);
    const std::size_t size = batch.size();
    // Matches have positions in [first, end) of the order of starts.
    Array<std::uint32_t> first(query.starts_before() || !query.limits_starts() ? 0 : size);
    Array<std::uint32_t> end(size);
    if (!first.empty()) count_starts(query.starts(), first.data());
    count_starts(query.starts_before() ? query.starts() : query.starts_within(), end.data());
    const Positions positions{first.empty() ? nullptr : first.data(), end.data()};
    visit_class(request.value_class(), [&]<class Class>() {
      parallel_for(size, chunk_lookups, [&](std::size_t begin, std::size_t count) {
        find_rows<Class>(query, positions, request, begin, count);
      });
    });
  }

  void select(const KeyCodec& codec, std::span<const std::uint64_t> positions,
              std::uint32_t* rows) const override {
    starts_->select(codec, positions, rows);
  }
  [[nodiscard]] IntervalPoints interval_points() const override { return {starts_, ends_}; }
  [[nodiscard]] EncodedColumn column() const override {
    EncodedColumn both = starts_->column();
    both.ends = ends_->column().keys;
    return both;
  }
  [[nodiscard]] EncodedColumn column_of(std::span<const std::uint32_t> rows) const override {
    EncodedColumn both = starts_->column_of(rows);
    both.ends = ends_->column_of(rows).keys;
    return both;
  }
  [[nodiscard]] IncludedRows included_rows() const override { return starts_->included_rows(); }
  [[nodiscard]] IncludedRows included_rows_of(std::span<const std::uint32_t> rows) const override {
    return starts_->included_rows_of(rows);
  }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    const auto add = [&](const char* what, const MemoryUsage& part) {
      for (const auto& [name, size] : part.parts)
        bytes.parts.emplace_back(fmt::format("{}: {}", what, name), size);
      bytes.build_peak = std::max(bytes.build_peak, bytes.resident + part.build_peak);
      bytes.resident += part.resident;
    };
    add("starts", starts_->memory_usage());
    add("ends", ends_->memory_usage());
    bytes.parts.emplace_back("tree of ends", tree_.bytes());
    bytes.resident += tree_.bytes();
    bytes.build_peak += tree_.bytes();
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "intervals: counts and integer sums are differences of ranks of starts and of ends; rows "
        "are found in a tree of ends of {} levels, in the order of starts\n{}",
        tree_.levels(), starts_->describe());
  }

 private:
  struct Positions {
    const std::uint32_t* first;  // null: 0
    const std::uint32_t* end;
  };

  void declare(std::size_t row_count) {
    size_ = starts_->size();
    included_ = starts_->included();
    row_positions_ = starts_->row_positions();
    capabilities_ = {.key_order = true};
    start_order_ = StartOrder<Key>(*starts_, row_count);
  }

  [[nodiscard]] Array<Key> ends_in_start_order(const EncodedColumn& column) const {
    constexpr std::size_t grain = std::size_t{1} << 14;
    // By row, where most rows are here.
    constexpr std::size_t few = 8;
    const bool is_sparse = column.ends.size() < column.row_count / few;
    Array<Key> by_row(is_sparse || column.rows.empty() ? 0 : column.row_count);
    if (by_row.size() != 0)
      parallel_for(column.ends.size(), grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i)
          by_row[column.rows[i]] = static_cast<Key>(column.ends[i]);
      });
    Array<Key> ends(ExtentTree<Key>::padded(column.ends.size()));
    parallel_for(column.ends.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        const std::uint32_t row = start_order_.row(i);
        if (by_row.size() != 0) {
          ends[i] = by_row[row];
          continue;
        }
        const std::size_t element =
            column.rows.empty()
                ? row
                : static_cast<std::size_t>(
                      std::lower_bound(column.rows.begin(), column.rows.end(), row) -
                      column.rows.begin());
        ends[i] = static_cast<Key>(column.ends[element]);
      }
    });
    return ends;
  }

  // Whether all answers follow from the number of matches and sums of included integers.
  [[nodiscard]] static bool needs_no_rows(const Request& request) {
    if (!request.answers.difference(Answer::count | Answer::sum).empty() ||
        request.outputs.bitmap != nullptr || request.outputs.bitmaps != nullptr)
      return false;
    return !request.answers.has(Answer::sum) ||
           (request.included && request.value_counts == nullptr &&
            request.value_class() != ValueClass::f64);
  }

  // The number of keys of each lookup, deleted rows included.
  void count_starts(const LookupBatch& batch, std::uint32_t* counts) const {
    Request request;
    request.answers = Answer::count;
    request.outputs.count = counts;
    starts_->answer(batch, request);
  }

  // Counts and sums of all keys before a bound.
  struct Totals {
    Array<std::uint32_t> count;
    Array<std::uint64_t> sum;
  };
  [[nodiscard]] static Totals totals_before(const Searcher& points, const LookupBatch& batch,
                                            const Request& wanted) {
    Totals totals{Array<std::uint32_t>(batch.size()),
                  Array<std::uint64_t>(wanted.answers.has(Answer::sum) ? batch.size() : 0)};
    Request request;
    request.answers = Answer::count;
    if (!totals.sum.empty()) request.answers = request.answers | Answer::sum;
    request.included = wanted.included;
    request.included_column = wanted.included_column;
    request.value_type = wanted.value_type;
    request.deleted = wanted.deleted;
    request.miss = MissValues{.u64 = 0, .i64 = 0, .f64 = 0};
    request.outputs.count = totals.count.data();
    if (!totals.sum.empty()) request.outputs.sum = totals.sum.data();
    points.answer(batch, request);
    return totals;
  }

  void answer_by_rank(const IntervalQuery& query, const Request& request) const {
    const LookupBatch starts = query.starts();
    const Totals up_to = totals_before(*starts_, starts, request);
    Totals before;
    if (query.limits_ends()) before = totals_before(*ends_, query.ends_before(), request);
    const std::uint64_t miss = request.value_class() == ValueClass::i64
                                   ? static_cast<std::uint64_t>(request.miss.i64)
                                   : request.miss.u64;
    auto* const sums = static_cast<std::uint64_t*>(request.outputs.sum);
    parallel_for(starts.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      bool is_query[chunk_lookups];
      query.find_queries(first, count, is_query);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = first + i;
        const std::uint32_t ended = before.count.empty() ? 0 : before.count[at];
        const std::uint32_t matches = is_query[i] ? up_to.count[at] - ended : 0;
        if (request.outputs.count != nullptr) request.outputs.count[at] = matches;
        if (sums != nullptr)
          sums[at] =
              matches == 0 ? miss : up_to.sum[at] - (before.sum.empty() ? 0 : before.sum[at]);
        if (matches != 0 && request.outputs.matched != nullptr)
          set_matched(request.outputs.matched, at);
      }
    });
  }

  using Range = typename ExtentTree<Key>::Range;

  // The matches of a chunk of lookups, by position.
  struct Matches {
    std::vector<std::uint32_t> positions;
    std::size_t begins[chunk_lookups + 1];  // of each lookup

    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t lookup) const {
      return std::span(positions).subspan(begins[lookup], begins[lookup + 1] - begins[lookup]);
    }
  };

  [[nodiscard]] Matches find_matches(bool not_less, const Range* ranges, std::size_t count,
                                     RowOrder order) const {
    std::vector<typename ExtentTree<Key>::Found> found;
    if (not_less)
      tree_.template find_all<true>(ranges, count, found);
    else
      tree_.template find_all<false>(ranges, count, found);
    Matches matches;
    std::fill_n(matches.begins, count + 1, 0);
    for (const auto& one : found) ++matches.begins[one.range + 1];
    for (std::size_t i = 0; i < count; ++i) matches.begins[i + 1] += matches.begins[i];
    matches.positions.resize(found.size());
    std::size_t next[chunk_lookups];
    std::copy_n(matches.begins, count, next);
    for (const auto& one : found) matches.positions[next[one.range]++] = one.position;
    if (order == RowOrder::any) return matches;
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = matches.positions.begin() + static_cast<std::ptrdiff_t>(matches.begins[i]);
      const auto end =
          matches.positions.begin() + static_cast<std::ptrdiff_t>(matches.begins[i + 1]);
      std::sort(begin, end);
      if (order == RowOrder::descending) std::reverse(begin, end);
    }
    return matches;
  }

  // The matches of a chunk of lookups.
  template <class Class>
  void find_rows(const IntervalQuery& query, const Positions& positions, const Request& request,
                 std::size_t first, std::size_t count) const {
    bool is_query[chunk_lookups];
    Interval ends[chunk_lookups];
    Range ranges[chunk_lookups];
    query.find_queries(first, count, is_query);
    query.ends().encode(first, count, ends, nullptr);
    const bool not_less = query.starts_before();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_answered = ends[i].empty() || (request.answered != nullptr &&
                                                   is_matched(request.answered, first + i));
      const auto stop = std::min<std::size_t>(positions.end[first + i], tree_.size());
      ranges[i] = {positions.first == nullptr ? 0 : positions.first[first + i],
                   is_query[i] && !is_answered ? static_cast<std::uint32_t>(stop) : 0,
                   static_cast<Key>(not_less ? ends[i].lower : ends[i].upper)};
    }
    if (request.one_hit_is_enough())
      return find_one<Class>(not_less, request, first, count, ranges);
    const Matches matches = find_matches(not_less, ranges, count, request.order);
    if (wants_rows_alone(request)) return append_rows(request, first, count, matches);
    if (request.wants_values() && request.included)
      return fold_included<Class>(request, first, count, matches);
    Accumulator<Class> accumulator(request, first / chunk_lookups);
    for (std::size_t i = 0; i < count; ++i) {
      accumulator.start(first + i);
      StartKeys keys(request, first / chunk_lookups);
      for (const std::uint32_t position : matches.of(i)) {
        const std::uint32_t row = start_order_.row(position);
        if (!request.deleted.has(row)) keys.add(start_order_.key(position));
        if (accumulator.hit(row)) break;
      }
      accumulator.finish(first + i);
    }
  }

  template <class Class>
  void find_one(bool not_less, const Request& request, std::size_t first, std::size_t count,
                const Range* ranges) const {
    Accumulator<Class> accumulator(request, first / chunk_lookups);
    for (std::size_t i = 0; i < count; ++i) {
      accumulator.start(first + i);
      const auto take = [&](std::size_t position) {
        return accumulator.hit(start_order_.row(position));
      };
      const Range& range = ranges[i];
      if (not_less)
        tree_.template visit<true>(range.begin, range.end, range.key, take);
      else
        tree_.template visit<false>(range.begin, range.end, range.key, take);
      accumulator.finish(first + i);
    }
  }

  // Whether all rows are wanted, and nothing else: as for a join.
  [[nodiscard]] static bool wants_rows_alone(const Request& request) {
    return request.answers == AnswerSet(Answer::rows) && request.outputs.matched == nullptr &&
           request.chunk_rows != nullptr && request.chunk_keys == nullptr &&
           request.limit == no_limit;
  }

  void append_rows(const Request& request, std::size_t first, std::size_t count,
                   const Matches& matches) const {
    constexpr std::size_t ahead = 16;  // rows on their way from memory
    std::vector<std::uint32_t>& rows = (*request.chunk_rows)[first / chunk_lookups];
    const std::vector<std::uint32_t>& positions = matches.positions;
    const std::size_t before = rows.size();
    rows.resize(before + positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i + ahead < positions.size()) start_order_.prefetch_row(positions[i + ahead]);
      rows[before + i] = start_order_.row(positions[i]);
    }
    if (request.deleted.empty()) {
      for (std::size_t i = 0; i < count; ++i) request.row_counts[first + i] = matches.of(i).size();
      return;
    }
    std::size_t kept = before;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t start = kept;
      for (std::size_t k = matches.begins[i]; k < matches.begins[i + 1]; ++k)
        if (!request.deleted.has(rows[before + k])) rows[kept++] = rows[before + k];
      request.row_counts[first + i] = kept - start;
    }
    rows.resize(kept);
  }

  // Collects the starts of the rows of a lookup, for Request::chunk_keys.
  class StartKeys {
   public:
    StartKeys(const Request& request, std::size_t chunk)
        : keys_(request.chunk_keys == nullptr ? nullptr : &(*request.chunk_keys)[chunk]),
          left_(request.limit) {}
    void add(std::uint64_t key) {
      if (keys_ == nullptr || left_ == 0) return;
      keys_->push_back(key);
      --left_;
    }

   private:
    std::vector<std::uint64_t>* keys_;
    std::uint32_t left_;
  };

  // As find_rows, with included values, which are in the order of starts: those of the whole chunk
  // are gathered first.
  template <class Class>
  void fold_included(const Request& request, std::size_t first, std::size_t count,
                     const Matches& matches) const {
    const OwnedColumn gathered = starts_->sorted_pairs()
                                     ->included_values(request.included_column)
                                     .values_of(matches.positions);
    const ColumnView values = gathered.view();
    Request local = request;
    local.included = false;
    local.values = values.data();
    local.validity = values.validity();
    local.validity_offset = values.validity_offset();
    Accumulator<Class> accumulator(local, first / chunk_lookups);
    for (std::size_t i = 0; i < count; ++i) {
      accumulator.start(first + i);
      for (std::size_t k = matches.begins[i]; k < matches.begins[i + 1]; ++k)
        accumulator.hit(start_order_.row(matches.positions[k]), k);
      accumulator.finish(first + i);
    }
  }

  std::shared_ptr<Searcher> starts_;
  std::shared_ptr<Searcher> ends_;
  StartOrder<Key> start_order_;
  ExtentTree<Key> tree_;
};

void require_order(const HostSearchers& searchers) {
  if (searchers.key_use == KeyUse::order && searchers.load) return;
  fail(ErrorKind::unsupported,
       "intervals need an index that keeps its keys in order: use rx, sorted or btree");
}

}  // namespace

std::unique_ptr<Searcher> make_interval_searcher(const HostSearchers& searchers,
                                                 EncodedColumn column, const IntervalCodec& codec,
                                                 const KeyText& key_text,
                                                 std::span<const ColumnView> include) {
  require_order(searchers);
  return with_key_type(is_wide(column.span), [&](auto key) -> std::unique_ptr<Searcher> {
    return std::make_unique<IntervalSearcher<decltype(key)>>(searchers, std::move(column), codec,
                                                             key_text, include);
  });
}

std::unique_ptr<Searcher> load_interval_searcher(const HostSearchers& searchers,
                                                 const FileReader& file, const IntervalCodec& codec,
                                                 std::size_t rows) {
  require_order(searchers);
  return with_key_type(is_wide(codec.span()), [&](auto key) -> std::unique_ptr<Searcher> {
    return std::make_unique<IntervalSearcher<decltype(key)>>(searchers, file, codec, rows);
  });
}

}  // namespace rtindex
