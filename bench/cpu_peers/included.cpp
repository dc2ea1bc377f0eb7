#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cpu_peers/cpu_peers.hpp"
#include "harness/timing.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t scan_lookups = std::size_t{1} << 10;

// The expected sums: differences of sums over the sorted column.
Sums true_sums(const KeyVector& column, const Words& values, const Ranges& ranges) {
  std::vector<std::uint32_t> rows(column.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::sort(rows.begin(), rows.end(),
            [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
  KeyVector keys;
  Sums before = {0};
  for (const std::uint32_t row : rows) {
    keys.push_back(column[row]);
    before.push_back(before.back() + values[row]);
  }
  Sums sums;
  for (std::size_t i = 0; i < ranges.lower.size(); ++i) {
    const auto begin = std::lower_bound(keys.begin(), keys.end(), ranges.lower[i]) - keys.begin();
    const auto end = std::upper_bound(keys.begin(), keys.end(), ranges.upper[i]) - keys.begin();
    sums.push_back(before[static_cast<std::size_t>(end)] - before[static_cast<std::size_t>(begin)]);
  }
  return sums;
}

Ranges first_of(const Ranges& ranges, std::size_t count) {
  const auto end = static_cast<std::ptrdiff_t>(std::min(count, ranges.lower.size()));
  return {{ranges.lower.begin(), ranges.lower.begin() + end},
          {ranges.upper.begin(), ranges.upper.begin() + end}};
}

}  // namespace

// The scan answers fewer lookups, or it would take hours; times are compared per lookup.
void included(PeerRecords& records, int keys_log2, int lookups_log2) {
  const KeyVector column = random_column(keys_log2);
  const Words values = values_for(column.size());
  KeyVector sorted_keys = column;
  std::sort(sorted_keys.begin(), sorted_keys.end());
  const std::size_t hits = std::min<std::size_t>(std::size_t{1} << 16, column.size() / 4);
  const Ranges all = Ranges::with_hits(sorted_keys, hits, std::size_t{1} << lookups_log2);
  const Ranges few = first_of(all, scan_lookups);
  const Sums expected = true_sums(column, values, all);

  const SortedPeer lower_bound(column);
  const Index plain = build(column, "rx:native");
  const Index including = build(column, "rx:native", {.include = values});
  struct Entry {
    Competitor competitor;
    Sums answers;
  };
  std::vector<Entry> entries = {
      {{"std::lower_bound and scan",
        [&](Sums& sums) { lower_bound.ranges(few.lower, few.upper, values, sums); }},
       Sums(few.lower.size())},
      {ranges_of(plain, few, values), Sums(few.lower.size())},
      {{including.spec().text() + ", values included",
        [&](Sums& sums) {
          including.answer_into(Query::range(all.lower, all.upper), {}, {.sum = sums.data()});
        }},
       Sums(all.lower.size())}};
  std::vector<std::function<void()>> runs;
  runs.reserve(entries.size());
  for (Entry& entry : entries) runs.emplace_back([&] { entry.competitor.run(entry.answers); });
  const std::vector<Times> times = race(runs);

  const std::string question =
      fmt::format("ranges of {} hits, 2^{} random 64-bit keys, sum", hits, keys_log2);
  fmt::print("{}\n", question);
  double slowest = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [competitor, answers] = entries[i];
    if (!std::equal(answers.begin(), answers.end(), expected.begin()))
      wrong_answers(competitor.name, question);
    const double each = times[i].median() * 1e6 / static_cast<double>(answers.size());
    if (i == 0) slowest = each;
    fmt::print("  {:44} {:12.1f} ns a lookup {:10.1f}x\n", competitor.name, each, slowest / each);
    records.add(competitor.name,
                {{"question", question},
                 {"keys_log2", keys_log2},
                 {"keys", "uniform uint64"},
                 {"hits", hits},
                 {"lookups", answers.size()}},
                "lookup_ms", times[i].median(), times[i].runs);
  }
  fmt::print("\n");
}

}  // namespace rtindex::bench
