#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "answers/included.hpp"
#include "answers/live_matches.hpp"
#include "answers/matches.hpp"
#include "base/parallel.hpp"
#include "execution/backend.hpp"
#include "execution/batch_order.hpp"
#include "storage/hash_filter.hpp"
#include "storage/key_order.hpp"
#include "storage/merge_orders.hpp"
#include "storage/structure.hpp"

namespace rtindex {

// The choices of every structure over sorted pairs.
struct OrderedOptions {
  Order order = Order::automatic;
  const ColumnView* include = nullptr;  // values to keep in key order, one per element
};

// The memory of a locator, beyond the keys and rowIDs in key order.
struct LocatorBytes {
  std::vector<std::pair<std::string, std::size_t>> parts;  // by name
  std::size_t build_peak = 0;                              // at most while it was built
};

// A structure whose column can be merged with others in key order.
class HasKeyOrder {
 public:
  [[nodiscard]] virtual OrderInput order_input() const = 0;
  // Included values, or null; `dead` is to be set.
  [[nodiscard]] virtual IncludedValues::Part included_part() const = 0;

 protected:
  ~HasKeyOrder() = default;
};

// A structure over sorted pairs. Its Locator finds, for a block of keys at a time, the position of
// the first pair whose key is not less; all else (ranges, duplicates, answers) follows from that
// and is written here once.
//
//   Locator(const KeyOrder<Key>&, const Settings&...)
//   Locator(const FileReader&, const KeyOrder<Key>&, const Settings&...); void save(FileWriter)
//   void lower_bounds(const KeyOrder<Key>&, const Key* keys, std::size_t count, std::uint32_t* at)
//   LocatorBytes bytes(); std::string describe()
//
// A locator that counts its work takes a Counters* as well, null where nothing is counted.
template <class Key, class Locator>
class OrderedStructure final : public Structure, public HasKeyOrder {
 public:
  // Over a column that was merged from others.
  template <class... Settings>
  OrderedStructure(KeyOrder<Key> order, std::unique_ptr<IncludedValues> included,
                   const OrderedOptions& options, const Settings&... settings)
      : order_(std::move(order)), choice_(options.order), included_(std::move(included)) {
    prepare_lookups(settings...);
  }
  template <class... Settings>
  OrderedStructure(const EncodedColumn& column, const KeyCodec& codec,
                   const OrderedOptions& options, const Settings&... settings)
      : order_(column, codec), choice_(options.order) {
    if (options.include != nullptr)
      included_ = IncludedValues::make(*options.include, order_.size(), row_at(), codec.rows());
    if (!column.only_merged) prepare_lookups(settings...);
  }
  template <class... Settings>
  OrderedStructure(const FileReader& file, const KeyCodec& codec, std::size_t rows,
                   const OrderedOptions& options, const Settings&... settings)
      : order_(file.part("order"), rows, codec.span()), choice_(options.order) {
    locator_.emplace(file.part("locator"), order_, settings...);
    if (file.has("included.type"))
      included_ = IncludedValues::from_file(file.part("included"), order_.size(), rows);
    if (is_small()) make_filter();
  }

  void save(FileWriter file) const override {
    order_.save(file.part("order"));
    locator_->save(file.part("locator"));
    if (included_) included_->save(file.part("included"));
  }

  void run(const LookupBatch& batch, const Request& request) const override {
    // rowIDs are collected in the order of the batch; full keys are compared with the batch itself.
    const bool can_reorder = !batch.has_residual() && !request.answers.has(Answer::rows) &&
                             batch.size() <= miss_row && choice_.may_order(batch.size()) &&
                             (choice_.order() != Order::automatic || !is_sorted(batch));
    const bool in_order = can_reorder && choice_.in_order(batch.size(), batch.kind());
    const std::shared_ptr<DeadSet> dead = dead_sets_.of(request.dead);
    const auto start = std::chrono::steady_clock::now();
    if (in_order)
      run_in_order(batch, request, dead.get());
    else
      parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
        run_chunk(batch, request, dead.get(), first, count);
      });
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    if (can_reorder) choice_.measured(batch.size(), batch.kind(), in_order, time.count());
  }

  [[nodiscard]] bool counts_work() const override { return locator_counts; }

  [[nodiscard]] bool keeps_order() const override { return true; }

  void find_edges(const LookupBatch& batch, Edge edge, const RowBits& dead, std::uint32_t* rows,
                  std::uint64_t* keys, Counters* counters) const override {
    const std::shared_ptr<DeadSet> set = dead_sets_.of(dead);
    parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      Match found[chunk_lookups];
      batch.encode(first, count, intervals, checks);
      Work work(counters);
      if (batch.has_residual()) {
        find_ranges(intervals, count, found, work.get());
        order_.filter_residuals(batch, first, count, intervals, checks, found);
      } else {
        find_one_end(edge, intervals, count, found, work.get());
      }
      take_edges(edge, intervals, found, count, dead, set.get(), rows + first, keys + first);
    });
  }

  void select(const KeyCodec&, std::span<const std::uint64_t> places,
              std::uint32_t* rows) const override {
    const PairRows<Key> in_order = order_.rows();
    parallel_for(places.size(), chunk_rows, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        rows[i] = places[i] < order_.size() ? in_order[places[i]] : miss_row;
    });
  }

  [[nodiscard]] std::optional<Type> included() const override {
    if (!included_) return std::nullopt;
    return included_->type();
  }
  [[nodiscard]] IncludedRows included_rows() const override {
    // Entries of the included values, as in_row_order sorts keys.
    const Array<std::uint32_t> outside = included_->outside_rows(row_at());
    const std::size_t entries = order_.size() + outside.size();
    const EncodedColumn sorted =
        in_row_order(entries, order_.row_count(), entries == 0 ? 0 : entries - 1, [&](auto&& take) {
          parallel_for(entries, chunk_rows, [&](std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i)
              take(i < order_.size() ? order_.rows()[i] : outside[i - order_.size()], i);
          });
        });
    IncludedRows all{Array<std::uint32_t>(entries),
                     included_->values_of({sorted.keys.narrow_data(), entries})};
    for (std::size_t i = 0; i < entries; ++i) all.rows[i] = sorted.row(i);
    return all;
  }

  [[nodiscard]] std::size_t size() const override { return order_.size(); }
  [[nodiscard]] OrderInput order_input() const override { return order_.input(); }
  [[nodiscard]] IncludedValues::Part included_part() const override {
    return {included_.get(), row_at(), {}};
  }
  [[nodiscard]] EncodedColumn column() const override { return order_.column(); }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"keys and rowIDs", order_.bytes()}};
    LocatorBytes locator = locator_->bytes();
    for (auto& part : locator.parts) bytes.parts.push_back(std::move(part));
    if (included_) bytes.parts.emplace_back("included values", included_->bytes());
    if (filter_) bytes.parts.emplace_back("filter", filter_->bytes());
    if (const std::size_t dead = dead_sets_.bytes(); dead != 0)
      bytes.parts.emplace_back("dead rows by position", dead);
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak =
        std::max({order_.build_peak(), order_.bytes() + locator.build_peak, bytes.resident});
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    std::string text = locator_->describe() + choice_.describe();
    if (included_)
      text += fmt::format("included: {} values in key order, with block sums, minima and maxima\n",
                          name_of(included_->type()));
    return text;
  }

 private:
  static constexpr bool locator_counts = requires(
      const Locator& locator, const KeyOrder<Key>& order, std::uint32_t* at, Counters* work) {
    locator.lower_bounds(order, static_cast<const Key*>(nullptr), 0, at, work);
  };

  void run_chunk(const LookupBatch& batch, const Request& request, DeadSet* dead, std::size_t first,
                 std::size_t count) const {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups];
    Match found[chunk_lookups];
    batch.encode(first, count, intervals, checks);
    if (request.answered != nullptr)
      for (std::size_t i = 0; i < count; ++i)
        if ((request.answered[i / 8] >> (i % 8) & 1) != 0) intervals[i] = empty_interval;
    Work work(request);
    find(batch.kind(), intervals, count, found, work.get());
    if (batch.has_residual())
      order_.filter_residuals(batch, first, count, intervals, checks, found);
    answer(request, dead, batch.kind(), first, found, count, work);
  }

  // The batch partitioned by key, so that lookups that need the same memory come together.
  void run_in_order(const LookupBatch& batch, const Request& request, DeadSet* dead) const {
    const std::size_t buckets =
        std::clamp<std::size_t>(order_.bytes() / bucket_bytes, 1, most_buckets);
    for (std::size_t first = 0; first < batch.size(); first += most_at_once) {
      const std::size_t count = std::min(most_at_once, batch.size() - first);
      const PartitionedBatch parts(batch, first, count, order_.span(), buckets);
      parallel_for(parts.buckets(), 1, [&](std::size_t bucket, std::size_t) {
        run_bucket(batch.kind(), request, dead, parts.bucket(bucket));
      });
    }
  }

  void run_bucket(LookupKind kind, const Request& request, DeadSet* dead,
                  std::span<const PartitionedBatch::Item> items) const {
    ScatteredAnswers answers(request);
    Work work(request);
    Interval intervals[chunk_lookups];
    std::uint32_t lookups[chunk_lookups];
    Match found[chunk_lookups];
    for (; !items.empty(); items = items.subspan(std::min(items.size(), chunk_lookups))) {
      const std::size_t count = std::min(items.size(), chunk_lookups);
      for (std::size_t i = 0; i < count; ++i) {
        intervals[i] = items[i].interval;
        lookups[i] = items[i].lookup;
      }
      find(kind, intervals, count, found, work.get());
      answers.start();
      answer(answers.local(), dead, kind, 0, found, count, work);
      answers.scatter(lookups, count);
    }
  }

  // The keys by position.
  struct Keys {
    const KeyOrder<Key>* order;
    [[nodiscard]] std::uint64_t operator[](std::size_t position) const {
      return order->key(position);
    }
  };

  // The work of some lookups, added to the request's counters in the end.
  class Work {
   public:
    explicit Work(const Request& request) : Work(request.counters) {}
    explicit Work(Counters* total) : total_(total) {}
    ~Work() {
      if (total_ != nullptr) add_work(*total_, own_);
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    // Null: nothing is counted.
    [[nodiscard]] Counters* get() { return total_ == nullptr ? nullptr : &own_; }
    template <class Live>
    void add_hits(const Match* found, std::size_t count, const Live& live) {
      if (total_ == nullptr) return;
      for (std::size_t i = 0; i < count; ++i) own_.hits += live.count(i, found[i]);
    }

   private:
    Counters* total_;
    Counters own_;
  };

  void answer(const Request& request, DeadSet* dead, LookupKind kind, std::size_t first,
              Match* found, std::size_t count, Work& work) const {
    const PairRows<Key> rows = order_.rows();
    answer_live(request.dead, dead, order_.size(), found, count, rows, [&](const auto& live) {
      work.add_hits(found, count, live);
      answer_rows(request, first, found, count, rows, kind == LookupKind::point, live);
      if (request.chunk_keys != nullptr)
        matches::append_rows(request.order, request.row_counts + first, found, count, Keys{&order_},
                             live, (*request.chunk_keys)[first / chunk_lookups]);
      if (!request.wants_values()) return;
      if (request.included)
        answer_included(request, dead, first, found, count, live);
      else
        answer_values(request, first, found, count, rows, live);
    });
  }

  void answer_included(const Request& request, DeadSet*, std::size_t first, const Match* found,
                       std::size_t count, const AllLive&) const {
    included_->answer(request, first, found, count, nullptr, nullptr);
  }
  void answer_included(const Request& request, DeadSet* dead, std::size_t first, const Match* found,
                       std::size_t count, const LiveMatches& live) const {
    const LiveAggregates* aggregates = nullptr;
    if (const DeadPositions* const positions = live.positions())
      aggregates = dead->aggregates(rows_to_walk(found, count), order_.size(),
                                    [&] { return included_->live_aggregates(positions->bits()); });
    included_->answer(request, first, found, count, &live, aggregates);
  }

  void search(const Key* keys, std::size_t count, std::uint32_t* at, Counters* work) const {
    if (count == 0) return;
    if constexpr (locator_counts)
      locator_->lower_bounds(order_, keys, count, at, work);
    else
      locator_->lower_bounds(order_, keys, count, at);
  }

  void find(LookupKind kind, const Interval* intervals, std::size_t count, Match* found,
            Counters* work) const {
    if (kind == LookupKind::point)
      find_points(intervals, count, found, work);
    else
      find_ranges(intervals, count, found, work);
  }

  void find_points(const Interval* intervals, std::size_t count, Match* found,
                   Counters* work) const {
    if (filter_)
      find_filtered_points(intervals, count, found, work);
    else
      find_all_points(intervals, count, found, work);
  }

  // Only lookups that the filter lets pass are searched for.
  void find_filtered_points(const Interval* intervals, std::size_t count, Match* found,
                            Counters* work) const {
    Interval passed[chunk_lookups];
    Match passed_found[chunk_lookups];
    std::uint32_t which[chunk_lookups];
    // Counts instead of branches, which would often be mispredicted.
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = {0, 0};
      which[wanted] = static_cast<std::uint32_t>(i);
      wanted += intervals[i].empty() ? 0 : 1;
    }
    std::size_t passing = 0;
    for (std::size_t first = 0; first < wanted; first += filtered_at_once) {
      const std::size_t end = std::min(wanted, first + filtered_at_once);
      Key hashes[filtered_at_once];
      for (std::size_t i = first; i < end; ++i) {
        hashes[i - first] = mix(static_cast<Key>(intervals[which[i]].lower));
        filter_->prefetch_near(hashes[i - first]);
      }
      for (std::size_t i = first; i < end; ++i) {
        const std::uint32_t lookup = which[i];
        passed[passing] = intervals[lookup];
        which[passing] = lookup;
        passing += filter_->may_hold(hashes[i - first]) ? 1 : 0;
      }
    }
    find_all_points(passed, passing, passed_found, work);
    for (std::size_t i = 0; i < passing; ++i) found[which[i]] = passed_found[i];
  }

  void find_all_points(const Interval* intervals, std::size_t count, Match* found,
                       Counters* work) const {
    Key keys[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = intervals[i].empty() ? Key{0} : static_cast<Key>(intervals[i].lower);
    search(keys, count, at, work);
    bool has_long_runs = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t end =
          intervals[i].empty() ? at[i] : order_.end_of_short_run(at[i], keys[i]);
      found[i] = {at[i], end};
      has_long_runs = has_long_runs || found[i].size() == KeyOrder<Key>::short_run;
    }
    if (work != nullptr)  // the comparisons that end_of_short_run made
      for (std::size_t i = 0; i < count; ++i)
        if (!intervals[i].empty() && at[i] < order_.size())
          work->tested += std::min<std::uint64_t>(found[i].size() + 1, KeyOrder<Key>::short_run);
    if (has_long_runs) find_ends(keys, count, found, work);
  }

  // The ends of long runs of duplicates, by a second search: for the first greater key.
  void find_ends(const Key* keys, std::size_t count, Match* found, Counters* work) const {
    Key greater[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    std::size_t which[chunk_lookups];
    std::size_t searches = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i].size() < KeyOrder<Key>::short_run) continue;
      if (keys[i] >= order_.last_key()) {
        found[i].end = order_.size();
        continue;
      }
      greater[searches] = static_cast<Key>(keys[i] + 1);
      which[searches++] = i;
    }
    search(greater, searches, at, work);
    for (std::size_t i = 0; i < searches; ++i)
      found[which[i]].end = std::max<std::uint64_t>(found[which[i]].end, at[i]);
  }

  void find_ranges(const Interval* intervals, std::size_t count, Match* found,
                   Counters* work) const {
    Key keys[2 * chunk_lookups];
    std::uint32_t at[2 * chunk_lookups];
    for (std::size_t i = 0; i < count; ++i) {
      const bool empty = intervals[i].empty();
      keys[2 * i] = empty ? Key{0} : static_cast<Key>(intervals[i].lower);
      // Nothing follows an upper end at the last key, and key + 1 might overflow.
      const bool open = empty || intervals[i].upper >= order_.last_key();
      keys[2 * i + 1] = open ? Key{0} : static_cast<Key>(intervals[i].upper + 1);
    }
    search(keys, 2 * count, at, work);
    for (std::size_t i = 0; i < count; ++i) {
      if (intervals[i].empty()) {
        found[i] = {0, 0};
        continue;
      }
      const std::uint64_t end =
          intervals[i].upper >= order_.last_key() ? order_.size() : at[2 * i + 1];
      found[i] = {std::min<std::uint64_t>(at[2 * i], end), end};
    }
  }

  // Ranges by the end at one edge alone, which saves a search: where the other end lies is told by
  // the keys there.
  void find_one_end(Edge edge, const Interval* intervals, std::size_t count, Match* found,
                    Counters* work) const {
    Key keys[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    const auto reaches_all = [&](const Interval& interval) {
      return interval.upper >= order_.last_key();
    };
    for (std::size_t i = 0; i < count; ++i) {
      const Interval& interval = intervals[i];
      if (edge == Edge::first)
        keys[i] = interval.empty() ? Key{0} : static_cast<Key>(interval.lower);
      else
        keys[i] = interval.empty() || reaches_all(interval) ? Key{0}
                                                            : static_cast<Key>(interval.upper + 1);
    }
    search(keys, count, at, work);
    for (std::size_t i = 0; i < count; ++i) {
      const Interval& interval = intervals[i];
      const std::uint64_t size = order_.size();
      if (interval.empty())
        found[i] = {0, 0};
      else if (edge == Edge::first)
        found[i] = {std::min<std::uint64_t>(at[i], size), size};
      else
        found[i] = {0, reaches_all(interval) ? size : at[i]};
    }
  }

  // The row at the edge of each match; it is the lookup's if its key lies in the interval.
  void take_edges(Edge edge, const Interval* intervals, const Match* found, std::size_t count,
                  const RowBits& dead, DeadSet* set, std::uint32_t* rows,
                  std::uint64_t* keys) const {
    const PairRows<Key> in_order = order_.rows();
    std::uint64_t at[chunk_lookups];
    std::size_t dead_edges = 0;
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = edge == Edge::first ? found[i].begin : found[i].end - 1;
      prefetch(in_order.address(found[i].size() == 0 ? 0 : at[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there =
          found[i].size() != 0 && intervals[i].contains(std::uint64_t{order_.key(at[i])});
      rows[i] = is_there ? in_order[at[i]] : miss_row;
      keys[i] = is_there ? order_.key(at[i]) : Key{0};
      if (is_there && dead.has(rows[i])) ++dead_edges;
    }
    if (dead_edges == 0) return;
    const DeadPositions* const positions =
        set == nullptr ? nullptr
                       : set->positions(dead_edges * few_steps, order_.size(), in_order, dead);
    for (std::size_t i = 0; i < count; ++i) {
      if (rows[i] == miss_row || !dead.has(rows[i])) continue;
      const std::uint64_t live = positions != nullptr
                                     ? live_edge(edge, found[i], positions->bits())
                                     : live_edge(edge, found[i], intervals[i], dead);
      const bool is_there = live != found[i].end && intervals[i].contains(order_.key(live));
      rows[i] = is_there ? in_order[live] : miss_row;
      keys[i] = is_there ? order_.key(live) : Key{0};
    }
  }

  // The live position that is closest to an edge; the end of the match where there is none.
  [[nodiscard]] std::uint64_t live_edge(Edge edge, const Match& match, const DeadBits& dead) const {
    return edge == Edge::first ? dead.first_live(match) : dead.last_live(match);
  }
  [[nodiscard]] std::uint64_t live_edge(Edge edge, const Match& match, const Interval& interval,
                                        const RowBits& dead) const {
    const PairRows<Key> in_order = order_.rows();
    for (std::uint64_t i = 0; i < match.size(); ++i) {
      const std::uint64_t at = edge == Edge::first ? match.begin + i : match.end - 1 - i;
      if (!interval.contains(order_.key(at))) break;
      if (!dead.has(in_order[at])) return at;
    }
    return match.end;
  }

  template <class... Settings>
  void prepare_lookups(const Settings&... settings) {
    locator_.emplace(order_, settings...);
    if (is_small()) make_filter();
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
  static constexpr std::uint64_t few_steps = 8;        // from a dead edge to a live one, about
  static constexpr std::size_t filtered_at_once = 64;  // words of the filter in flight
  static constexpr std::size_t bucket_bytes = std::size_t{1}
                                              << 18;  // about what a core's cache holds
  static constexpr std::size_t most_buckets = 2048;
  static constexpr std::size_t most_at_once = std::size_t{1} << 24;  // lookups; bounds the memory

  KeyOrder<Key> order_;
  std::optional<Locator> locator_;  // none in a structure that is only merged
  OrderChoice choice_;
  std::unique_ptr<IncludedValues> included_;
  std::optional<HashFilter<Key>> filter_;
  DeadSets dead_sets_;
};

// The structure with 4-byte keys where they fit, else with 8-byte keys. `settings` are the
// locator's.
template <template <class> class Locator, class... Settings>
[[nodiscard]] std::unique_ptr<Structure> make_ordered(const EncodedColumn& column,
                                                      const KeyCodec& codec,
                                                      const OrderedOptions& options,
                                                      const Settings&... settings) {
  return with_key_type(is_wide(column.span), [&](auto key) -> std::unique_ptr<Structure> {
    using Key = decltype(key);
    return std::make_unique<OrderedStructure<Key, Locator<Key>>>(column, codec, options,
                                                                 settings...);
  });
}

// The same structure as it was saved.
template <template <class> class Locator, class... Settings>
[[nodiscard]] std::unique_ptr<Structure> load_ordered(const FileReader& file, const KeyCodec& codec,
                                                      std::size_t rows,
                                                      const OrderedOptions& options,
                                                      const Settings&... settings) {
  return with_key_type(is_wide(codec.span()), [&](auto key) -> std::unique_ptr<Structure> {
    using Key = decltype(key);
    return std::make_unique<OrderedStructure<Key, Locator<Key>>>(file, codec, rows, options,
                                                                 settings...);
  });
}

// The order and the included values that a complete spec and its build ask for.
[[nodiscard]] inline OrderedOptions ordered_options(const Spec& spec,
                                                    const BuildOptions& options = {}) {
  return {order_of(spec), options.include.given() ? &options.include : nullptr};
}

// One structure in place of several neighbouring ones, without their dead rows; none where they
// must be taken apart: only native keys are ordered alike in every segment.
struct OrderedMerge {
  std::vector<OrderInput> inputs;
  std::vector<IncludedValues::Part> included;  // empty where there are none
  std::shared_ptr<KeyCodec> codec;
};
[[nodiscard]] std::optional<OrderedMerge> plan_merge(std::span<const Segment> segments);

template <template <class> class Locator, class... Settings>
[[nodiscard]] std::optional<Segment> merge_ordered(std::span<const Segment> segments,
                                                   std::size_t row_count,
                                                   const OrderedOptions& options,
                                                   const Settings&... settings) {
  std::optional<OrderedMerge> plan = plan_merge(segments);
  if (!plan) return std::nullopt;
  const std::uint64_t span = plan->codec->span();
  Segment merged;
  merged.structure = with_key_type(is_wide(span), [&](auto key) -> std::shared_ptr<Structure> {
    using Key = decltype(key);
    const bool has_values = !plan->included.empty();
    MergedOrders<Key> orders = merge_orders<Key>(plan->inputs, KeyOrder<Key>::padding, has_values);
    std::unique_ptr<IncludedValues> included;
    if (has_values)
      included = IncludedValues::merged(plan->included,
                                        std::as_const(orders.sources).span().first(orders.size));
    return std::make_shared<OrderedStructure<Key, Locator<Key>>>(
        KeyOrder<Key>(std::move(orders), row_count, span), std::move(included), options,
        settings...);
  });
  merged.codec = std::move(plan->codec);
  return merged;
}

// The backend of structures over sorted pairs on the CPU.
template <template <class> class Locator>
class OrderedBackend final : public Backend {
 public:
  OrderedBackend(std::string kind, std::string tracer, std::string description)
      : Backend(std::move(kind), std::move(tracer), "cpu"), description_(std::move(description)) {}

  [[nodiscard]] std::string describe() const override { return description_; }

  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText&,
                                                 const BuildOptions& options) const override {
    return make_ordered<Locator>(column, codec, ordered_options(spec, options));
  }

  [[nodiscard]] Segment merge(const Spec& spec, std::span<const Segment> segments,
                              std::size_t row_count, bool is_all) const override {
    if (auto merged = merge_ordered<Locator>(segments, row_count, ordered_options(spec)))
      return *std::move(merged);
    return Backend::merge(spec, segments, row_count, is_all);
  }

  [[nodiscard]] std::size_t default_delta() const override { return std::size_t{1} << 20; }

  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>&) const override {
    return {load_ordered<Locator>(file, codec, rows, ordered_options(spec)), false};
  }

 private:
  std::string description_;
};

}  // namespace rtindex
