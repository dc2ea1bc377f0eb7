#include "engine/ordered_searcher.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "answers/match_pairs.hpp"
#include "answers/matches.hpp"
#include "answers/valid_matches.hpp"
#include "base/call_control.hpp"
#include "base/lazy.hpp"
#include "base/parallel.hpp"
#include "engine/edges.hpp"
#include "engine/position_finder.hpp"
#include "engine/stored_rows.hpp"
#include "order/hash_filter.hpp"
#include "order/key_parts.hpp"

namespace rtindex {

namespace {

// Counts the work of some lookups; the destructor adds it to the request's counters.
class LocalCounters {
 public:
  explicit LocalCounters(Counters* total) : total_(total) {}
  ~LocalCounters() {
    if (total_ != nullptr) add_work(*total_, own_);
  }
  LocalCounters(const LocalCounters&) = delete;
  LocalCounters& operator=(const LocalCounters&) = delete;
  // Null: nothing is counted.
  [[nodiscard]] Counters* get() { return total_ == nullptr ? nullptr : &own_; }
  template <class Valid>
  void add_hits(const Match* found, std::size_t count, const Valid& valid) {
    if (total_ == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) own_.hits += valid.count(i, found[i]);
  }

 private:
  Counters* total_;
  Counters own_;
};

template <class Key>
class OrderedSearcher final : public Searcher, public SortedPairs {
 public:
  OrderedSearcher(KeyOrder<Key> order, std::vector<std::unique_ptr<IncludedValues>> included,
                  const OrderedOptions& options, MakeLocator<Key> make_locator)
      : order_(std::move(order)), values_(std::move(included)) {
    declare(options);
    prepare_lookups(options, make_locator);
  }
  OrderedSearcher(const EncodedColumn& column, const KeyCodec& codec,
                  std::span<const ColumnView> include, const OrderedOptions& options,
                  MakeLocator<Key> make_locator)
      : order_(column, codec) {
    for (const ColumnView& values : include)
      values_.push_back(IncludedValues::make(values, order_.size(), row_at(), codec.rows()));
    declare(options);
    if (!column.merged_at_once) prepare_lookups(options, make_locator);
  }
  OrderedSearcher(const FileReader& file, const KeyCodec& codec, std::size_t rows,
                  const OrderedOptions& options, MakeLocator<Key> make_locator)
      : order_(file.part("order"), rows, codec.span()) {
    prepare_lookups(options, make_locator);
    for (std::size_t i = 0; file.has(included_part(i) + ".type"); ++i)
      values_.push_back(
          IncludedValues::from_file(file.part(included_part(i)), order_.size(), rows));
    for (const auto& values : values_)
      if (values->outside_rows().size() != values_.front()->outside_rows().size())
        file.reject("its included columns have values of different numbers of rows");
    declare(options);
  }

  void save(FileWriter file) const override {
    order_.save(file.part("order"));
    if (locator_) locator_->save(file.part("locator"));
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i]->save(file.part(included_part(i)));
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    // A batch is not reordered if it collects rows of each lookup in the order of the batch, or
    // compares full keys, which are read from the batch.
    const bool can_reorder = !batch.has_residual() &&
                             !request.answers.has_any_of(Answer::rows | Answer::bitmaps) &&
                             batch.size() <= miss_row;
    const CountedRef<DeletedSet> deleted = deleted_set(request.deleted);
    if (can_reorder && order_rule_.in_order(batch))
      answer_in_order(batch, request, deleted.get());
    else
      parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
        answer_chunk(batch, request, deleted.get(), first, count);
      });
  }

  void find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted, std::uint32_t* rows,
                  std::uint64_t* keys, Counters* counters) const override {
    CountedRef<DeletedSet> set = deleted_set(deleted);
    // With a filter the closest valid row may be far away: what is derived from it lasts for a
    // call.
    if (set == nullptr && deleted.filter != nullptr && order_.size() >= min_derived_keys)
      set = CountedRef(new DeletedSet(deleted));
    parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      Match found[chunk_lookups];
      batch.encode(first, count, intervals, checks);
      LocalCounters work(counters);
      if (batch.has_residual()) {
        finder().find_ranges(intervals, count, found, work.get());
        order_.filter_residuals(batch, first, count, intervals, checks, found);
      } else {
        finder().find_one_end(edge, intervals, count, found, work.get());
      }
      find_edge_rows(order_, edge, intervals, found, count, deleted, set.get(), rows + first,
                     keys + first);
    });
  }

  void select(const KeyCodec&, std::span<const std::uint64_t> positions,
              std::uint32_t* rows) const override {
    const OrderRows<Key> in_order = order_.rows();
    parallel_for(positions.size(), chunk_rows, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        rows[i] = positions[i] < order_.size() ? in_order[positions[i]] : miss_row;
    });
  }

  [[nodiscard]] IncludedRows included_rows() const override { return stored_rows().all_included(); }
  [[nodiscard]] IncludedRows included_rows_of(std::span<const std::uint32_t> rows) const override {
    return stored_rows().included_of(rows);
  }
  [[nodiscard]] EncodedColumn column_of(std::span<const std::uint32_t> rows) const override {
    const std::vector<std::uint32_t> found = stored_rows().positions_of(rows);
    EncodedColumn some;
    some.row_count = order_.row_count();
    some.span = order_.span();
    some.keys = PackedKeys(found.size(), some.span);
    some.rows = Array<std::uint32_t>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint64_t key = order_.key(found[i]);
      if (key > some.span) fail_damaged_in_use("a key is too large");
      some.keys.set(i, key);
      some.rows[i] = order_.rows()[found[i]];
    }
    return some;
  }

  [[nodiscard]] OrderInput order_input() const override { return order_.input(); }
  [[nodiscard]] const IncludedValues& included_values(std::size_t column) const override {
    return *values_[column];
  }
  [[nodiscard]] EncodedColumn column() const override { return order_.column(); }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {
        {order_.layout() == OrderLayout::pairs ? "keys and rowIDs" : "keys", order_.bytes()}};
    LocatorBytes locator = locator_ ? locator_->bytes() : LocatorBytes{};
    for (auto& part : locator.parts) bytes.parts.push_back(std::move(part));
    std::size_t included = 0;
    for (const auto& values : values_) included += values->bytes();
    if (!values_.empty()) bytes.parts.emplace_back("included values", included);
    if (filter_) bytes.parts.emplace_back("filter", filter_->bytes());
    if (const std::size_t deleted = deleted_sets_.bytes(); deleted != 0)
      bytes.parts.emplace_back("deleted rows by position", deleted);
    if (const RowPositions* const made = own_row_positions_.if_there(); made && made->bytes() != 0)
      bytes.parts.emplace_back("positions of rows", made->bytes());
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak =
        std::max({order_.build_peak(), order_.bytes() + locator.build_peak, bytes.resident});
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    std::string text = describe_layout();
    if (locator_) text += locator_->describe();
    text += order_rule_.describe();
    for (const auto& values : values_)
      text += fmt::format("included: {} values in key order, with block sums, minima and maxima\n",
                          name_of(values->type()));
    return text;
  }

 private:
  [[nodiscard]] StoredRows<OrderRows<Key>> stored_rows() const {
    return {order_.size(), order_.row_count(), order_.rows(), values_, own_row_positions_};
  }

  // Null where nothing is derived from the bitmap: of few keys, testing each row costs less.
  [[nodiscard]] CountedRef<DeletedSet> deleted_set(const RowBits& deleted) const {
    return order_.size() < min_derived_keys ? nullptr : deleted_sets_.of(deleted);
  }

  [[nodiscard]] PositionFinder<Key> finder() const {
    return finder({0, order_.span(), 0, static_cast<std::uint32_t>(order_.size())});
  }
  // For lookups whose lower ends are in `part`.
  [[nodiscard]] PositionFinder<Key> finder(const KeyPart& part) const {
    return {order_, locator_.get(), filter_ ? &*filter_ : nullptr, part};
  }

  [[nodiscard]] std::string describe_layout() const {
    switch (order_.layout()) {
      case OrderLayout::pairs:
        return fmt::format("layout: sorted pairs of {}-byte keys and rowIDs\n", sizeof(Key));
      case OrderLayout::keys:
        return fmt::format(
            "layout: {}-byte keys without rowIDs, because the column is sorted already\n",
            sizeof(Key));
      case OrderLayout::sequence: break;
    }
    return "layout: neither keys nor rowIDs, because the keys are a dense sequence\n";
  }

  void answer_chunk(const LookupBatch& batch, const Request& request, DeletedSet* deleted,
                    std::size_t first, std::size_t count) const {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups];
    Match found[chunk_lookups];
    batch.encode(first, count, intervals, checks);
    if (request.answered != nullptr)
      for (std::size_t i = 0; i < count; ++i)
        if (is_matched(request.answered, i)) intervals[i] = empty_interval;
    LocalCounters work(request.counters);
    const bool one_row = !batch.has_residual() && wants_first_row(request);
    finder().find(batch.kind(), one_row, intervals, count, found, work.get());
    if (batch.has_residual())
      order_.filter_residuals(batch, first, count, intervals, checks, found);
    if (request.pairs != nullptr)
      pair_matches(request, deleted, found, count, [&](std::size_t i) { return first + i; });
    else
      answer_matches(request, deleted, batch.kind(), first, found, count, work);
  }

  // The batch partitioned by key, so that lookups that need the same memory come together.
  void answer_in_order(const LookupBatch& batch, const Request& request,
                       DeletedSet* deleted) const {
    const KeyParts& parts = key_parts_.get();
    serial_for(batch.size(), max_at_once, [&](std::size_t first, std::size_t count) {
      const PartitionedBatch partitioned(batch, first, count, parts);
      const ProgressStage answering(1, 1);
      parallel_for(parts.size(), 1, [&](std::size_t part, std::size_t) {
        // Split, because most lookups may have the same key.
        const std::span<const PartitionedBatch::Item> items = partitioned.items(part);
        parallel_for(items.size(), max_items, [&](std::size_t begin, std::size_t size) {
          answer_part(batch.kind(), request, deleted, parts[part], items.subspan(begin, size));
        });
      });
    });
  }

  // Lookups whose lower ends are in `part`.
  void answer_part(QueryKind kind, const Request& request, DeletedSet* deleted, const KeyPart& part,
                   std::span<const PartitionedBatch::Item> items) const {
    ScatteredAnswers answers(request);
    LocalCounters work(request.counters);
    Interval intervals[chunk_lookups];
    std::uint32_t lookups[chunk_lookups];
    Match found[chunk_lookups];
    for (; !items.empty(); items = items.subspan(std::min(items.size(), chunk_lookups))) {
      const std::size_t count = std::min(items.size(), chunk_lookups);
      for (std::size_t i = 0; i < count; ++i) {
        intervals[i] = items[i].interval;
        lookups[i] = items[i].lookup;
      }
      finder(part).find(kind, wants_first_row(request), intervals, count, found, work.get());
      if (request.pairs != nullptr) {
        pair_matches(request, deleted, found, count, [&](std::size_t i) { return lookups[i]; });
        continue;
      }
      answers.start();
      answer_matches(answers.local(), deleted, kind, 0, found, count, work);
      answers.scatter(lookups, count);
    }
  }

  // Whether the first of equal keys, which has the smallest rowID, answers a point.
  [[nodiscard]] static bool wants_first_row(const Request& request) {
    return !request.wants_all_hits() && request.deleted.empty() && request.counters == nullptr;
  }

  // The keys by position.
  struct Keys {
    const KeyOrder<Key>* order;
    [[nodiscard]] std::uint64_t operator[](std::size_t position) const {
      return order->key(position);
    }
  };

  void answer_matches(const Request& request, DeletedSet* deleted, QueryKind kind,
                      std::size_t first, Match* found, std::size_t count,
                      LocalCounters& work) const {
    const OrderRows<Key> rows = order_.rows();
    const bool ascending = kind == QueryKind::equal || order_.layout() != OrderLayout::pairs;
    answer_valid(request.deleted, deleted, order_.size(), found, count, rows,
                 [&](const auto& valid) {
                   work.add_hits(found, count, valid);
                   answer_rows(request, first, found, count, rows, ascending, valid);
                   if (request.chunk_keys != nullptr)
                     matches::append_rows(request.order, request.row_counts + first, found, count,
                                          Keys{&order_}, valid,
                                          (*request.chunk_keys)[first / chunk_lookups]);
                   if (!request.wants_values()) return;
                   if (request.included)
                     answer_included(request, deleted, first, found, count, valid);
                   else
                     answer_values(request, first, found, count, rows, valid);
                 });
  }

  template <class LookupOf>
  void pair_matches(const Request& request, DeletedSet* deleted, Match* found, std::size_t count,
                    const LookupOf& lookup_of) const {
    const OrderRows<Key> rows = order_.rows();
    answer_valid(
        request.deleted, deleted, order_.size(), found, count, rows,
        [&](const auto& valid) { append_pairs(request, found, count, rows, valid, lookup_of); });
  }

  void answer_included(const Request& request, DeletedSet*, std::size_t first, const Match* found,
                       std::size_t count, const AllValid&) const {
    values_[request.included_column]->answer(request, first, found, count, nullptr, nullptr);
  }
  void answer_included(const Request& request, DeletedSet* deleted, std::size_t first,
                       const Match* found, std::size_t count, const ValidMatches& valid) const {
    const IncludedValues& values = *values_[request.included_column];
    const ValidAggregates* aggregates = nullptr;
    if (const DeletedPositions* const positions = valid.positions())
      aggregates = deleted->aggregates(
          request.included_column, rows_to_walk(found, count), order_.size(),
          [&](CountedRef<ValidAggregates> before, std::span<const std::uint32_t> added) {
            return values.valid_aggregates(positions->bits(), std::move(before), added);
          });
    values.answer(request, first, found, count, &valid, aggregates);
  }

  [[nodiscard]] static std::string included_part(std::size_t column) {
    return fmt::format("included{}", column);
  }

  void declare(const OrderedOptions& options) {
    size_ = order_.size();
    sorted_pairs_ = this;
    row_positions_ = &own_row_positions_;
    for (const auto& values : values_) included_.push_back({values->type(), values->has_nulls()});
    capabilities_ = {.key_order = true, .counters = options.locator.counts_work, .pairs = true};
  }

  void prepare_lookups(const OrderedOptions& options, MakeLocator<Key> make_locator) {
    if (options.locator.searches_sequences || order_.layout() != OrderLayout::sequence)
      locator_ = make_locator(order_);
    std::size_t bytes = order_.bytes();
    if (locator_)
      for (const auto& [name, size] : locator_->bytes().parts) bytes += size;
    order_rule_ = OrderRule(options.order, locator_ && options.locator.order_pays, bytes);
    if (is_small() && locator_) make_filter();
  }

  // Whether it holds so few of the rows that most lookups of an index miss it.
  [[nodiscard]] bool is_small() const { return order_.size() < order_.row_count() / small_share; }

  void make_filter() {
    filter_.emplace(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) filter_->add(mix(order_.key(i)));
  }

  [[nodiscard]] IncludedValues::RowAt row_at() const {
    return [rows = order_.rows()](std::size_t position) { return rows[position]; };
  }

  static constexpr std::size_t chunk_rows = std::size_t{1} << 15;
  static constexpr std::size_t small_share = 4;
  static constexpr std::size_t min_derived_keys = 512;
  static constexpr std::size_t part_bytes = std::size_t{1} << 18;  // a core's cache holds them
  static constexpr std::size_t max_parts = 2048;
  static constexpr std::size_t max_items = std::size_t{1} << 15;    // of a part, on one core
  static constexpr std::size_t max_at_once = std::size_t{1} << 24;  // lookups; bounds the memory

  KeyOrder<Key> order_;
  // Null for a sequence, and for what is merged at once.
  std::unique_ptr<Locator<Key>> locator_;
  OrderRule order_rule_;
  std::vector<std::unique_ptr<IncludedValues>> values_;  // included, by column
  std::optional<HashFilter<Key>> filter_;
  Lazy<RowPositions> own_row_positions_{[this] {
    if (order_.layout() != OrderLayout::pairs && order_.size() != 0)
      return RowPositions(order_.rows()[0], order_.size());
    return RowPositions(order_.size(), order_.row_count(), order_.rows());
  }};
  DeletedSets deleted_sets_{&own_row_positions_};
  // Of large batches. Made by the first that needs them: a build would read all of a mapped file.
  Lazy<KeyParts> key_parts_{[this] {
    return KeyParts([this](std::uint32_t position) { return order_.key(position); }, order_.size(),
                    order_.span(),
                    std::clamp<std::size_t>(order_.bytes() / part_bytes, 1, max_parts));
  }};
};

}  // namespace

template <class Key>
std::unique_ptr<Searcher> build_ordered_searcher(const EncodedColumn& column, const KeyCodec& codec,
                                                 std::span<const ColumnView> include,
                                                 const OrderedOptions& options,
                                                 MakeLocator<Key> make_locator) {
  return std::make_unique<OrderedSearcher<Key>>(column, codec, include, options, make_locator);
}

template <class Key>
std::unique_ptr<Searcher> load_ordered_searcher(const FileReader& file, const KeyCodec& codec,
                                                std::size_t rows, const OrderedOptions& options,
                                                MakeLocator<Key> make_locator) {
  return std::make_unique<OrderedSearcher<Key>>(file, codec, rows, options, make_locator);
}

template <class Key>
std::unique_ptr<Searcher> merged_ordered_searcher(
    KeyOrder<Key> order, std::vector<std::unique_ptr<IncludedValues>> included,
    const OrderedOptions& options, MakeLocator<Key> make_locator) {
  return std::make_unique<OrderedSearcher<Key>>(std::move(order), std::move(included), options,
                                                make_locator);
}

#define RTINDEX_INSTANTIATE(Key)                                                                 \
  template std::unique_ptr<Searcher> build_ordered_searcher(                                     \
      const EncodedColumn&, const KeyCodec&, std::span<const ColumnView>, const OrderedOptions&, \
      MakeLocator<Key>);                                                                         \
  template std::unique_ptr<Searcher> load_ordered_searcher(                                      \
      const FileReader&, const KeyCodec&, std::size_t, const OrderedOptions&, MakeLocator<Key>); \
  template std::unique_ptr<Searcher> merged_ordered_searcher(                                    \
      KeyOrder<Key>, std::vector<std::unique_ptr<IncludedValues>>, const OrderedOptions&,        \
      MakeLocator<Key>);
RTINDEX_INSTANTIATE(std::uint32_t)
RTINDEX_INSTANTIATE(std::uint64_t)
#undef RTINDEX_INSTANTIATE

}  // namespace rtindex
