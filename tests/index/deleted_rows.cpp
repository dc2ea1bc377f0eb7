// Searchers in host memory with deleted rows, against a scan of the rows that are not deleted.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "keys/codec.hpp"
#include "support/checker.hpp"
#include "support/deleted_rows.hpp"
#include "support/engine_of.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

struct BuiltSegment {
  TestColumn column;
  Segment segment;

  BuiltSegment(TestColumn keys, const std::string& spec, const ColumnView& include)
      : column(std::move(keys)) {
    BuildOptions options;
    options.include = include;
    segment = engine_of(spec).segments->build(column.view(), options).segment;
  }

  [[nodiscard]] Answers answer(const Batch& batch, const AnswerOptions& options,
                               const DeletedRows& deleted, bool included) const {
    AnswersAccess access(options, batch.size());
    Request& request = access.request();
    request.deleted = deleted.bits();
    request.included = included;
    const ColumnView lower = batch.lower.view();
    const ColumnView upper = batch.upper.view();
    segment.searcher->answer(LookupBatch(*segment.codec, lower, upper, batch.kind), request);
    return access.finish();
  }
};

Matches without_deleted(Matches matches, const DeletedRows& deleted) {
  for (auto& rows : matches)
    std::erase_if(rows, [&](std::uint32_t row) { return deleted.has(row); });
  return matches;
}

std::vector<std::string> host_specs() {
  std::vector<std::string> specs;
  for (const std::string& spec : usable_and_bucketed()) {
    if (spec.find("@cpu") == std::string::npos) continue;
    specs.push_back(spec);
    if (includes_values(spec)) specs.push_back(spec + ",order=on");
  }
  return specs;
}

std::vector<AnswerOptions> some_options() {
  return {full_options(),
          {.answers = Answer::any},
          {.answers = Answer::count | Answer::first},
          {.answers = Answer::sum, .matched = true},
          {.answers = Answer::rows, .limit = 3}};
}

using DeletedRowsCase = std::tuple<std::string, std::string>;

class DeletedRowsOf : public testing::TestWithParam<DeletedRowsCase> {
 protected:
  const std::string spec = std::get<0>(GetParam());
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
};

TEST_P(DeletedRowsOf, MatchNoLookup) {
  Random random(21);
  const std::vector<Batch> batches = own_batches(column, 12, random);
  const TestColumn values = values_of(Type::f64, column.size(), random);
  const BuiltSegment built(column, spec, includes_values(spec) ? values.view() : ColumnView());
  for (const std::string name : {"few", "half", "all"}) {
    const DeletedRows deleted = deleted_rows_named(name, column.size());
    for (const Batch& batch : batches) {
      if (batch.kind != QueryKind::equal && !built.segment.searcher->capabilities().ranges)
        continue;
      const Matches wanted = without_deleted(scan(column.keys(), batch), deleted);
      // Twice: the first call makes what is cached for the bitmap.
      for (int time = 0; time < 2; ++time)
        for (const bool included : {false, true}) {
          if (included && built.segment.searcher->included().empty()) continue;
          for (AnswerOptions options : some_options()) {
            options.values = values.view();
            ASSERT_EQ("",
                      first_difference(
                          plain_answers(built.answer(batch, options, deleted, included), options),
                          options, batch, wanted, values))
                << name << " deleted, " << text_of(options) << (included ? ", included" : "");
          }
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Searchers, DeletedRowsOf,
                         testing::Combine(testing::ValuesIn(host_specs()),
                                          testing::Values("dense_u32", "sparse_u64",
                                                          "duplicates_x256", "all_equal_u64",
                                                          "nulls_dense_u32", "same_head_strings",
                                                          "empty_u32", "single_u64")),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

TEST(DeletedRowsByPosition, CountAsMemoryOnceBuilt) {
  std::vector<Whole> keys;  // nothing is derived for fewer
  for (Whole i = 0; i < 1500; ++i) keys.push_back(i * 7 % 1500);
  const TestColumn column = integers(Type::u32, keys);
  const BuiltSegment built(column, "rx:native@cpu", {});
  const DeletedRows deleted = deleted_rows_named("few", column.size());
  const TestColumn everything = integers(Type::u64, std::vector<Whole>{0});
  const TestColumn end = integers(Type::u64, std::vector<Whole>{largest_of(Type::u64)});
  const std::size_t before = built.segment.searcher->memory_usage().resident;
  const AnswerOptions options{.answers = Answer::count};
  static_cast<void>(built.answer(ranges(everything, end), options, deleted, false));
  const MemoryUsage usage = built.segment.searcher->memory_usage();
  EXPECT_GT(usage.resident, before);
  EXPECT_LE(usage.resident, before + column.size() / 4 + 64);
  std::size_t sum = 0;
  for (const auto& [name, bytes] : usage.parts) sum += bytes;
  EXPECT_EQ(sum, usage.resident);
}

}  // namespace
}  // namespace rtindex::test
