#include <algorithm>
#include <string>
#include <string_view>

#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

using MakeString = std::function<std::string(Random&, std::size_t)>;

Workload strings_of(std::string name, Layout layout, std::size_t size, MakeString make) {
  return {std::move(name), [=](Random& random) {
            std::vector<std::string> values;
            for (std::size_t i = 0; i < size; ++i) {
              values.push_back(make(random, i));
              if (layout == Layout::fixed)
                while (values.back().ends_with('\0')) values.back().pop_back();
            }
            random.shuffle(values);
            return strings(values, layout);
          }};
}

std::string word(Random& random, const std::string& alphabet, std::size_t longest) {
  std::string text;
  for (std::size_t length = random.below(longest + 1); length > 0; --length)
    text += alphabet[random.below(alphabet.size())];
  return text;
}

MakeString words(std::string prefix, std::string alphabet, std::size_t longest) {
  return [=](Random& random, std::size_t) { return prefix + word(random, alphabet, longest); };
}

// Eight equal bytes after the common prefix, so that strings differ in their tails alone.
std::string same_head(Random& random, std::size_t i) {
  static const std::vector<std::string> heads = {"aaaaaaaa", "aaaaaaab", "zzzzzzzz"};
  return "common/prefix/" + heads[i % heads.size()] + word(random, "xy", 4);
}

std::string sentence(Random& random, std::size_t) {
  static const std::vector<std::string> words = {"the", "ray", "hits", "a", "triangle"};
  std::string text = "customer ";
  for (std::size_t count = 1 + random.below(4); count > 0; --count)
    text += random.pick(words) + " ";
  return text;
}

// Beginnings that many share, and numbers of any length.
std::string url(Random& random, std::size_t) {
  static const std::vector<std::string> hosts = {"https://www.example.org/", "https://a.io/",
                                                 "http://shop.example.com/"};
  static const std::vector<std::string> folders = {"", "users/", "products/items/"};
  return random.pick(hosts) + random.pick(folders) + std::to_string(random.below(3000));
}

std::string digits(Random& random, std::string_view of, std::size_t length) {
  std::string text;
  while (text.size() < length) text += of[random.below(of.size())];
  return text;
}

// Characters of one to four bytes.
std::string name(Random& random, std::size_t) {
  static const std::vector<std::string> parts = {"Zo\xC3\xAB", "Li", "\xE6\x97\xA5\xE6\x9C\xAC",
                                                 "O'",         " ",  "\xF0\x9F\x98\x80"};
  std::string text;
  for (std::size_t count = 1 + random.below(4); count > 0; --count) text += random.pick(parts);
  return text;
}

}  // namespace

std::vector<Workload> string_workloads() {
  using namespace std::string_literals;
  const std::string nul_and_more = "\0\x01\xff"s;
  std::vector<Workload> list = {
      strings_of("short_strings", Layout::strings, 600, words("", "abc", 6)),
      strings_of("long_strings", Layout::views, 600, words("", "abcdefgh", 30)),
      strings_of("prefixed_strings", Layout::offsets32, 600,
                 words("http://example.org/", "ab", 12)),
      strings_of("same_head_strings", Layout::offsets64, 500, same_head),
      strings_of("sentences", Layout::strings, 600, sentence),
      strings_of("embedded_nul_strings", Layout::strings, 600, words("", nul_and_more, 4)),
      strings_of("prefixed_nul_strings", Layout::views, 600, words("p\0q\0"s, "a\0"s, 11)),
      strings_of("high_byte_strings", Layout::strings, 600,
                 words("\xff\xff", "\x7f\x80\xff\xfe", 9)),
      strings_of("exactly_8_strings", Layout::strings, 500,
                 [](Random& random, std::size_t) {
                   std::string text(8, '\xff');
                   for (char& c : text)
                     if (random.one_in(2)) c = '\xfe';
                   return text;
                 }),
      strings_of("fixed_strings", Layout::fixed, 600, words("id", "0123", 9)),
      strings_of("fixed_nul_strings", Layout::fixed, 600, words("", "a\0"s, 10)),
      strings_of("all_equal_strings", Layout::strings, 300,
                 [](Random&, std::size_t) { return "the same long string"s; }),
      strings_of("all_empty_strings", Layout::strings, 50,
                 [](Random&, std::size_t) { return ""s; }),
      strings_of("prefixes_of_each_other", Layout::strings, 300,
                 [](Random&, std::size_t i) { return std::string(i % 24, 'a'); }),
      strings_of("urls", Layout::offsets32, 600, url),
      strings_of("utf8_names", Layout::offsets64, 400, name),
      strings_of(
          "uuids", Layout::views, 500,
          [](Random& random, std::size_t) { return digits(random, "0123456789abcdef", 32); }),
      strings_of("numbered_names", Layout::fixed, 500,
                 [](Random& random, std::size_t) {
                   return "customer-000" + digits(random, "0123456789", 4);
                 }),
      strings_of("single_string", Layout::strings, 1, words("lonely", "a", 0)),
      strings_of("no_strings", Layout::offsets32, 0, words("", "a", 1)),
  };
  for (const auto& [at, name, one_in] :
       std::vector<std::tuple<std::size_t, std::string, std::size_t>>{
           {1, "nulls_long_strings", 3},
           {3, "nulls_same_head_strings", 2},
           {0, "all_null_strings", 1}})
    list.push_back({name, [base = list[at], one_in = one_in](Random& random) {
                      return with_nulls(base.make(random),
                                        [&](std::size_t) { return random.one_in(one_in); });
                    }});
  // Sorted already; most rows share what their encoding holds.
  list.push_back({"in_order_same_head_strings", [](Random& random) {
                    std::vector<std::string> values;
                    for (std::size_t i = 0; i < 400; ++i) values.push_back(same_head(random, i));
                    std::sort(values.begin(), values.end());
                    return strings(values, Layout::offsets32);
                  }});
  return list;
}

}  // namespace rtindex::test
