// Every call of the C interface runs out of memory, wherever it can: it returns the status and a
// message, the index answers as before, and nothing leaks.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.h>

#include "base/error.hpp"
#include "c/c_calls.hpp"
#include "out_of_memory/failing_memory.hpp"
#include "support/temporary_folder.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Which = FailingMemory::Which;

// Throws what fail_every_allocation() expects.
void finish(rtindex_status status) {
  if (status == RTINDEX_STATUS_OK) return;
  EXPECT_EQ(status, RTINDEX_STATUS_OUT_OF_MEMORY) << rtindex_last_error();
  EXPECT_EQ(rtindex_last_status(), status);
  EXPECT_NE(*rtindex_last_error(), '\0');
  fail(ErrorKind::out_of_memory, "{}", rtindex_last_error());
}

class CCallsOutOfMemory : public testing::TestWithParam<Which> {
 protected:
  CCallsOutOfMemory() {
    auto options = sized<rtindex_build_options>();
    options.include = &values_;
    index_.emplace();
    EXPECT_EQ("", error_in(rtindex_build(column_.get(), spec_, &options, index_->out())));
    // With a delta and erased rows.
    EXPECT_EQ("", error_in(rtindex_insert(get(), few_.get(), &few_values_, nullptr, &number_)));
    EXPECT_EQ("", error_in(rtindex_erase(get(), &rows_, nullptr)));
    EXPECT_EQ("", error_in(rtindex_set_metadata(get(), "name", "a text")));
    EXPECT_EQ("", error_in(rtindex_snapshot(get(), before_.out())));
  }

  [[nodiscard]] rtindex_index* get() const { return index_->get(); }

  static void expect(const std::string& name, const std::function<rtindex_status()>& call) {
    fail_every_allocation(name, {.call = [&] { finish(call()); }, .which = GetParam()});
  }
  // A call that returns an index, a text or an Arrow array, which is freed at once.
  template <class Call>
  static void expect_index(const std::string& name, Call&& call) {
    expect(name, [&] {
      CIndex made;
      return call(made.out());
    });
  }
  template <class Call>
  static void expect_text(const std::string& name, Call&& call) {
    expect(name, [&] {
      CText text;
      return call(text.out());
    });
  }
  template <class Call>
  static void expect_array(const std::string& name, Call&& call) {
    expect(name, [&] {
      Exported made;
      const rtindex_status status = call(made.schema_out(), made.array_out());
      // A call that failed has written nothing.
      EXPECT_EQ(status == RTINDEX_STATUS_OK, made.schema->release != nullptr);
      EXPECT_EQ(status == RTINDEX_STATUS_OK, made.array->release != nullptr);
      return status;
    });
  }
  // A change is made or not at all.
  void expect_change(const std::string& name, const std::function<rtindex_status()>& change) {
    const std::vector<std::uint8_t> bytes = serialized();
    fail_every_allocation(name, {.call = [&] { finish(change()); },
                                 .expect_unchanged = [&] { EXPECT_EQ(serialized(), bytes); },
                                 .undo = [&] { restore(); },
                                 .which = GetParam()});
    EXPECT_NE(serialized(), bytes) << name << " changes nothing";
    restore();
  }

  [[nodiscard]] std::vector<std::uint8_t> serialized() const {
    Exported bytes;
    EXPECT_EQ("", error_in(rtindex_serialize(get(), bytes.schema_out(), bytes.array_out())));
    return elements_of<std::uint8_t>(*bytes.array);
  }
  void restore() {
    index_.emplace();
    EXPECT_EQ("", error_in(rtindex_snapshot(before_.get(), index_->out())));
  }

  static constexpr const char* spec_ = "rx:native@cpu,threads=1";
  const TestColumn all_ = workload_named("nulls_same_head_strings").column();
  const ArrowColumn column_{part_of(all_, 0, 100)};
  const ArrowColumn few_{part_of(all_, 100, 4)};
  const std::vector<std::int32_t> numbers_ = std::vector<std::int32_t>(100, 11);
  const std::vector<std::int32_t> few_numbers_ = {1, 2, 3, 4};
  const std::vector<std::uint32_t> erased_ = {3, 5, 101};
  const std::vector<std::uint32_t> some_ = {9, 1, 20, 0};
  const rtindex_column values_ = memory_of(RTINDEX_TYPE_INT32, numbers_);
  const rtindex_column few_values_ = memory_of(RTINDEX_TYPE_INT32, few_numbers_);
  const rtindex_column rows_ = memory_of(RTINDEX_TYPE_UINT32, erased_);
  const rtindex_column some_rows_ = memory_of(RTINDEX_TYPE_UINT32, some_);
  const rtindex_query equal_ = rtindex_query_equal(few_.get());
  const rtindex_query range_ = rtindex_query_range(few_.get(), few_.get(), RTINDEX_ENDS_CLOSED);
  const rtindex_query prefix_ = rtindex_query_prefix(few_.get());
  const rtindex_query nearest_ = rtindex_query_nearest(few_.get(), RTINDEX_DIRECTION_BACKWARD);
  std::optional<CIndex> index_;
  CIndex before_;
  std::uint32_t number_ = 0;
};

TEST_P(CCallsOutOfMemory, Lists) {
  expect_text("check_spec", [](char** text) { return rtindex_check_spec("sorted@cpu", text); });
  expect_text("default_spec", rtindex_default_spec);
  expect_array("indexes", rtindex_indexes);
  expect_array("spec_options", rtindex_spec_options);
}

TEST_P(CCallsOutOfMemory, Answers) {
  auto options = sized<rtindex_answer_options>();
  options.answers =
      RTINDEX_ANSWER_ANY | RTINDEX_ANSWER_COUNT | RTINDEX_ANSWER_SUM | RTINDEX_ANSWER_ROWS;
  options.matched = 1;
  const auto expect_answer = [&](const char* name, const rtindex_query& query) {
    expect_array(name, [&](ArrowSchema* schema, ArrowArray* array) {
      return rtindex_answer(get(), &query, &options, nullptr, schema, array);
    });
  };
  expect_answer("equal", equal_);
  expect_answer("range", range_);
  expect_answer("prefix", prefix_);
  options.answers = RTINDEX_ANSWER_ANY | RTINDEX_ANSWER_KEY;
  expect_answer("nearest", nearest_);
  std::vector<std::uint32_t> first(4);
  auto outputs = sized<rtindex_outputs>();
  outputs.first = first.data();
  for (const rtindex_query& query : {equal_, prefix_})
    expect("answer_into",
           [&] { return rtindex_answer_into(get(), &query, nullptr, nullptr, &outputs); });
  expect_array("rank", [&](ArrowSchema* schema, ArrowArray* array) {
    return rtindex_rank(get(), few_.get(), schema, array);
  });
  expect_array("select", [&](ArrowSchema* schema, ArrowArray* array) {
    return rtindex_select(get(), &rows_, schema, array);
  });
  expect_array("null_rows", [&](ArrowSchema* schema, ArrowArray* array) {
    return rtindex_null_rows(get(), schema, array);
  });
}

TEST_P(CCallsOutOfMemory, Joins) {
  auto options = sized<rtindex_join_options>();
  std::uint64_t count = 0;
  std::vector<std::uint64_t> lookups(2);
  std::vector<std::uint32_t> rows(2);
  auto outputs = sized<rtindex_join_outputs>();
  outputs.lookups = lookups.data();
  outputs.rows = rows.data();
  outputs.capacity = rows.size();
  outputs.count = &count;
  for (const auto& [how, order] : {std::pair{RTINDEX_JOIN_INNER, RTINDEX_JOIN_ORDER_LOOKUPS},
                                   std::pair{RTINDEX_JOIN_LEFT, RTINDEX_JOIN_ORDER_LOOKUPS},
                                   std::pair{RTINDEX_JOIN_SEMI, RTINDEX_JOIN_ORDER_LOOKUPS},
                                   std::pair{RTINDEX_JOIN_LEFT, RTINDEX_JOIN_ORDER_ANY},
                                   std::pair{RTINDEX_JOIN_ANTI, RTINDEX_JOIN_ORDER_ANY}})
    for (const rtindex_query& query : {equal_, range_, prefix_, nearest_}) {
      options.how = how;
      options.order = order;
      expect_array("join", [&](ArrowSchema* schema, ArrowArray* array) {
        return rtindex_join(get(), &query, &options, schema, array);
      });
      expect("join_into", [&] { return rtindex_join_into(get(), &query, &options, &outputs); });
      expect("join_batches", [&] {
        return rtindex_join_batches(
            get(), &query, &options, 3,
            [](void*, const std::uint64_t*, const std::uint32_t*, std::size_t) {
              return rtindex_status{RTINDEX_STATUS_OK};
            },
            nullptr);
      });
    }
}

TEST_P(CCallsOutOfMemory, Changes) {
  expect_change("insert",
                [&] { return rtindex_insert(get(), few_.get(), &few_values_, nullptr, &number_); });
  expect_change("erase", [&] { return rtindex_erase(get(), &some_rows_, nullptr); });
  expect_change("erase_keys", [&] {
    std::uint64_t erased = 0;
    return rtindex_erase_keys(get(), few_.get(), nullptr, &erased);
  });
  expect_change("update", [&] { return rtindex_update(get(), &some_rows_, few_.get(), nullptr); });
  expect_change("set_included", [&] {
    return rtindex_set_included(get(), &some_rows_, &few_values_, nullptr, nullptr);
  });
  expect_change("merge", [&] { return rtindex_merge(get()); });
  expect_change("set_metadata",
                [&] { return rtindex_set_metadata(get(), "another name", "another text"); });
}

TEST_P(CCallsOutOfMemory, IndexesAndFiles) {
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  const std::string path = folder.file("a.rtindex");
  expect_index("build", [&](rtindex_index** made) {
    return rtindex_build(column_.get(), spec_, nullptr, made);
  });
  expect_index("copy", [&](rtindex_index** made) { return rtindex_copy(get(), made); });
  expect_index("snapshot", [&](rtindex_index** made) { return rtindex_snapshot(get(), made); });
  expect("save", [&] { return rtindex_save(get(), path.c_str()); });
  expect_index("load",
               [&](rtindex_index** made) { return rtindex_load(path.c_str(), nullptr, made); });
  expect_array("serialize", [&](ArrowSchema* schema, ArrowArray* array) {
    return rtindex_serialize(get(), schema, array);
  });
  const std::vector<std::uint8_t> bytes = serialized();
  expect_index("deserialize", [&](rtindex_index** made) {
    return rtindex_deserialize(bytes.data(), bytes.size(), nullptr, made);
  });
}

TEST_P(CCallsOutOfMemory, Descriptions) {
  expect("get_info", [&] {
    auto info = sized<rtindex_info>();
    return rtindex_get_info(get(), &info);
  });
  expect("column_schema", [&] {
    arrow::Owned<ArrowSchema> schema;
    return rtindex_column_schema(get(), schema.address());
  });
  expect("supports", [&] {
    std::int32_t supported = 0;
    return rtindex_supports(get(), RTINDEX_ANSWER_SUM, RTINDEX_QUERY_RANGE, &supported);
  });
  expect_text("spec", [&](char** text) { return rtindex_spec(get(), text); });
  expect_text("describe", [&](char** text) { return rtindex_describe(get(), text); });
  using List = rtindex_status (*)(const rtindex_index*, ArrowSchema*, ArrowArray*);
  const std::pair<const char*, List> lists[] = {{"memory_parts", rtindex_memory_parts},
                                                {"build_profile", rtindex_build_profile},
                                                {"metadata", rtindex_metadata}};
  for (const auto& list : lists)
    expect_array(list.first, [&](ArrowSchema* schema, ArrowArray* array) {
      return list.second(get(), schema, array);
    });
}

INSTANTIATE_TEST_SUITE_P(Memory, CCallsOutOfMemory, testing::Values(Which::one, Which::all_later),
                         [](const auto& tested) {
                           return tested.param == Which::one ? "OneAllocation" : "AllLaterOnes";
                         });

}  // namespace
}  // namespace rtindex::test
