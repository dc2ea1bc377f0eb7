// Sequences of calls on a column of intervals, compared with a full scan (tests/support): every
// kind of query, the closest intervals, changes valid and invalid, merges, save and load.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "fuzz/support/input.hpp"
#include "support/join_oracle.hpp"
#include "support/nearest_intervals.hpp"

namespace rtindex {

namespace {

constexpr std::array specs = {
    "rx:native@cpu",     "rx:native@cpu,delta=0", "rx:native@cpu,delta=8",         "sorted@cpu",
    "btree@cpu,delta=8", "rx:embree@cpu",         "rx:embree@cpu,bucket=3,delta=8"};

using test::IntervalTable;
using test::Key;

class IntervalSession {
 public:
  IntervalSession(fuzz::Input& input, const std::string& spec)
      : input_(input),
        random_(input.read<std::uint16_t>()),
        table_(test::random_table(input.pick(all_values()), input.pick(all_leading()),
                                  test::every_ends[input.below(4)], input.below(40), random_)),
        index_(build_index(spec)) {}

  void run() {
    for (int calls = 0; calls < 16 && !input_.at_end(); ++calls) call();
  }

 private:
  [[nodiscard]] static const std::vector<test::PointValues>& all_values() {
    static const std::vector<test::PointValues> values = test::every_values();
    return values;
  }
  [[nodiscard]] static const std::vector<test::LeadingValues>& all_leading() {
    static const std::vector<test::LeadingValues> leading = test::every_leading();
    return leading;
  }
  [[nodiscard]] Index build_index(const std::string& spec) const {
    const test::TestColumn column = table_.column(table_.rows);
    return build(IntervalTable::view(column, table_.ends), spec);
  }

  void call() {
    switch (input_.below(10)) {
      case 0: return insert();
      case 1: return erase();
      case 2: return update();
      case 3: return index_.merge();
      case 4: index_ = deserialize(index_.serialize()); return;
      case 5: return rejected();
      case 6:
      case 7: return query_nearest();
      default: return query();
    }
  }

  [[nodiscard]] std::vector<Key> new_intervals(std::size_t size) {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < size; ++i)
      keys.push_back(test::random_interval(*table_.values, *table_.leading, random_));
    return keys;
  }
  [[nodiscard]] std::vector<std::uint32_t> rows() {
    std::vector<std::uint32_t> valid;
    for (std::uint32_t row = 0; row < table_.rows.size(); ++row)
      if (!table_.erased[row]) valid.push_back(row);
    random_.shuffle(valid);
    valid.resize(std::min<std::size_t>(valid.size(), input_.below(8)));
    return valid;
  }

  void insert() {
    const std::vector<Key> keys = new_intervals(input_.below(8));
    const test::TestColumn column = table_.column(keys);
    index_.insert(IntervalTable::view(column, table_.ends));
    table_.rows.insert(table_.rows.end(), keys.begin(), keys.end());
    table_.erased.resize(table_.rows.size(), false);
  }
  void erase() {
    const std::vector<std::uint32_t> some = rows();
    index_.erase(some);
    for (const std::uint32_t row : some) table_.erased[row] = true;
  }
  void update() {
    const std::vector<std::uint32_t> some = rows();
    const std::vector<Key> keys = new_intervals(some.size());
    const test::TestColumn column = table_.column(keys);
    index_.update(some, IntervalTable::view(column, table_.ends));
    for (std::size_t i = 0; i < some.size(); ++i) table_.rows[some[i]] = keys[i];
  }

  // An interval that ends before it starts: an Error, and nothing changes.
  void rejected() {
    Key key = input_.pick(table_.leading->values);
    key.push_back(table_.values->values.back());
    key.push_back(table_.values->values.front());
    const test::TestColumn column = table_.column({key});
    const std::vector<std::byte> before = index_.serialize();
    bool is_rejected = false;
    try {
      index_.insert(IntervalTable::view(column, table_.ends));
    } catch (const Error&) {
      is_rejected = true;
    }
    fuzz::require(is_rejected, "an interval that ends before it starts was inserted");
    fuzz::require(index_.serialize() == before, "an insert that failed has changed the index");
  }

  void query() {
    const auto [kind, ends] = input_.pick(test::every_interval_query());
    const test::IntervalBatch batch = test::random_batch(table_, kind, ends, 8, random_);
    check(batch.query(), test::scan(table_, batch), std::string(name_of(kind)));
  }

  void query_nearest() {
    if (!index_.supports(Answer::any, QueryKind::nearest)) return;
    const NearestOptions how = input_.pick(test::every_nearest(table_));
    const test::NearestBatch batch = test::random_nearest(table_, how, 8, random_);
    check(batch.query(), test::scan(table_, batch),
          "nearest " + std::string(name_of(how.direction)));
  }

  void check(const Query& query, const test::Matches& matches, const std::string& what) {
    const JoinKind how =
        input_.pick(std::array{JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti});
    const std::string difference = test::join_difference(index_.join(query, how), matches, how);
    const std::string shown =
        fmt::format("{} of intervals {} in {}", what, name_of(table_.ends), index_.spec().text());
    fuzz::require(difference.empty(), fmt::format("{}: {}", shown, difference));
    const Answers found = index_.answer(query, {.answers = Answer::count | Answer::first});
    const Answers counted = index_.answer(query, {.answers = Answer::count});
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const std::uint32_t first =
          matches[i].empty() ? miss_row : *std::min_element(matches[i].begin(), matches[i].end());
      fuzz::require(found.count()[i] == matches[i].size() &&
                        counted.count()[i] == matches[i].size() && found.first()[i] == first,
                    fmt::format("{}: wrong answers to query {}", shown, i));
    }
  }

  fuzz::Input& input_;
  test::Random random_;
  IntervalTable table_;
  Index index_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  IntervalSession(input, input.pick(specs)).run();
  return 0;
}

}  // namespace rtindex
