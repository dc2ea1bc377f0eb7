// Index files of format 1, which held one segment, open and change like new ones.

#include "indexes/format_1_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

namespace rtindex::test {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Rows = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

void put(std::vector<std::byte>& bytes, std::size_t at, std::string_view digits) {
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes[at + i / 2] =
        static_cast<std::byte>(std::strtoul(std::string(digits.substr(i, 2)).c_str(), nullptr, 16));
}

constexpr std::size_t page = 4096;

std::vector<std::byte> bytes_of(const OldFile& file) {
  std::vector<std::byte> bytes(page * (1 + file.sections.size()));
  nlohmann::json sections;
  for (const OldSection& section : file.sections) {
    const std::size_t offset = page * (1 + sections.size());
    const std::size_t listed = section.digits.size() / 2;
    put(bytes, offset, section.digits);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset + listed), section.filler,
                std::byte{0xff});
    sections.push_back({{"bytes", listed + section.filler},
                        {"checksum", section.checksum},
                        {"name", section.name},
                        {"offset", offset},
                        {"small", section.small}});
  }
  const nlohmann::json header = {{"library", "0.1.0"},
                                 {"numbers", file.numbers},
                                 {"sections", sections},
                                 {"texts", file.texts}};
  const std::string text = header.dump(1) + '\n';
  put(bytes, 0, file.prelude);
  std::transform(text.begin(), text.end(), bytes.begin() + 64,
                 [](char letter) { return static_cast<std::byte>(letter); });
  return bytes;
}

Index opened(const OldFile& file) { return deserialize(bytes_of(file), {.verify = Verify::full}); }

// The same content in the newest format.
Index rewritten(const Index& index) {
  return deserialize(index.serialize(), {.verify = Verify::full});
}

// The index, and the same in the newest format.
std::array<Index, 2> twice(const Index& index) { return {index.snapshot(), rewritten(index)}; }

Rows rows_of(const Index& index, const ColumnView& key) {
  const Answers answers = index.lookup(key, Answer::rows);
  Rows rows(answers.rows().begin(), answers.rows().end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

void expect_numbers(const Index& index) {
  EXPECT_EQ(index.size(), 10U);
  EXPECT_EQ(index.live(), 8U);  // rows 4 and 8 are null
  EXPECT_EQ(rows_of(index, Numbers{10}), (Rows{1, 3, 9}));
  EXPECT_EQ(rows_of(index, Numbers{30}), (Rows{2, 7}));
  EXPECT_EQ(rows_of(index, Numbers{4'000'000'000}), (Rows{6}));
  EXPECT_EQ(rows_of(index, Numbers{0, 40, 60}), Rows{});
}

TEST(Format1, NativeWithIncludedValues) {
  const Index old = opened(format_1_native);
  EXPECT_EQ(old.spec().option("threads", ""), "1");
  EXPECT_EQ(old.metadata().at("table"), "trades");
  for (const Index& index : twice(old)) {
    expect_numbers(index);
    EXPECT_EQ(index.included(), Type::i16);
    const Answers sums = index.range(Numbers{0, 11}, Numbers{20, ~0U}, Answer::sum);
    EXPECT_EQ(sums.sum_as<std::int64_t>()[0], -4);
    EXPECT_EQ(sums.sum_as<std::int64_t>()[1], 21);
  }
}

TEST(Format1, NativeChanges) {
  Index index = opened(format_1_native);
  index.update(Rows{8}, Numbers{10});  // a null, whose value was kept
  EXPECT_EQ(index.live(), 9U);
  EXPECT_EQ(rows_of(index, Numbers{10}), (Rows{1, 3, 8, 9}));
  EXPECT_EQ(index.insert(Numbers{10}, std::vector<std::int16_t>{1000}), 10U);
  index.erase(Rows{4, 1});
  EXPECT_EQ(index.live(), 9U);
  for (const bool merged : {false, true}) {
    if (merged) index.merge();
    for (const Index& same : twice(index)) {
      EXPECT_EQ(rows_of(same, Numbers{10}), (Rows{3, 8, 9, 10}));
      EXPECT_EQ(same.lookup(Numbers{10}, Answer::sum).sum_as<std::int64_t>()[0], 1093);
    }
  }
  EXPECT_THROW(index.update(Rows{4}, Numbers{1}), Error);
}

TEST(Format1, Hash) {
  Index index = opened(format_1_hash);
  expect_numbers(index);
  expect_numbers(rewritten(index));
  EXPECT_EQ(index.erase_keys(Numbers{10, 0}), 3U);
  EXPECT_EQ(index.insert(Numbers{10}), 10U);
  EXPECT_EQ(rows_of(rewritten(index), Numbers{10}), (Rows{10}));
  EXPECT_EQ(index.live(), 6U);
}

Texts old_texts() {
  Texts texts;
  for (std::size_t i = 0; i < 8; ++i)
    texts.push_back("a common start " + std::string(i % 4, 'x') + " and a long tail " +
                    std::to_string(i));
  texts[5] = texts[2];
  return texts;
}

TEST(Format1, Strings) {
  const Texts texts = old_texts();
  Index index = opened(format_1_string);
  for (const Index& same : twice(index)) {
    for (std::uint32_t row : {0U, 1U, 3U, 4U, 6U, 7U})
      EXPECT_EQ(rows_of(same, Texts{texts[row]}), Rows{row});
    EXPECT_EQ(rows_of(same, Texts{texts[2]}), (Rows{2, 5}));
    EXPECT_EQ(rows_of(same, Texts{"a common start "}), Rows{});
    EXPECT_EQ(same.range(Texts{"a"}, Texts{"b"}, Answer::count).count()[0], 8U);
  }
  EXPECT_EQ(index.insert(Texts{"outside", texts[2]}), 8U);
  index.update(Rows{2}, Texts{texts[7]});
  for (const Index& same : twice(index)) {
    EXPECT_EQ(rows_of(same, Texts{texts[2]}), (Rows{5, 9}));
    EXPECT_EQ(rows_of(same, Texts{texts[7]}), (Rows{2, 7}));
    EXPECT_EQ(rows_of(same, Texts{"outside"}), Rows{8});
  }
}

TEST(Format1, CompositesWithIncludedValues) {
  const auto key = [](const std::vector<std::int32_t>& number, const Texts& text) {
    return ColumnView::composite({number, text});
  };
  const std::vector<std::int32_t> three = {3};
  const std::vector<std::int32_t> minus = {-1};
  const Texts north = {"north and beyond"};
  const Texts south = {"southern part"};
  Index index = opened(format_1_composite);
  for (const Index& same : twice(index)) {
    EXPECT_EQ(rows_of(same, key(three, north)), (Rows{0, 2}));
    EXPECT_EQ(rows_of(same, key(minus, south)), Rows{4});
    EXPECT_EQ(same.lookup(key(three, north), Answer::sum).sum_as<double>()[0], 3.0);
  }
  EXPECT_EQ(index.insert(key(three, north), std::vector<double>{100}), 6U);
  index.erase(Rows{0});
  for (const Index& same : twice(index)) {
    EXPECT_EQ(rows_of(same, key(three, north)), (Rows{2, 6}));
    EXPECT_EQ(same.lookup(key(three, north), Answer::sum).sum_as<double>()[0], 102.5);
  }
}

}  // namespace
}  // namespace rtindex::test
