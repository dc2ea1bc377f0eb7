// Strings as files of before there were dictionaries have them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "keys/codec.hpp"
#include "storage/index_file.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

using Texts = std::vector<std::string>;

Stored read_back(const Stored& written) {
  return read_index_bytes(write_index_bytes(written), Verify::full);
}

// What such a file has of a column: a prefix that all strings share, and as their keys the next
// bytes.
class OldStrings {
 public:
  OldStrings(Texts texts, std::size_t prefix, std::size_t head_bytes)
      : texts_(std::move(texts)), prefix_(prefix), head_bytes_(head_bytes) {}

  [[nodiscard]] Stored stored() const {
    std::vector<std::uint64_t> heads;
    std::string tails;
    Array<std::uint8_t> lengths(texts_.size());
    Array<std::uint64_t> starts(texts_.size() + 1);
    starts[0] = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::string rest = texts_[i].substr(prefix_);
      heads.push_back(head_of(rest));
      lengths[i] = static_cast<std::uint8_t>(std::min(rest.size(), head_bytes_));
      tails += rest.substr(lengths[i]);
      starts[i + 1] = tails.size();
    }
    const auto [smallest, largest] = std::minmax_element(heads.begin(), heads.end());
    Stored written;
    FileWriter file(written);
    file.text("type", "string");
    file.number("span", *largest - *smallest);
    file.number("empty", 0);
    file.number("head_bytes", head_bytes_);
    file.number("base", *smallest);
    const std::string prefix = texts_[0].substr(0, prefix_);
    file.small_array("prefix", std::vector<char>(prefix.begin(), prefix.end()));
    file.number("tails_kept", tails.empty() ? 0 : 1);
    if (!tails.empty()) {
      file.array("head_lengths", std::move(lengths));
      file.array("tail_starts", std::move(starts));
      file.array<char>("tails", tails);
    }
    return read_back(written);
  }

 private:
  [[nodiscard]] std::uint64_t head_of(const std::string& rest) const {
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < head_bytes_; ++i)
      head = head << 8 | (i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U);
    return head;
  }

  Texts texts_;
  std::size_t prefix_, head_bytes_;
};

void expect_texts(const KeyCodec& codec, const Texts& texts) {
  const TestColumn column = strings(texts);
  const EncodedColumn encoded = codec.encode(column.view());
  ASSERT_EQ(encoded.size(), texts.size());
  const OwnedColumn decoded = codec.decode(encoded);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(decoded.view().string(i), texts[i]);

  Texts ends = texts;
  for (const std::string& text : texts) {
    ends.push_back(text + "!");
    ends.push_back(text.substr(0, text.size() - 1));
  }
  ends.insert(ends.end(), {"", "a", "zz"});
  for (const std::string& low : ends)
    for (const std::string& high : ends) {
      const TestColumn lower = strings(Texts{low});
      const TestColumn upper = strings(Texts{high});
      Interval interval{};
      std::uint8_t checks = check_none;
      codec.encode_lookups(lower.view(), upper.view(), {}, 0, 1, &interval, &checks);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool found = interval.contains(encoded.keys[i]) &&
                           codec.accepts(lower.view(), upper.view(), {}, 0, interval, checks,
                                         static_cast<std::uint32_t>(i), encoded.keys[i]);
        ASSERT_EQ(found, low <= texts[i] && texts[i] <= high)
            << texts[i] << " from '" << low << "' to '" << high << "'";
      }
    }
}

void expect_codec(const Texts& texts, std::size_t prefix, std::size_t head_bytes,
                  bool keeps_tails) {
  const Stored old = OldStrings(texts, prefix, head_bytes).stored();
  const auto codec = KeyCodec::from_file(FileReader(old), texts.size());
  EXPECT_EQ(codec->has_residual(), keeps_tails);
  expect_texts(*codec, texts);
  Stored written;
  codec->save(FileWriter(written));
  const Stored again = read_back(written);
  const auto same = KeyCodec::from_file(FileReader(again), texts.size());
  EXPECT_EQ(same->has_residual(), keeps_tails);
  EXPECT_EQ(same->describe(), codec->describe());
  expect_texts(*same, texts);
}

TEST(HeadCodec, OfStringsThatFitTheirHeads) {
  expect_codec({"item-q7", "item-b", "item-zz9", "item-b", "item-bb"}, 5, 3, false);
}

TEST(HeadCodec, OfStringsWithTails) {
  expect_codec({"item-3, a long one", "item-3, a longer one", "item-9", "item-3, a long one",
                "item-3, a l", "item-7, another"},
               5, 8, true);
}

}  // namespace
}  // namespace rtindex::test
