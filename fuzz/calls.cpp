// Sequences of calls, compared with a full scan of a plain table (tests/support): build, lookups,
// ranges, joins, neighbours, changes valid and invalid, merges, snapshots, save and load.

#include <fmt/format.h>

#include <array>
#include <deque>

#include <rtindex/rtindex.hpp>

#include "fuzz/support/keys.hpp"
#include "support/changing_index.hpp"
#include "support/join_oracle.hpp"
#include "support/order_oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex {

namespace {

constexpr std::array specs = {"rx:native@cpu",
                              "rx:native@cpu,delta=0",
                              "rx:native@cpu,delta=8,order=on",
                              "sorted@cpu",
                              "sorted@cpu,delta=8",
                              "btree@cpu",
                              "btree@cpu,delta=0",
                              "hash@cpu",
                              "hash@cpu,delta=8",
                              "rx:embree@cpu,bucket=3",
                              "rx:embree@cpu,bucket=1,delta=8",
                              "rx:embree@cpu,primitive=aabb"};

using test::ChangingIndex;
using test::Key;

class Session {
 public:
  Session(fuzz::Input& input, const std::string& spec)
      : input_(input), shape_(input.pick(fuzz::shapes())) {
    const ChangingIndex::Options options = {.seed = input.read<std::uint8_t>(),
                                            .include = test::includes_values(spec) && input.flag()};
    tables_.emplace_back(test::TestColumn(shape_, fuzz::keys_from(input, shape_, 24)), spec,
                         options);
  }

  void run() {
    for (int calls = 0; calls < 16 && !input_.at_end(); ++calls) call();
    // Each runs hundreds of lookups, which is slower than all calls before.
    const std::size_t choice = input_.below(16);
    if (choice == 1) check(tables_.back().difference(), "at the end");
    if (choice == 2 && tables_.size() > 1) check(tables_.front().difference(), "in a snapshot");
    if (choice == 3) query_order();
  }

 private:
  [[nodiscard]] ChangingIndex& table() { return tables_.back(); }
  [[nodiscard]] const Index& index() { return table().index(); }

  void check(const std::string& difference, const char* what) {
    if (!difference.empty())
      fuzz::require(false, fmt::format("{} {}: {}", index().spec().text(), what, difference));
  }

  void call() {
    switch (input_.below(20)) {
      case 0:
      case 1:
      case 2: return query(test::points({shape_, keys()}));
      case 3:
      case 4: return query_range();
      case 5: return join();
      case 6:
      case 7: return table().insert(keys(), shape_);
      case 8: return table().erase(rows());
      case 9: return table().erase_keys(keys(), shape_);
      case 10:
      case 11: return update();
      case 12: return table().merge();
      case 13: return snapshot();
      case 14: return save_and_load();
      case 15: return rejected();
      case 16: return join_range();
      case 17: return join_asof();
      default: return query_nearest();
    }
  }

  [[nodiscard]] std::vector<Key> keys() { return fuzz::keys_from(input_, shape_, 12); }

  // Distinct rows for a change.
  [[nodiscard]] std::vector<std::uint32_t> rows() {
    std::vector<std::uint32_t> all = table().rows_not_erased();
    const std::size_t size = std::min<std::size_t>(input_.below(9), all.size());
    for (std::size_t i = 0; i < size; ++i) std::swap(all[i], all[i + input_.below(all.size() - i)]);
    all.resize(size);
    return all;
  }

  void query(const test::Batch& batch) {
    const AnswerOptions& options = input_.pick(test::every_options());
    if (!test::supports(index(), options.answers, batch.kind)) return;
    test::Random random(input_.read<std::uint8_t>());
    const test::TestColumn values =
        test::values_of(random.pick(test::value_types()), table().keys().size(), random);
    const test::Matches matches = test::scan(table().keys(), batch);
    check(input_.flag() ? test::check_call(index(), batch, matches, options, values)
                        : test::check_call_into(index(), batch, matches, options, values),
          batch.kind == QueryKind::equal ? "in a lookup" : "in a range");
  }

  [[nodiscard]] std::pair<test::TestColumn, test::TestColumn> ends() {
    const std::vector<Key> lower = keys();
    std::vector<Key> upper = lower;
    for (Key& key : upper) key = fuzz::key_from(input_, shape_);
    return {{shape_, lower}, {shape_, upper}};
  }

  void query_range() {
    const auto [lower, upper] = ends();
    query(test::ranges(lower, upper));
  }

  // A join as a whole or in batches: in_parts(how, max_pairs, callback).
  template <class Whole, class InParts>
  void check_join(const test::Matches& matches, Whole&& whole, InParts&& in_parts,
                  const char* what) {
    const JoinKind how =
        input_.pick(std::array{JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti});
    const std::size_t max_pairs = input_.below(8);
    JoinedRows joined;
    if (max_pairs == 0) {
      joined = whole(how);
    } else {
      in_parts(how, max_pairs, [&](const JoinedRows& part) {
        if (part.lookups.size() > max_pairs) check("a part is too large", what);
        joined.lookups.insert(joined.lookups.end(), part.lookups.begin(), part.lookups.end());
        joined.rows.insert(joined.rows.end(), part.rows.begin(), part.rows.end());
      });
    }
    check(test::join_difference(joined, matches, how), what);
  }

  void join() {
    const test::TestColumn column(shape_, keys());
    const ColumnView view = column.view();
    check_join(
        test::scan(table().keys(), test::points(column)),
        [&](JoinKind how) { return index().join(Query::equal(view), how); },
        [&](JoinKind how, std::size_t max_pairs, const JoinCallback& callback) {
          index().join_batches(Query::equal(view), how, max_pairs, callback);
        },
        "in a join");
  }

  void join_range() {
    const auto [lower, upper] = ends();
    if (!test::supports(index(), Answer::rows, QueryKind::range)) return;
    const ColumnView from = lower.view();
    const ColumnView to = upper.view();
    check_join(
        test::scan(table().keys(), test::ranges(lower, upper)),
        [&](JoinKind how) { return index().join(Query::range(from, to), how); },
        [&](JoinKind how, std::size_t max_pairs, const JoinCallback& callback) {
          index().join_batches(Query::range(from, to), how, max_pairs, callback);
        },
        "in a range join");
  }

  void join_asof() {
    if (!test::keeps_order(index())) return;
    const test::TestColumn column(shape_, keys());
    const ColumnView view = column.view();
    const NearestOptions nearest = neighbour_options();
    test::Matches matches(column.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const std::uint32_t row = neighbour(column.keys()[i], nearest);
      if (row != miss_row) matches[i].push_back(row);
    }
    check_join(
        matches, [&](JoinKind how) { return index().join(Query::nearest(view, nearest), how); },
        [&](JoinKind how, std::size_t max_pairs, const JoinCallback& callback) {
          index().join_batches(Query::nearest(view, nearest), how, max_pairs, callback);
        },
        "in an as-of join");
  }

  // The row of the neighbour by a scan: the last one of the greatest key, or the first one of the
  // smallest.
  [[nodiscard]] std::uint32_t neighbour(const Key& of, const NearestOptions& how) {
    const bool backward = how.direction == Direction::backward;
    const std::vector<Key>& all = table().keys();
    std::uint32_t best = miss_row;
    for (std::uint32_t row = 0; row < all.size() && !test::is_null(of); ++row) {
      if (test::is_null(all[row])) continue;
      const Key others(of.begin(), of.end() - 1);
      if (!std::equal(others.begin(), others.end(), all[row].begin(),
                      [](const auto& a, const auto& b) { return test::compare(a, b) == 0; }))
        continue;
      const int order = test::compare(all[row], of);
      if (order == 0 ? !how.exact : (order < 0) != backward) continue;
      const int against = best == miss_row ? 0 : test::compare(all[row], all[best]);
      if (best == miss_row || (backward ? against >= 0 : against < 0)) best = row;
    }
    return best;
  }

  [[nodiscard]] NearestOptions neighbour_options() {
    const bool is_forward = input_.flag();
    return {.direction = is_forward ? Direction::forward : Direction::backward,
            .exact = input_.flag()};
  }

  void query_nearest() {
    if (!test::keeps_order(index())) return;
    const test::TestColumn column(shape_, keys());
    const NearestOptions how = neighbour_options();
    const Answers answers = index().nearest(column.view(), how);
    for (std::size_t i = 0; i < column.size(); ++i)
      check(answers.any()[i] == neighbour(column.keys()[i], how)
                ? ""
                : fmt::format("neighbour {} of {}", answers.any()[i],
                              test::text_of(column.keys()[i])),
            "in a batch of neighbours");
  }

  void update() {
    const std::vector<std::uint32_t> some = rows();
    std::vector<Key> new_keys(some.size());
    for (Key& key : new_keys) key = fuzz::key_from(input_, shape_);
    table().update(some, new_keys, shape_);
  }

  // Both are used further; an older one may be compared again at the end.
  void snapshot() {
    if (tables_.size() > 2) tables_.pop_front();
    ChangingIndex now = table().snapshot();
    tables_.push_back(std::move(now));
  }

  void save_and_load() {
    const Verify verify = input_.flag() ? Verify::full : Verify::quick;
    ChangingIndex loaded = table().over(deserialize(index().serialize(), {.verify = verify}));
    tables_.pop_back();
    tables_.push_back(std::move(loaded));
  }

  // Rows that do not exist, are erased or are listed twice: an Error, and nothing changes.
  void rejected() {
    std::vector<std::uint32_t> named = rows();
    const auto size = static_cast<std::uint32_t>(index().size());
    const std::vector<std::uint32_t> fine = table().rows_not_erased();
    const std::size_t choice = input_.below(3);
    if (choice == 0) named.push_back(size + input_.read<std::uint8_t>());
    if (choice == 1 && !named.empty()) named.push_back(named.front());
    if (choice == 2)
      for (std::uint32_t row = 0; row < size; ++row)
        if (!std::binary_search(fine.begin(), fine.end(), row)) named.push_back(row);
    std::vector<std::uint32_t> sorted = named;
    std::sort(sorted.begin(), sorted.end());
    // A row that is listed twice is included only once.
    if (std::includes(fine.begin(), fine.end(), sorted.begin(), sorted.end())) return;
    const auto kind = test::error_of([&] { table().index().erase(named); });
    fuzz::require(kind.has_value(), "invalid rows were erased");
  }

  void query_order() {
    if (!test::keeps_order(index())) return;
    test::Random random(input_.read<std::uint8_t>());
    check(test::order_difference(index(), table().keys(), shape_, random), "in an order");
  }

  fuzz::Input& input_;
  test::Shape shape_;
  std::deque<ChangingIndex> tables_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  Session(input, input.pick(specs)).run();
  return 0;
}

}  // namespace rtindex
