#include <fmt/format.h>

#include <cstdio>

#include "cpu_peers/cpu_peers.hpp"
#include "harness/timing.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

// A column, its index and lookups on it.
struct Case {
  std::string name;
  const KeyVector* column;
  const Index* index;
  KeyVector keys;

  [[nodiscard]] std::vector<std::uint32_t> answers(Answer answer) const {
    std::vector<std::uint32_t> out(keys.size());
    run(answer, out);
    return out;
  }
  void run(Answer answer, std::vector<std::uint32_t>& out) const {
    Outputs outputs;
    (answer == Answer::any ? outputs.any : outputs.count) = out.data();
    index->answer_into(Query::equal(keys), {}, outputs);
  }
};

// Every `any` names a row that holds the key; every `count` is what a binary search counts.
void check(const Case& test) {
  const std::vector<std::uint32_t> any = test.answers(Answer::any);
  for (std::size_t i = 0; i < any.size(); ++i)
    if (any[i] >= test.column->size() || (*test.column)[any[i]] != test.keys[i])
      wrong_answers(test.index->spec().text(), test.name + ", any");
  std::vector<std::uint32_t> counts(test.keys.size());
  SortedPeer(*test.column).counts(test.keys, test.keys, counts);
  if (test.answers(Answer::count) != counts)
    wrong_answers(test.index->spec().text(), test.name + ", count");
}

}  // namespace

void skew(PeerRecords& records, int keys_log2, int lookups_log2) {
  const std::size_t size = std::size_t{1} << keys_log2;
  const std::size_t lookups = std::size_t{1} << lookups_log2;
  const KeyVector uniform = random_column(keys_log2);
  const KeyVector crowded = clustered(size, 0.9, 0.01, 5);
  const KeyVector equal(size, 42);
  const Index uniform_index = build(uniform, "rx:native");
  const Index crowded_index = build(crowded, "rx:native");
  const Index equal_index = build(equal, "rx:native");
  const auto drawn = [&](const KeyVector& column) {
    return drawn_from<std::uint64_t>(column, lookups, 6);
  };
  std::vector<Case> cases = {
      {"uniform keys and lookups", &uniform, &uniform_index, drawn(uniform)},
      {"clustered keys (90% in 1%)", &crowded, &crowded_index, drawn(crowded)},
      {"all keys equal", &equal, &equal_index, drawn(equal)}};
  for (const double exponent : {0.5, 1.0, 1.5, 2.0})
    cases.push_back({fmt::format("Zipf {} lookups", exponent), &uniform, &uniform_index,
                     zipf_from<std::uint64_t>(uniform, lookups, exponent, 8)});

  fmt::print("skew, 2^{} 64-bit keys, points; speed as a share of the uniform case\n", keys_log2);
  for (const Case& test : cases) check(test);
  for (const Answer answer : {Answer::any, Answer::count}) {
    std::vector<std::uint32_t> out(lookups);
    std::vector<std::function<void()>> runs;
    runs.reserve(cases.size());
    for (const Case& test : cases) runs.emplace_back([&] { test.run(answer, out); });
    const std::vector<Times> times = race(runs);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const double share = times[0].median() / times[i].median();
      fmt::print("  {:6} {:37} {:9.2f} Ml/s {:8.2f}x\n", name_of(answer), cases[i].name,
                 static_cast<double>(lookups) / times[i].median() / 1e3, share);
      const nlohmann::json workload = {{"question", cases[i].name},
                                       {"keys_log2", keys_log2},
                                       {"lookups", lookups},
                                       {"answer", name_of(answer)}};
      records.add(cases[i].index->spec().text(), workload, "lookup_ms", times[i].median(),
                  times[i].runs);
      records.add(cases[i].index->spec().text(), workload, "share_of_uniform", share);
    }
  }
  fmt::print("\n");
  std::fflush(stdout);
  skewed_columns(records, keys_log2, lookups_log2);
}

}  // namespace rtindex::bench
