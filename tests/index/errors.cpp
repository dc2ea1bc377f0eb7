// Invalid input: an Error whose sentence says what is wrong and what to do, on every index.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/specs.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

// The kind of the error; none where there is none.
std::optional<ErrorKind> kind_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return error.kind();
  }
}

// The sentence of the error, or "no error".
std::string sentence(const std::function<void()>& work) {
  try {
    work();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

#define EXPECT_SAYS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << (text) << "\ndoes not say: " << (part)

class Errors : public testing::TestWithParam<std::string> {
 protected:
  const std::vector<std::uint32_t> keys = {10, 20, 30};
  Index index = build(keys, GetParam());

  [[nodiscard]] std::string lookup(const ColumnView& lookups, const AnswerOptions& options) const {
    return sentence([&] { static_cast<void>(index.lookup(lookups, options)); });
  }
  std::string update(const std::vector<std::uint32_t>& rows, const ColumnView& new_keys) {
    return sentence([&] { index.update(rows, new_keys); });
  }
};

TEST_P(Errors, LookupsThatCannotBeCompared) {
  const std::vector<float> floats = {1};
  const std::vector<double> doubles = {1};
  const std::vector<std::string> texts = {"a"};
  const std::vector<std::int32_t> days = {1};
  for (const ColumnView& wrong :
       {ColumnView(floats), ColumnView(doubles), ColumnView(texts), ColumnView::dates(days),
        ColumnView::composite({ColumnView(keys)})}) {
    EXPECT_SAYS(lookup(wrong, {}), "uint32");
    EXPECT_SAYS(lookup(wrong, {}), std::string(name_of(wrong.type())));
  }
}

TEST_P(Errors, ComparisonOfEveryTypeWithEveryOther) {
  const std::vector<int> ints = {1};
  const std::vector<double> reals = {1};
  const std::vector<std::string> texts = {"a"};
  const std::vector<std::int64_t> ticks = {1};
  const std::vector<ColumnView> columns = {
      ColumnView(ints),
      ColumnView(reals),
      ColumnView(texts),
      ColumnView::dates(ints),
      ColumnView::timestamps(ticks),
      ColumnView::composite({ColumnView(ints)}),
      ColumnView::composite({ColumnView(ints), ColumnView(ints)}),
      ColumnView::composite({ColumnView(reals)})};
  for (std::size_t a = 0; a < columns.size(); ++a) {
    const Index other = build(columns[a], GetParam());
    for (std::size_t b = 0; b < columns.size(); ++b) {
      const std::string text = sentence([&] { static_cast<void>(other.lookup(columns[b])); });
      // A key of fewer parts matches all keys that begin with it, which needs key order.
      const bool is_first_part = a == 6 && b == 5 && !GetParam().starts_with("hash");
      EXPECT_EQ(text == "no error", a == b || is_first_part)
          << name_of(columns[a].type()) << " looked up as " << name_of(columns[b].type()) << ": "
          << text;
    }
  }
}

TEST_P(Errors, ValuesThatAreMissingOrWrong) {
  const std::vector<std::uint32_t> lookups = {10};
  EXPECT_SAYS(lookup(lookups, {.answers = Answer::sum}), "value column");
  const std::vector<int> two = {1, 2};
  EXPECT_SAYS(lookup(lookups, {.answers = Answer::min, .values = two}), "2 values");
  EXPECT_SAYS(lookup(lookups, {.answers = Answer::min, .values = two}), "3 rows");
  const std::vector<std::string> texts = {"a", "b", "c"};
  EXPECT_SAYS(lookup(lookups, {.answers = Answer::max, .values = texts}), "string");
  const std::uint8_t bitmap = 0b111;
  EXPECT_SAYS(
      lookup(lookups, {.answers = Answer::sum, .values = ColumnView(keys).with_validity(&bitmap)}),
      "no error");
  EXPECT_SAYS(lookup(lookups, {.answers = {}}), "no answer requested");
}

TEST_P(Errors, IgnoreValuesThatAreNotNeeded) {
  const std::vector<int> two = {1, 2};
  EXPECT_EQ("no error", lookup(keys, {.answers = Answer::count, .values = two}));
}

TEST_P(Errors, RangesOfDifferentLength) {
  if (!index.supports(Answer::any, QueryKind::range)) GTEST_SKIP() << "points only";
  const std::vector<std::uint32_t> one = {1};
  EXPECT_SAYS(sentence([&] { static_cast<void>(index.range(keys, one)); }),
              "got 3 lower and 1 upper");
  EXPECT_SAYS(sentence([&] { static_cast<void>(index.range(one, std::vector<std::string>{"a"})); }),
              "string");
}

TEST_P(Errors, RejectOutputsWithoutBuffers) {
  EXPECT_SAYS(sentence([&] { index.answer_into(Query::equal(keys), {}, {}); }), "output buffer");
}

TEST_P(Errors, Updates) {
  const std::vector<std::uint32_t> one = {40};
  EXPECT_SAYS(update({0, 0}, std::vector<int>{1, 2}), "row 0 is named twice");
  EXPECT_SAYS(update({3}, one), "row 3");
  EXPECT_SAYS(update({3}, one), "3 rows");
  EXPECT_SAYS(update({0, 1}, one), "got 2 rows and 1 keys");
  EXPECT_SAYS(update({0}, std::vector<float>{1}), "float32");
  EXPECT_SAYS(update({0}, std::vector<int>{-1}), "-1");
  EXPECT_SAYS(update({0}, std::vector<int>{-1}), "uint32");
  EXPECT_SAYS(update({}, std::vector<float>{}), "float32");  // wrong even where nothing is changed
  EXPECT_EQ("no error", update({}, std::vector<std::uint32_t>{}));
  EXPECT_EQ(index.lookup(keys, Answer::first).first()[2], 2U);
}

TEST_P(Errors, RowsOfUpdates) {
  const std::vector<std::uint32_t> one = {40};
  const auto says = [&](const ColumnView& rows, const ColumnView& new_keys) {
    return sentence([&] { index.update(rows, new_keys); });
  };
  EXPECT_SAYS(says(std::vector<std::int64_t>{-1}, one), "invalid row -1 (element 0)");
  EXPECT_SAYS(says(std::vector<double>{0}, one), "rows as integers, got float64");
  const std::uint8_t bitmap = 1;
  EXPECT_SAYS(says(ColumnView(std::vector<std::uint32_t>{0}).with_validity(&bitmap), one),
              "validity");
  // Nothing is read where the memory spaces differ.
  const ColumnView here(one);
  const ColumnView there = here.on_device();
  const bool on_gpu = GetParam().ends_with("@cuda");
  EXPECT_SAYS(says(here, there), on_gpu ? "copy one of them" : "new keys are in device memory");
  EXPECT_SAYS(says(there, here), on_gpu ? "copy one of them" : "rows are in device memory");
  if (!on_gpu) {
    EXPECT_SAYS(says(there, there), "copy them to host memory");
  }
  EXPECT_EQ(index.lookup(keys, Answer::first).first()[2], 2U);
}

TEST_P(Errors, RowsOfChanges) {
  const std::vector<std::uint32_t> one = {40};
  index.erase(std::vector<std::uint32_t>{1});
  const auto erase = [&](const ColumnView& rows) { return sentence([&] { index.erase(rows); }); };
  using Rows = std::vector<std::uint32_t>;
  EXPECT_SAYS(erase(Rows{0, 3}), "row 3 does not exist: the index has 3 rows");
  EXPECT_SAYS(erase(Rows{2, 0, 2}), "row 2 is named twice");
  EXPECT_SAYS(erase(Rows{0, 1}), "row 1 is erased");
  EXPECT_SAYS(update({0, 1}, std::vector<int>{5, 6}), "row 1 is erased");
  EXPECT_SAYS(erase(std::vector<std::uint64_t>{0, 1ULL << 32}),
              "invalid row 4294967296 (element 1)");
  const std::uint8_t bitmap = 1;
  EXPECT_SAYS(erase(ColumnView(Rows{0}).with_validity(&bitmap)), "validity");
  if (!GetParam().ends_with("@cuda")) {
    EXPECT_SAYS(erase(ColumnView(one).on_device()), "rows are in device memory");
  }
  EXPECT_EQ("no error", erase(Rows{}));
  // None of these calls has changed the index.
  EXPECT_EQ(index.size(), 3U);
  EXPECT_EQ(index.valid(), 2U);
  EXPECT_EQ(index.lookup(keys, Answer::first).first()[0], 0U);
  EXPECT_EQ(index.lookup(keys, Answer::first).first()[1], miss_row);
}

TEST_P(Errors, KeysOfChanges) {
  const auto insert = [&](const ColumnView& new_keys) {
    return sentence([&] { index.insert(new_keys); });
  };
  EXPECT_SAYS(insert(std::vector<float>{1}), "float32");
  EXPECT_SAYS(insert(std::vector<std::string>{"a"}), "string");
  EXPECT_SAYS(insert(std::vector<int>{5, -1}), "-1");
  EXPECT_SAYS(insert(std::vector<std::uint64_t>{std::uint64_t{1} << 32}), "4294967296");
  EXPECT_SAYS(sentence([&] { index.erase_keys(std::vector<double>{1}); }), "float64");
  if (!GetParam().ends_with("@cuda")) {
    EXPECT_SAYS(insert(ColumnView(keys).on_device()), "keys are in device memory");
    EXPECT_SAYS(sentence([&] { index.erase_keys(ColumnView(keys).on_device()); }),
                "keys are in device memory");
  }
  EXPECT_EQ(index.size(), 3U);
  EXPECT_EQ(index.valid(), 3U);
  // No row has a key that the type of the column cannot hold.
  EXPECT_EQ(index.erase_keys(std::vector<int>{-1}), 0U);
  EXPECT_EQ(index.insert(std::vector<std::int64_t>{50}), 3U);
  EXPECT_EQ(index.lookup(std::vector{50}).any()[0], 3U);
}

TEST(CompositeErrors, PartsOfOtherTypesAreAcceptedIfTheyFit) {
  // So many that new rows stay in a segment of their own.
  const std::vector<std::uint32_t> groups(20'000, 2);
  const std::vector<std::int16_t> numbers(20'000, 7);
  Index index = build(ColumnView::composite({groups, numbers}), "sorted@cpu");
  const auto insert = [&](std::uint32_t group, std::int64_t number) {
    return index.insert(ColumnView::composite(
        {std::vector<std::uint32_t>{group}, std::vector<std::int64_t>{number}}));
  };
  EXPECT_EQ(insert(2, -5), 20'000U);
  EXPECT_SAYS(sentence([&] { insert(2, 40'000); }), "40000");
  const std::vector<std::uint32_t> group = {2};
  const std::vector<std::int16_t> number = {-5};
  EXPECT_EQ(index.lookup(ColumnView::composite({group, number})).any()[0], 20'000U);
  EXPECT_EQ(index.size(), 20'001U);
}

TEST_P(Errors, IncludedValuesOfChanges) {
  const std::vector<std::uint32_t> one = {40};
  const std::vector<std::int64_t> values = {1, 2, 3};
  const std::vector<std::uint32_t> row = {0};
  const auto first = [](const auto& list, std::size_t n) {
    return ColumnView(std::span(list).first(n));
  };
  EXPECT_SAYS(sentence([&] { index.insert(one, first(values, 1)); }), "no included values");
  EXPECT_SAYS(sentence([&] { index.set_included(row, first(values, 1)); }), "no included values");
  std::optional<Index> including;
  if (sentence([&] { including.emplace(build(keys, GetParam(), {.include = values})); }) !=
      "no error")
    GTEST_SKIP() << "includes no values";
  const auto insert = [&](const ColumnView& new_values) {
    return sentence([&] { including->insert(one, new_values); });
  };
  const auto set = [&](const std::vector<std::uint32_t>& rows, const ColumnView& new_values) {
    return sentence([&] { including->set_included(rows, new_values); });
  };
  EXPECT_SAYS(sentence([&] { including->insert(one); }), "expected 1 values of type");
  EXPECT_SAYS(insert(first(values, 2)), "2 values");
  EXPECT_SAYS(insert(first(values, 0)), "0 values");
  EXPECT_SAYS(insert(std::vector<std::int32_t>{1}), "int64");
  EXPECT_SAYS(set({0, 1}, first(values, 1)), "1 values");
  EXPECT_SAYS(set({0}, {}), "int64");
  EXPECT_SAYS(set({0}, std::vector<double>{1}), "float64");
  EXPECT_SAYS(set({3}, first(values, 1)), "row 3 does not exist");
  EXPECT_SAYS(set({1, 1}, first(values, 2)), "row 1 is named twice");
  including->erase(row);
  EXPECT_SAYS(set({0}, first(values, 1)), "row 0 is erased");
  EXPECT_EQ(including->size(), 3U);
  EXPECT_EQ(including->lookup(keys, Answer::sum).sum_as<std::int64_t>()[2], 3);
  EXPECT_EQ("no error", sentence([&] { including->insert(std::vector<std::uint32_t>{}); }));
  EXPECT_EQ("no error", set({}, first(values, 0)));
}

TEST_P(Errors, ValuesOfACallCoverInsertedAndErasedRows) {
  index.insert(std::vector<std::uint32_t>{10, 50});
  index.erase(std::vector<std::uint32_t>{0});
  const std::vector<int> three = {1, 2, 3};
  EXPECT_SAYS(lookup(keys, {.answers = Answer::sum, .values = three}), "5 rows");
  const std::vector<int> five = {1, 2, 3, 4, 5};
  EXPECT_EQ(index.lookup(keys, Answer::sum, five).sum_as<std::int64_t>()[0], 4);
}

TEST_P(Errors, MoreRowsThanAnIndexHolds) {
  const std::uint8_t byte = 0;  // only the number of rows is checked
  const ColumnView column = ColumnView::of(Type::u8, &byte, std::size_t{1} << 32);
  const std::string text = sentence([&] { static_cast<void>(build(column, GetParam())); });
  EXPECT_SAYS(text, "2^32 - 1");
  // The number is checked before a row is read.
  for (const std::size_t more : {std::size_t{0xffffffff} - 2, std::size_t{1} << 40})
    EXPECT_SAYS(sentence([&] { index.insert(ColumnView::of(Type::u8, &byte, more)); }),
                "the index has 3 rows and cannot take");
  EXPECT_EQ(index.size(), 3U);
}

TEST_P(Errors, UnknownOptions) {
  const std::string unknown =
      GetParam().starts_with("rx:embree") || GetParam().starts_with("rx:optix") ? "order=on"
                                                                                : "mode=3d";
  const std::string text =
      sentence([&] { static_cast<void>(build(keys, GetParam() + "," + unknown)); });
  EXPECT_SAYS(text, unknown.substr(0, unknown.find('=')));
}

TEST_P(Errors, RejectAnEmptyValueColumn) {
  const std::vector<std::uint64_t> none;
  const std::vector<double> halves(keys.size(), 0.5);
  const auto error_message = [&](const Index& queried) {
    return sentence(
        [&] { static_cast<void>(queried.lookup(keys, {.answers = Answer::sum, .values = none})); });
  };
  EXPECT_SAYS(error_message(build(keys, GetParam())), "0 values");
  std::optional<Index> including;
  if (sentence([&] { including.emplace(build(keys, GetParam(), {.include = halves})); }) !=
      "no error")
    GTEST_SKIP() << "includes no values";
  EXPECT_SAYS(error_message(*including), "0 values");
  EXPECT_EQ(including->lookup(keys, Answer::sum).sum_as<double>()[0], 0.5);
}

TEST_P(Errors, IncludedValuesOfAnIndexWithoutOrder) {
  const auto error_message = [&](const std::string& spec) {
    return sentence([&] { static_cast<void>(build(keys, spec, {.include = keys})); });
  };
  const std::string text = error_message(GetParam());
  if (text == "no error") GTEST_SKIP() << "includes values";
  EXPECT_SAYS(text, "use rx:native, sorted or btree");
  // supports() is true exactly for calls that succeed.
  const bool offers_buckets = text.find("add bucket=16") != std::string::npos;
  EXPECT_EQ(error_message(GetParam() + ",bucket=16") == "no error", offers_buckets) << text;
}

TEST_P(Errors, HaveAKind) {
  const auto of_lookup = [&](const ColumnView& lookups, const AnswerOptions& options) {
    return kind_of([&] { static_cast<void>(index.lookup(lookups, options)); });
  };
  EXPECT_EQ(of_lookup(keys, {}), std::nullopt);
  EXPECT_EQ(of_lookup(std::vector<float>{1}, {}), ErrorKind::invalid_argument);
  EXPECT_EQ(of_lookup(keys, {.answers = Answer::sum}), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of([&] { index.update(std::vector<std::uint32_t>{3}, keys); }),
            ErrorKind::invalid_argument);
  if (!index.supports(Answer::any, QueryKind::range)) {
    EXPECT_EQ(kind_of([&] { static_cast<void>(index.range(keys, keys)); }), ErrorKind::unsupported);
  }
  const auto included =
      kind_of([&] { static_cast<void>(build(keys, GetParam(), {.include = keys})); });
  EXPECT_TRUE(!included || included == ErrorKind::unsupported);
  EXPECT_EQ(kind_of([&] { index.save("/no such folder/a.rtindex"); }), ErrorKind::io);
}

INSTANTIATE_TEST_SUITE_P(Indexes, Errors, testing::ValuesIn(usable_indexes()),
                         [](const auto& item) { return test_name(item.param); });

TEST(Catalog, NamesUnavailableIndexesAndWhy) {
  bool usable = false;
  for (const IndexInfo& entry : indexes()) {
    usable |= entry.available;
    EXPECT_FALSE(entry.reason.empty()) << entry.spec;
    EXPECT_EQ(Spec(entry.spec).text(), entry.spec);
    if (entry.available) continue;
    const std::string text =
        sentence([&] { static_cast<void>(build(std::vector<int>{1}, entry.spec)); });
    EXPECT_SAYS(text, entry.spec);
    EXPECT_SAYS(text, entry.reason);
    EXPECT_EQ(kind_of([&] { static_cast<void>(build(std::vector<int>{1}, entry.spec)); }),
              ErrorKind::unavailable);
  }
  EXPECT_TRUE(usable);
}

TEST(ErrorKinds, OfSpecs) {
  const auto of_spec = [](const std::string& spec) {
    return kind_of([&] { static_cast<void>(build(std::vector<int>{1}, spec)); });
  };
  EXPECT_EQ(of_spec("sorted@cpu"), std::nullopt);
  EXPECT_EQ(of_spec("bvh"), ErrorKind::invalid_argument);
  EXPECT_EQ(of_spec("sorted@cpu,threads=0"), ErrorKind::invalid_argument);
  EXPECT_EQ(of_spec("sorted@cpu,mode=3d"), ErrorKind::invalid_argument);
  EXPECT_EQ(of_spec("sorted@cuda77"), ErrorKind::unavailable);
}

TEST(ErrorKinds, OfFiles) {
  const TemporaryFolder folder;
  const auto of_file = [](const std::string& path) {
    return kind_of([&] { static_cast<void>(load(path)); });
  };
  EXPECT_EQ(of_file(folder.file("none")), ErrorKind::io);
  EXPECT_EQ(of_file(folder.file(".")), ErrorKind::io);
  EXPECT_EQ(of_file(""), ErrorKind::io);
  const std::string path = folder.file("a.rtindex");
  std::ofstream(path) << "not an index";
  EXPECT_EQ(of_file(path), ErrorKind::corrupt_file);
  build(std::vector<int>{1, 2, 3}, "sorted@cpu").save(path);
  EXPECT_EQ(of_file(path), std::nullopt);
  std::filesystem::resize_file(path, 5000);
  EXPECT_EQ(of_file(path), ErrorKind::corrupt_file);
}

TEST(ErrorKinds, OfMemory) {
  // The array of answers would exceed the address space, so that no allocator is called: address
  // sanitizers end the process where one fails.
  const std::uint8_t byte = 0;
  const Index index = build(std::vector<std::uint8_t>{1}, "sorted@cpu");
  const ColumnView lookups = ColumnView::of(Type::u8, &byte, std::size_t{1} << 62);
  EXPECT_EQ(kind_of([&] { static_cast<void>(index.lookup(lookups)); }), ErrorKind::out_of_memory);
}

}  // namespace
}  // namespace rtindex::test
