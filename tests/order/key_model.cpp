// Pieces of columns in key order, and the search for the piece of a key.

#include "order/key_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "order/key_parts.hpp"
#include "order/pairs.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

// As the grid on the CPU joins.
constexpr JoinLimits limits{1.1, 1.1, 14000};

std::vector<Pair<std::uint64_t>> pairs_of(Keys keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<Pair<std::uint64_t>> pairs;
  for (const std::uint64_t key : keys)
    pairs.push_back({key, static_cast<std::uint32_t>(pairs.size())});
  return pairs;
}

// Keys from 0 on, as columns are encoded.
std::vector<std::pair<std::string, Keys>> columns() {
  Random random(11);
  const std::size_t size = 100000;
  std::vector<std::pair<std::string, Keys>> all = {
      {"none", {}}, {"one", {0}}, {"zeros", Keys(3000)}};
  const auto add = [&](const std::string& name, const auto& key) {
    Keys keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = i == 0 ? 0 : key(i);
    all.emplace_back(name, std::move(keys));
  };
  add("dense", [&](std::size_t i) { return i; });
  add("uniform", [&](std::size_t) { return random.bits(); });
  add("long tail", [&](std::size_t) { return random.bits() >> random.below(60); });
  add("clusters", [&](std::size_t) { return (random.below(300) << 50) + random.below(1 << 20); });
  add("outlier", [&](std::size_t i) { return i == 7 ? ~std::uint64_t{0} : random.bits() >> 40; });
  add("short runs", [&](std::size_t) { return random.below(2000) * 12345; });
  add("long runs", [&](std::size_t) { return random.below(20) * 12345; });
  add("greatest", [&](std::size_t i) { return i % 3 == 0 ? ~std::uint64_t{0} : i; });
  add("consecutive runs", [&](std::size_t i) { return (i / 64 * 0x9e3779b97f4a7c15U) + i % 64; });
  // Their lowest key fills a chunk, and is not 0: the ends of intervals, or what erased keys leave.
  all.emplace_back("one run", Keys(15000, 1'000'000'000));
  Keys runs(40000, 1'000'000'000);
  for (std::uint64_t i = 0; i < 2000; ++i) runs.push_back(2'000'000'000 + i * i);
  all.emplace_back("run first", std::move(runs));
  add("powers", [&](std::size_t i) { return std::uint64_t{1} << (i % 64); });
  return all;
}

class KeyModel : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const auto all = columns();
    pairs_ = pairs_of(all[GetParam()].second);
    span_ = pairs_.empty() ? 0 : pairs_.back().key;
  }

  std::vector<Pair<std::uint64_t>> pairs_;
  std::uint64_t span_ = 0;
};

TEST_P(KeyModel, PiecesBeginAtTheFirstKeyThatBelongsToThem) {
  for (const std::uint64_t more : {0, 1, 1000}) {
    const std::uint64_t span = span_ > ~more ? span_ : span_ + more;
    const std::vector<KeyPiece> pieces =
        cut_into_pieces(pairs_.data(), pairs_.size(), span, limits);
    ASSERT_FALSE(pieces.empty());
    EXPECT_EQ(pieces.front().first, 0U);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0) {
        ASSERT_LT(pieces[i - 1].first, pieces[i].first);
      }
      ASSERT_LE(pieces[i].first, span);
      const auto at = std::partition_point(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
        return pair.key < pieces[i].first;
      });
      ASSERT_EQ(pieces[i].begin, at - pairs_.begin()) << i;
    }
  }
}

// Within a piece, 16 bits hold the difference of positions from those of even keys.
TEST_P(KeyModel, KeysLieNearALineThroughTheirPiece) {
  const std::vector<KeyPiece> pieces = cut_into_pieces(pairs_.data(), pairs_.size(), span_, limits);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool is_last = i + 1 == pieces.size();
    const std::size_t end = is_last ? pairs_.size() : pieces[i + 1].begin;
    const auto width =
        static_cast<double>((is_last ? span_ : pieces[i + 1].first - 1) - pieces[i].first) + 1;
    const double keys = static_cast<double>(end) - pieces[i].begin;
    if (width == 1) continue;  // one key, and one cell
    for (std::size_t at = pieces[i].begin; at < end; ++at) {
      if (at > 0 && pairs_[at].key == pairs_[at - 1].key) continue;
      const double line = static_cast<double>(pairs_[at].key - pieces[i].first) / width * keys;
      ASSERT_LT(std::abs(line - static_cast<double>(at - pieces[i].begin)), 32000)
          << "piece " << i << " of " << pieces.size();
    }
  }
}

TEST_P(KeyModel, RootFindsThePieceOfEveryKey) {
  const std::vector<KeyPiece> pieces = cut_into_pieces(pairs_.data(), pairs_.size(), span_, limits);
  Keys firsts;
  for (const KeyPiece& piece : pieces) firsts.push_back(piece.first);
  Keys wanted = {0, span_};
  for (const std::uint64_t first : firsts)
    for (const std::uint64_t step : {-1, 0, 1}) wanted.push_back(first + step);
  for (const auto& pair : pairs_) wanted.push_back(std::uint64_t{pair.key});
  for (const PieceSearch search : {PieceSearch::in_step, PieceSearch::single}) {
    const MadeRoot made = make_root(firsts, span_, search);
    EXPECT_EQ(made.table.empty(), !made.root.has_table);
    for (const std::uint64_t key : wanted) {
      if (key > span_) continue;
      const auto expected =
          std::upper_bound(firsts.begin(), firsts.end(), key) - firsts.begin() - 1;
      const auto first_of = [&](std::uint32_t piece) { return firsts.at(piece); };
      if (search == PieceSearch::single) {
        ASSERT_EQ(made.root.find(made.table.data(), key, first_of), expected) << key;
        continue;
      }
      std::uint32_t piece = made.root.has_table ? made.table.at(made.root.slot(key)) : 0;
      step_to_pieces(made.root.steps, made.root.last, &key, 1, first_of, &piece);
      ASSERT_EQ(piece, expected) << key;
    }
  }
}

TEST_P(KeyModel, PartsHaveTheRowsOfTheirKeys) {
  constexpr std::size_t wanted = 100;
  const KeyParts parts([&](std::uint32_t position) { return pairs_[position].key; }, pairs_.size(),
                       span_, wanted);
  ASSERT_GE(parts.size(), 1U);
  ASSERT_LE(parts.size(), wanted);
  EXPECT_EQ(parts[0].first, 0U);
  EXPECT_EQ(parts[0].begin, 0U);
  EXPECT_EQ(parts[parts.size() - 1].last, span_);
  EXPECT_EQ(parts[parts.size() - 1].end, pairs_.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KeyPart part = parts[i];
    ASSERT_LE(part.first, part.last);
    if (i > 0) {
      ASSERT_EQ(part.first, parts[i - 1].last + 1);
      ASSERT_EQ(part.begin, parts[i - 1].end);
    }
    for (std::size_t at = part.begin; at < part.end; ++at) {
      const std::uint64_t key = pairs_[at].key;
      ASSERT_GE(key, part.first);
      ASSERT_LE(key, part.last);
    }
    const std::uint64_t ends[] = {part.first, part.last};
    std::uint32_t found[2];
    parts.find(ends, 2, found);
    ASSERT_EQ(found[0], i);
    ASSERT_EQ(found[1], i);
    // A part has more rows only where a key is repeated.
    const std::size_t even = pairs_.size() / wanted + 1;
    if (part.end - part.begin <= 2 * even) continue;
    std::size_t longest = 0;
    for (std::size_t at = part.begin, run = 0; at < part.end; ++at) {
      run = at > part.begin && pairs_[at].key == pairs_[at - 1].key ? run + 1 : 1;
      longest = std::max(longest, run);
    }
    ASSERT_LE(part.end - part.begin, longest + 2 * even) << "part " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, KeyModel, testing::Range(std::size_t{0}, columns().size()),
                         [](const auto& item) {
                           std::string name = columns()[item.param].first;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

// A GPU omits stretches that do not fit its list: their keys then belong to the stretch before.
TEST(KeyModelPieces, BeginAtTheirFirstKeyIfStretchesAreOmitted) {
  Random random(13);
  Keys keys = {0};
  // Runs that are a little longer than a step, each behind a key of its own, at uneven distances.
  while (keys.size() < 3 * std::size_t{pieces::chunk_keys}) {
    keys.push_back(keys.back() + 1 + (random.bits() >> (24 + random.below(40))));
    keys.insert(keys.end(), 33, keys.back() + 1 + (random.bits() >> (24 + random.below(40))));
  }
  const auto pairs = pairs_of(keys);
  const auto size = static_cast<std::uint32_t>(pairs.size());
  const auto key_at = [&](std::uint32_t position) { return std::uint64_t{pairs[position].key}; };
  const std::uint64_t last_key = key_at(size - 1);
  std::vector<KeyStretch> stretches;
  bool left_out = false;
  for (std::uint32_t chunk = 0; chunk * pieces::chunk_keys < size; ++chunk) {
    std::size_t room = 100;
    cut_chunk(
        key_at,
        [&](std::uint32_t block) {
          const std::uint32_t begin = block * pieces::block_keys;
          const std::uint32_t end = begin + std::min(size - begin, pieces::block_keys);
          return pieces::step_squares(key_at, begin, end, size, last_key + 1);
        },
        size, last_key + 1, chunk, limits,
        [&](const KeyStretch& stretch) {
          left_out = left_out || room == 0;
          if (room == 0) return;
          --room;
          stretches.push_back(stretch);
        });
  }
  EXPECT_TRUE(left_out);
  for (const KeyPiece& piece : join_stretches(stretches, size, last_key, last_key, limits)) {
    const auto at = std::partition_point(pairs.begin(), pairs.end(),
                                         [&](const auto& pair) { return pair.key < piece.first; });
    ASSERT_EQ(piece.begin, at - pairs.begin());
  }
}

TEST(KeyModelPieces, AreFewForSmoothDistributions) {
  Random random(12);
  const auto pieces_of = [&](const auto& key) {
    Keys keys(300000);
    for (std::uint64_t& each : keys) each = key();
    keys[0] = 0;
    const auto pairs = pairs_of(keys);
    return cut_into_pieces(pairs.data(), pairs.size(), pairs.back().key, limits).size();
  };
  EXPECT_EQ(pieces_of([&] { return random.bits(); }), 1U);
  EXPECT_LT(pieces_of([&] { return random.bits() >> random.below(48); }), 100U);
  EXPECT_LT(pieces_of([&] {
              const double x = static_cast<double>(random.bits() >> 11) * 0x1p-53;
              return static_cast<std::uint64_t>(x * x * x * 1e18);
            }),
            60U);
}

// Wherever the piece begins.
TEST(KeyPieces, OfEvenKeysAreNotCrowded) {
  Keys keys;
  for (std::uint64_t i = 0; i < 30000; ++i) keys.push_back(3 * i);
  for (std::uint64_t i = 0; i < 30000; ++i) keys.push_back((std::uint64_t{1} << 40) + 5 * i);
  const auto pairs = pairs_of(keys);
  const std::vector<KeyPiece> pieces =
      cut_into_pieces(pairs.data(), pairs.size(), keys.back(), limits);
  ASSERT_GE(pieces.size(), 2U);
  EXPECT_NEAR(pieces.front().crowding, 1, 0.1);
  EXPECT_NEAR(pieces.back().crowding, 1, 0.1);
}

}  // namespace
}  // namespace rtindex::test
