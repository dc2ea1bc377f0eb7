// Many threads look up on one index while updates come in between: every batch sees the column
// before an update or after it, never half of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include <rtindex/rtindex.hpp>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr int readers = 3;
constexpr int min_updates = 12;
constexpr int min_passes = 3;  // of every reader over all batches

// The keys in reverse: row 0 holds the last key.
std::vector<Key> reversed(const std::vector<Key>& keys) { return {keys.rbegin(), keys.rend()}; }

using Case = std::tuple<std::string, std::string>;

class Concurrency : public testing::TestWithParam<Case> {};

TEST_P(Concurrency, BatchesAreWholeWhileUpdatesComeIn) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  const TestColumn after(column.shape(), reversed(column.keys()));
  Random random(3);
  const TestColumn values = values_of(Type::u32, column.size(), random);
  std::vector<Batch> batches = own_batches(column, 20, random);
  Index index = build(column.view(), std::get<0>(GetParam()));
  std::erase_if(batches, [&](const Batch& batch) {
    return !supports(index, full_options().answers, batch.kind);
  });
  std::vector<Matches> before_matches;
  std::vector<Matches> after_matches;
  for (const Batch& batch : batches) {
    before_matches.push_back(scan(column.keys(), batch));
    after_matches.push_back(scan(after.keys(), batch));
  }

  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < column.size(); ++row)
    rows.push_back(static_cast<std::uint32_t>(row));
  std::atomic<bool> stop = false;
  std::array<std::atomic<int>, readers> passes = {};
  std::vector<std::string> differences(readers);
  std::vector<std::thread> threads;
  for (int reader = 0; reader < readers; ++reader)
    threads.emplace_back([&, reader] {
      for (; !stop; ++passes[static_cast<std::size_t>(reader)])
        for (std::size_t i = 0; i < batches.size(); ++i) {
          const TestColumn& lower = batches[i].lower;
          AnswerOptions options = full_options();
          options.values = values.view();
          const Answers answers = batches[i].kind == QueryKind::equal
                                      ? index.lookup(lower.view(), options)
                                      : index.range(lower.view(), batches[i].upper.view(), options);
          const PlainAnswers result = plain_answers(answers, options);
          const std::string text =
              first_difference(result, options, batches[i], before_matches[i], values);
          if (!text.empty() &&
              !first_difference(result, options, batches[i], after_matches[i], values).empty())
            differences[static_cast<std::size_t>(reader)] = text;
          static_cast<void>(index.type());
          static_cast<void>(index.supports(Answer::any, QueryKind::equal));
          static_cast<void>(index.memory_usage());
          static_cast<void>(index.spec());
        }
    });
  const auto slowest_reader = [&] {
    return std::min_element(passes.begin(), passes.end())->load();
  };
  for (int update = 0; update < min_updates || slowest_reader() < min_passes; ++update) {
    index.update(rows, update % 2 == 0 ? after.view() : column.view());
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  for (const std::string& difference : differences) EXPECT_EQ("", difference);
}

std::vector<std::string> concurrency_specs() {
  std::vector<std::string> list;
  for (const std::string& index : usable_indexes()) {
    list.push_back(index);
    if (index == "rx:embree@cpu" || index == "rx:optix@cuda")
      list.push_back(index + ",update=refit");
  }
  return list;
}

// Lookups that arrive after an update in place wait for it. Otherwise a steady stream of lookups
// would delay it forever.
TEST(Concurrency, UpdatesAreNotStarved) {
  // An update takes milliseconds. One that is overtaken waits until the readers give up.
  constexpr auto patience = std::chrono::seconds(30);
  std::vector<std::uint64_t> keys(std::size_t{1} << 12);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 77;
  for (const std::string& spec : concurrency_specs()) {
    const bool on_gpu = spec.find("@cuda") != std::string::npos;
    Index index = build(keys, on_gpu ? spec : spec + ",threads=1");
    std::atomic<bool> stop = false;
    std::atomic<int> batches = 0;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::vector<std::thread> threads;
    for (int reader = 0; reader < 8; ++reader)
      threads.emplace_back([&] {
        for (; !stop && std::chrono::steady_clock::now() < deadline; ++batches)
          static_cast<void>(index.lookup(keys, Answer::count));
      });
    while (batches < 8) std::this_thread::yield();
    for (std::uint32_t row = 0; row < 3; ++row)
      index.update(std::vector<std::uint32_t>{row}, std::vector<std::uint64_t>{row});
    EXPECT_LT(std::chrono::steady_clock::now(), deadline)
        << spec << ": " << batches << " batches overtook the updates";
    stop = true;
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Concurrency, MetadataIsReadAndWrittenAtOnce) {
  Index index = build(std::vector<int>{3, 1, 2}, "sorted@cpu,threads=1");
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer)
    writers.emplace_back([&, writer] {
      const std::string name = "writer" + std::to_string(writer);
      for (int i = 1; i <= 200; ++i) index.set_metadata(name, std::to_string(i));
    });
  for (int i = 0; i < 200; ++i) {
    for (const auto& [name, text] : index.metadata()) EXPECT_GE(std::stoi(text), 1) << name;
    EXPECT_EQ(index.snapshot().size(), 3U);
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index.metadata().size(), 3U);
  for (const auto& [name, text] : index.metadata()) EXPECT_EQ(text, "200") << name;
}

INSTANTIATE_TEST_SUITE_P(Conformance, Concurrency,
                         testing::Combine(testing::ValuesIn(concurrency_specs()),
                                          testing::Values("sparse_u64", "nulls_long_strings",
                                                          "three_wide_ints")),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

}  // namespace
}  // namespace rtindex::test
