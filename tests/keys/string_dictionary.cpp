#include "keys/string_dictionary.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/error.hpp>

#include "support/random.hpp"

namespace rtindex::test {
namespace {

using namespace std::string_literals;

using MakeText = std::function<std::string(Random&, std::size_t)>;

std::string text_over(Random& random, std::string_view alphabet, std::size_t longest) {
  std::string text;
  for (std::size_t length = random.below(longest + 1); length > 0; --length)
    text += alphabet[random.below(alphabet.size())];
  return text;
}

std::string any_bytes(Random& random, std::size_t longest) {
  std::string text;
  for (std::size_t length = random.below(longest + 1); length > 0; --length)
    text += static_cast<char>(random.below(256));
  return text;
}

std::string url(Random& random, std::size_t) {
  static const std::vector<std::string> hosts = {"https://www.example.org/",
                                                 "https://shop.a-b.net/", "http://x.io/",
                                                 "https://www.example.com/"};
  static const std::vector<std::string> folders = {"", "users/", "products/item/",
                                                   "a/very/long/way/"};
  return random.pick(hosts) + random.pick(folders) + fmt::format("{:07}", random.below(2000));
}

struct Strings {
  std::string name;
  MakeText make;
};

const std::vector<Strings> kinds = {
    {"letters", [](Random& random, std::size_t) { return text_over(random, "ab", 12); }},
    {"bytes", [](Random& random, std::size_t) { return any_bytes(random, 20); }},
    {"nul_and_ff",
     [](Random& random, std::size_t) { return text_over(random, "\0\x01\xfe\xff"s, 9); }},
    {"urls", url},
    {"names",
     [](Random&, std::size_t i) { return fmt::format("customer-{:09}", i * 7919 % 100003); }},
    {"hex",
     [](Random& random, std::size_t) {
       return fmt::format("{:016x}{:016x}", random.below(~std::uint64_t{0}),
                          random.below(~std::uint64_t{0}));
     }},
    {"short_hex",
     [](Random& random, std::size_t) { return fmt::format("{:x}", random.below(1 << 20)); }},
    {"prefix_chain", [](Random&, std::size_t i) { return std::string(i % 200, 'a'); }},
    {"long_beginnings",
     [](Random& random, std::size_t) {
       return std::string(300 + 200 * random.below(3), 'x') + text_over(random, "yz", 40);
     }},
    {"utf8",
     [](Random& random, std::size_t) {
       static const std::vector<std::string> parts = {"Zoë", "Ångström", "日本", "语",
                                                      "é",   "e",        "😀"};
       std::string text;
       for (std::size_t count = random.below(8); count > 0; --count) text += random.pick(parts);
       return text;
     }},
    {"all_equal", [](Random&, std::size_t) { return "the same"s; }},
    {"many_beginnings",
     [](Random& random, std::size_t) {
       return fmt::format("{}.example.{}/{}", text_over(random, "abcdefghijklmnop", 3),
                          text_over(random, "xyz", 2), text_over(random, "0123456789abcdef", 24));
     }},
};

class StringDictionaries : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] std::vector<std::string> texts(std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(kinds[GetParam()].make(random, i));
    return all;
  }
  // Strings that are near those of a column, and strings that have nothing to do with them.
  [[nodiscard]] std::vector<std::string> with_others(std::vector<std::string> all) {
    const std::size_t size = all.size();
    for (std::size_t i = 0; i < size; ++i) {
      std::string text = all[i];
      switch (random.below(5)) {
        case 0: text += static_cast<char>(random.below(256)); break;
        case 1: text.resize(random.below(text.size() + 1)); break;
        case 2:
          if (!text.empty()) text[random.below(text.size())] = static_cast<char>(random.below(256));
          break;
        case 3: text = any_bytes(random, 24); break;
        default: text.insert(random.below(text.size() + 1), 1, '\0'); break;
      }
      all.push_back(std::move(text));
    }
    all.emplace_back();
    all.emplace_back(40, '\xff');
    return all;
  }
  static void expect_order(const StringDictionary& dictionary, std::vector<std::string> all) {
    std::sort(all.begin(), all.end());
    std::string decoded;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint64_t code = dictionary.encode(all[i]);
      if (StringMap::is_exact(code)) {
        dictionary.decode(code, decoded);
        ASSERT_EQ(decoded, all[i]);
      }
      if (i == 0) continue;
      const std::uint64_t before = dictionary.encode(all[i - 1]);
      ASSERT_LE(before, code) << all[i - 1] << "\n" << all[i];
      if (before == code && StringMap::is_exact(code)) {
        ASSERT_EQ(all[i - 1], all[i]);
      }
    }
  }

  Random random{17};
};

TEST_P(StringDictionaries, KeepTheOrderOfAllStrings) {
  for (const std::size_t size : {1, 2, 30, 3000}) {
    const std::vector<std::string> column = texts(size);
    const StringDictionary dictionary({column.begin(), column.end()}, column.size());
    expect_order(dictionary, with_others(column));
  }
}

TEST_P(StringDictionaries, KeepTheOrderOfStringsOutsideTheSample) {
  const std::vector<std::string> sample = texts(40);
  const StringDictionary dictionary({sample.begin(), sample.end()}, 10'000);
  expect_order(dictionary, with_others(texts(3000)));
}

INSTANTIATE_TEST_SUITE_P(Keys, StringDictionaries, testing::Range<std::size_t>(0, kinds.size()),
                         [](const auto& tested) { return kinds[tested.param].name; });

std::size_t distinct_codes(const StringDictionary& dictionary,
                           const std::vector<std::string>& all) {
  std::vector<std::uint64_t> codes;
  codes.reserve(all.size());
  for (const std::string& text : all) codes.push_back(dictionary.encode(text));
  std::sort(codes.begin(), codes.end());
  return static_cast<std::size_t>(std::unique(codes.begin(), codes.end()) - codes.begin());
}

TEST(StringDictionary, HasExactCodesForUrlsOfSeveralHosts) {
  Random random(1);
  std::vector<std::string> urls;
  for (std::size_t i = 0; i < 20'000; ++i) urls.push_back(url(random, i));
  const StringDictionary dictionary({urls.begin(), urls.begin() + 5000}, urls.size());
  EXPECT_TRUE(dictionary.is_exact());
  for (const std::string& text : urls) ASSERT_TRUE(StringMap::is_exact(dictionary.encode(text)));
}

TEST(StringDictionary, HasDistinctCodesForLongRandomStrings) {
  Random random(2);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 20'000; ++i)
    texts.push_back(fmt::format("{:016x}{:016x}", random.below(~std::uint64_t{0}), i));
  const StringDictionary dictionary({texts.begin(), texts.begin() + 5000}, texts.size());
  EXPECT_FALSE(dictionary.is_exact());
  EXPECT_EQ(dictionary.leaves(), 1U) << "dividing them gains nothing";
  EXPECT_EQ(distinct_codes(dictionary, texts), texts.size());
}

TEST(StringDictionary, HasDenseCodesForNumbers) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 10'000; ++i) names.push_back(fmt::format("customer-{:09}", i));
  const StringDictionary dictionary({names.begin(), names.end()}, names.size());
  for (std::size_t i = 1; i < names.size(); ++i)
    ASSERT_EQ(dictionary.encode(names[i]), dictionary.encode(names[i - 1]) + 2);
}

// Each byte of the sample is there only once or twice, so that others are likely to come.
TEST(StringDictionary, ExpectsTheBytesOfAFewStringsAtEveryPosition) {
  const StringDictionary dictionary({"ab", "bc", "cd", "de"}, 1000);
  for (const std::string text : {"ea", "ee", "aa", "db"})
    EXPECT_TRUE(StringMap::is_exact(dictionary.encode(text))) << text;
  EXPECT_FALSE(StringMap::is_exact(dictionary.encode(std::string("fa"))));
}

TEST(StringDictionary, StoresOneStringAsANodeAndItsLabel) {
  EXPECT_EQ(StringDictionary({"abc"}, 1).bytes(), sizeof(StringNode) + 3);
}

// A damaged file may hold codes that no string of the column has.
TEST(StringDictionary, DecodesAnyCodeToBytesOfTheColumn) {
  const StringDictionary dictionary({"a", "b"}, 2);
  std::string decoded;
  for (const std::uint64_t code : {std::uint64_t{1} << 20, ~std::uint64_t{0}}) {
    dictionary.decode(code, decoded);
    EXPECT_EQ(decoded, "b");
  }
}

TEST(StringDictionary, StaysSmall) {
  Random random(3);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 16'384; ++i)
    texts.push_back(any_bytes(random, 3) + "/" + any_bytes(random, 30));
  const StringDictionary dictionary({texts.begin(), texts.end()}, 1 << 24);
  EXPECT_LT(dictionary.bytes(), std::size_t{1} << 20);
}

// As it comes back from a file in which one node was changed.
StringDictionary with_node(const StringDictionary& dictionary, std::size_t node,
                           const std::function<void(StringNode&)>& change) {
  const auto copied = [](const auto& elements) {
    return std::vector(elements.begin(), elements.end());
  };
  std::vector<StringNode> nodes = copied(dictionary.nodes());
  change(nodes.at(node));
  Stored stored;
  FileWriter file(stored);
  file.small_array("nodes", std::move(nodes));
  file.small_array("positions", copied(dictionary.positions()));
  file.small_array("alphabets", copied(dictionary.alphabets()));
  file.small_array("labels", copied(dictionary.labels()));
  file.number("exact", 1);
  return StringDictionary(FileReader(stored));
}

TEST(StringDictionary, RejectsFilesWithAnyDamagedNode) {
  Random random(6);
  std::vector<std::string> urls;
  for (std::size_t i = 0; i < 2000; ++i) urls.push_back(url(random, i));
  const StringDictionary whole({urls.begin(), urls.end()}, urls.size());
  ASSERT_GT(whole.leaves(), 1U);
  for (std::size_t i = 0; i < whole.nodes().size(); ++i) {
    SCOPED_TRACE(i);
    const auto expect_rejected = [&](const std::function<void(StringNode&)>& change) {
      EXPECT_THROW(static_cast<void>(with_node(whole, i, change)), Error);
    };
    EXPECT_EQ(with_node(whole, i, [](StringNode&) {}).encode(urls[0]), whole.encode(urls[0]));
    expect_rejected([&](StringNode& node) {
      node.label = static_cast<std::uint32_t>(whole.labels().size() + 1);
    });
    expect_rejected([](StringNode& node) { node.label_length = ~0U; });
    expect_rejected([](StringNode& node) { node.end = node.begin; });
    expect_rejected([](StringNode& node) { node.first = ~0U; });
    expect_rejected([](StringNode& node) { node.has_end = 2; });
  }
}

// 100 beginnings, and behind each other bytes at each of 12 positions: 1200 sets of bytes.
TEST(StringDictionary, SharesSetsOfBytesWhereThereAreMany) {
  Random random(5);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 10'000; ++i) {
    const std::size_t beginning = i % 100;
    texts.push_back(fmt::format("{:02}{}", beginning, std::string(20, 'x')));
    for (std::size_t j = 0; j < 12; ++j)
      texts.back() += static_cast<char>(beginning * 7 + j * 31 +
                                        random.below(3) * (1 + beginning % 10 + j % 7));
  }
  const StringDictionary dictionary({texts.begin(), texts.end()}, texts.size());
  EXPECT_EQ(dictionary.leaves(), 100U);
  EXPECT_LT(dictionary.bytes(), 300'000U);
}

}  // namespace
}  // namespace rtindex::test
