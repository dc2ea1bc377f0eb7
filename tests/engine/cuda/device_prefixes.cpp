// Prefixes in host and device memory on a GPU, with answers and joins into either, against a scan
// of the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/checker.hpp"
#include "support/cuda/answer_calls.hpp"
#include "support/cuda/buffer.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/join_calls.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// Beginnings of keys, what no key begins with, bytes that have no successor, and nulls.
std::vector<Key> prefixes_for(const std::vector<Key>& table, std::size_t size, Random& random) {
  std::size_t longest = 0;
  std::vector<std::string> texts = {""};
  for (const Key& key : table)
    if (!is_null(key)) {
      texts.push_back(std::get<std::string>(key.front()));
      longest = std::max(longest, texts.back().size());
    }
  const std::string longest_text = *std::max_element(
      texts.begin(), texts.end(),
      [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  std::vector<Key> prefixes = {{std::string()},
                               {std::string("\xff")},
                               {std::string(9, '\xff')},
                               {std::string("\xff\xff\x7f\xff")},
                               {longest_text},
                               {longest_text + "a"},
                               {std::string(longest + 1, '\xff')},
                               {std::string("no key begins so")},
                               {std::monostate{}}};
  while (prefixes.size() < size) {
    std::string text = random.pick(texts);
    if (random.one_in(8))
      text += '\0';
    else
      text.resize(random.below(text.size() + 1));
    prefixes.push_back({text});
  }
  return prefixes;
}

Matches scan_for_prefixes(const std::vector<Key>& table, const std::vector<Key>& prefixes) {
  Matches matches(prefixes.size());
  for (std::uint32_t row = 0; row < table.size(); ++row)
    for (std::size_t i = 0; i < prefixes.size(); ++i)
      if (!is_null(table[row]) && !is_null(prefixes[i]) &&
          std::get<std::string>(table[row].front())
              .starts_with(std::get<std::string>(prefixes[i].front())))
        matches[i].push_back(row);
  return matches;
}

// All answers into either memory, with values in either, and as a result.
void expect_answers_to_prefixes(const Index& index, const TestColumn& prefixes, const Query& query,
                                const Matches& matches, const TestColumn& values) {
  const Batch batch{QueryKind::prefix, prefixes, prefixes};
  for (const MemorySpace values_space : memory_spaces) {
    const PlacedColumn placed_values(values_space, values.view());
    AnswerOptions options = full_options();
    options.values = placed_values.view();
    for (const MemorySpace space : memory_spaces)
      ASSERT_EQ(first_difference(every_answer_in(space, index, query, options), options, batch,
                                 matches, values),
                "")
          << "answers in " << name_of(space) << " memory";
    ASSERT_EQ(first_difference(plain_answers(index.answer(query, options), options), options, batch,
                               matches, values),
              "");
    options.limit = 2;
    ASSERT_EQ(first_difference(plain_answers(index.answer(query, options), options), options, batch,
                               matches, values),
              "");
  }
}

using PrefixCase = std::tuple<std::string, std::string>;

class DevicePrefixes : public GpuTestWithParam<PrefixCase> {
 protected:
  static std::string spec() { return std::get<0>(GetParam()); }
  // OptiX may run in software.
  static bool is_slow() { return spec().starts_with("rx:optix"); }
  static ChangingIndex make_table() {
    return {some_rows(std::get<1>(GetParam()), is_slow() ? 80 : 300), spec(), {.seed = 7}};
  }

  // Calls expect(prefixes, query, matches) for prefixes in either memory, before and after changes.
  template <class Expect>
  static void after_each_change(ChangingIndex& table, Random& random, const Expect& expect) {
    constexpr Layout layouts[] = {Layout::strings, Layout::offsets32, Layout::views,
                                  Layout::offsets64};
    const int changes = is_slow() ? 2 : 6;
    for (int change = 0; change <= changes; ++change) {
      SCOPED_TRACE(std::to_string(change) + " changes");
      const std::vector<Key> keys = prefixes_for(table.keys(), is_slow() ? 21 : 61, random);
      const TestColumn prefixes(Shape{Type::string, layouts[change % 4]}, keys);
      const Matches matches = scan_for_prefixes(table.keys(), keys);
      for (const MemorySpace space : memory_spaces) {
        SCOPED_TRACE("prefixes in " + std::string(name_of(space)) + " memory");
        const PlacedColumn placed(space, prefixes.view());
        expect(prefixes, Query::prefix(placed.view()), matches);
        if (HasFatalFailure()) return;
      }
      // A few new rows make a segment of their own; other changes are of any kind and size.
      if (change == 0 && !table.keys().empty()) {
        Random picked(3);
        table.insert({picked.pick(table.keys()), {std::string("\xff\xff new")}}, table.shape());
        table.erase({0});
      } else {
        table.random_change();
      }
    }
  }
};

TEST_P(DevicePrefixes, AnswerLikeAScan) {
  ChangingIndex table = make_table();
  Random random(8);
  after_each_change(table, random,
                    [&](const TestColumn& prefixes, const Query& query, const Matches& matches) {
                      const TestColumn values =
                          values_of(random.pick(value_types()), table.keys().size(), random);
                      expect_answers_to_prefixes(table.index(), prefixes, query, matches, values);
                    });
}

TEST_P(DevicePrefixes, JoinLikeAScan) {
  ChangingIndex table = make_table();
  Random random(9);
  after_each_change(table, random,
                    [&](const TestColumn&, const Query& query, const Matches& matches) {
                      expect_every_join(table.index(), query, matches);
                    });
}

std::vector<PrefixCase> prefix_cases() {
  std::vector<PrefixCase> cases;
  for (const char* const spec : {"rx:native@cuda", "sorted@cuda", "btree@cuda"})
    for (const char* const workload :
         {"short_strings", "same_head_strings", "embedded_nul_strings", "high_byte_strings",
          "nulls_long_strings", "prefixes_of_each_other", "all_null_strings", "no_strings"})
      cases.emplace_back(spec, workload);
  if (is_available("rx:optix@cuda"))
    for (const char* const workload : {"short_strings", "same_head_strings"})
      cases.emplace_back("rx:optix@cuda,bucket=3", workload);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cuda, DevicePrefixes, testing::ValuesIn(prefix_cases()),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

using DevicePrefixBatches = GpuTest;

TEST_F(DevicePrefixBatches, WithoutPrefixesHaveNoAnswers) {
  const std::vector<std::string> keys = {"a", "b", "ab"};
  const Index index = build(keys, "rx:native@cuda");
  const TestColumn none(Shape{Type::string}, {});
  for (const MemorySpace prefix_space : memory_spaces) {
    const PlacedColumn prefixes(prefix_space, none.view());
    for (const MemorySpace space : memory_spaces) {
      Buffer offsets(space, 8);
      Outputs outputs;
      outputs.offsets = offsets.as<std::uint64_t>();
      outputs.memory_space = space;
      index.answer_into(Query::prefix(prefixes.view()), {}, outputs);
      require(cudaDeviceSynchronize());
      EXPECT_EQ(offsets.read<std::uint64_t>(), std::vector<std::uint64_t>{0});
      for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti})
        for (const JoinOrder order : {JoinOrder::lookups, JoinOrder::any})
          expect_join_in(space, index, Query::prefix(prefixes.view()), how, order, {}, 0);
    }
  }
}

}  // namespace
}  // namespace rtindex::test
