// Files of every index with random damage, also where no checksum covers it: loading and using them
// throws an Error or returns any answer, but never a crash, a hang or a row that does not exist.
//
//   RTINDEX_FUZZ_SEED, RTINDEX_FUZZ_ROUNDS (of each case): to test longer or with other damage

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/index_bytes.hpp"
#include "support/intervals.hpp"
#include "support/lookups.hpp"
#include "support/nearest_intervals.hpp"
#include "support/run.hpp"
#include "support/some_change.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string, bool>;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t interesting_number(Random& random) {
  static const std::vector<std::uint64_t> numbers = {0,
                                                     1,
                                                     2,
                                                     15,
                                                     16,
                                                     255,
                                                     256,
                                                     1000,
                                                     4095,
                                                     4096,
                                                     0x7fffffff,
                                                     0x80000000,
                                                     0x80000001,
                                                     0x80000007,
                                                     0xfffffffe,
                                                     0xffffffff,
                                                     std::uint64_t{1} << 32,
                                                     std::uint64_t{1} << 63,
                                                     ~std::uint64_t{0}};
  return random.one_in(3) ? random.bits() : random.pick(numbers) + random.below(3) - 1;
}

class Damage {
 public:
  Damage(IndexBytes& file, Random& random)
      : file_(file), random_(random), sections_(file.sections()) {}

  // One to four changes; one choice is whether the checksums are recomputed afterwards.
  void strike() {
    for (std::size_t changes = 1 + random_.below(4); changes > 0; --changes) {
      switch (random_.below(8)) {
        case 0: overwrite_anywhere(); break;
        case 1: overwrite_block(); break;
        case 2: change_header(); break;
        case 3: change_small_section(); break;
        case 4: cut_or_extend(); break;
        default: overwrite_in_section(random_.pick(sections_)); break;
      }
      if (file_.bytes.size() < least) return;
    }
  }

 private:
  void overwrite_anywhere() {
    const auto change = static_cast<char>(1 + random_.below(255));
    char& byte = file_.bytes[random_.below(file_.bytes.size())];
    byte = static_cast<char>(byte ^ change);
  }

  void overwrite_in_section(const IndexBytes::Section& section) {
    if (section.bytes < 8 || section.offset + section.bytes > file_.bytes.size()) return;
    for (std::size_t words = std::size_t{1} << random_.below(8); words > 0; --words) {
      // Near the ends there is more to break.
      const std::size_t last = section.bytes / 4 - 2;
      const std::size_t at = random_.one_in(4)
                                 ? last - random_.below(std::min<std::size_t>(last + 1, 80))
                                 : random_.below(last + 1);
      if (random_.one_in(2))
        file_.put<std::uint64_t>(section.offset + 4 * at, interesting_number(random_));
      else
        file_.put(section.offset + 4 * at, static_cast<std::uint32_t>(interesting_number(random_)));
    }
  }

  void overwrite_block() {
    const IndexBytes::Section& section = random_.pick(sections_);
    if (section.offset + section.bytes > file_.bytes.size() || section.bytes == 0) return;
    const std::size_t begin = random_.below(section.bytes);
    const std::size_t size = 1 + random_.below(section.bytes - begin);
    const int kind = static_cast<int>(random_.below(3));
    for (std::size_t i = 0; i < size; ++i)
      file_.bytes[section.offset + begin + i] = kind == 0   ? '\0'
                                                : kind == 1 ? '\xff'
                                                            : static_cast<char>(random_.bits());
  }

  // Other numbers or bytes in the header, whose checksum is right.
  void change_header() {
    try {
      FileHeader header = file_.header();
      std::vector<std::uint64_t*> numbers;
      for (auto& [name, number] : header.numbers) numbers.push_back(&number);
      for (IndexBytes::Section& section : header.sections)
        numbers.insert(numbers.end(), {&section.offset, &section.bytes, &section.checksum});
      std::uint64_t& number = *random_.pick(numbers);
      number = random_.one_in(2) ? interesting_number(random_) : number + random_.below(3) - 1;
      std::string bytes = bytes_of(header);
      if (random_.one_in(4)) bytes[random_.below(bytes.size())] = static_cast<char>(random_.bits());
      file_.set_header(bytes);
    } catch (const std::exception&) {
      // an earlier change left no header
    }
  }

  void change_small_section() {
    for (const IndexBytes::Section& section : sections_)
      if (section.small && random_.one_in(2)) overwrite_in_section(section);
    try {
      file_.seal();
    } catch (const std::exception&) {
      // an earlier change left no header to seal
    }
  }

  void cut_or_extend() {
    if (!random_.one_in(4)) return;
    file_.bytes.resize(random_.below(2 * file_.bytes.size()));
    if (file_.bytes.size() < least) return;
    file_.put<std::uint64_t>(IndexBytes::file_bytes_at, file_.bytes.size());
    file_.seal_prelude();
  }

  static constexpr std::size_t least = 4096;

  IndexBytes& file_;
  Random& random_;
  std::vector<IndexBytes::Section> sections_;
};

// With included values, where the index supports them; after changes, with several segments, erased
// and superseded rows.
Index build_whole(const TestColumn& column, const std::string& spec, bool is_changed,
                  std::uint64_t seed) {
  ChangingIndex changing(column, spec,
                         {.seed = seed, .include = includes_values(spec), .max_rows = 0});
  if (!is_changed) return changing.index().snapshot();
  const std::vector<Key>& keys = column.keys();
  changing.insert({keys.begin(), keys.begin() + 40}, column.shape());
  changing.erase({0, 7, static_cast<std::uint32_t>(column.size()) + 3});
  changing.update({5, 11}, {keys[1], keys[2]}, column.shape());
  changing.insert({keys[0]}, column.shape());
  return changing.index().snapshot();
}

class DamagedFiles : public testing::TestWithParam<Case> {
 protected:
  void use(Index& index, const std::vector<Batch>& batches, const TestColumn& column,
           Random& random) {
    static_cast<void>(index.describe());
    static_cast<void>(index.memory_usage());
    if (index.size() > 100000) return;  // many nulls: values of all rows would be slow
    const std::vector<std::uint32_t> values(index.size(), 1);
    query_all(index, batches, values);
    if (random.one_in(2)) change(index, column, random);
    if (random.one_in(10)) {
      index.save(again_);
      Index copy = load(again_, {.verify = Verify::full});
      query_all(copy, batches, std::vector<std::uint32_t>(copy.size(), 1));
    }
    query_all(index, batches, std::vector<std::uint32_t>(index.size(), 1));
  }

  static void query_all(const Index& index, const std::vector<Batch>& batches,
                        const std::vector<std::uint32_t>& values) {
    AnswerOptions with_values = full_options();
    with_values.values = values;
    for (const Batch& batch : batches) {
      if (!supports(index, full_options().answers, batch.kind)) continue;
      query(index, batch, with_values);
      if (!index.included().empty()) query(index, batch, full_options());
    }
  }

  static void query(const Index& index, const Batch& batch, const AnswerOptions& options) {
    try {
      const Answers answers = batch.kind == QueryKind::equal
                                  ? index.lookup(batch.lower.view(), options)
                                  : index.range(batch.lower.view(), batch.upper.view(), options);
      for (const auto rows : {answers.any(), answers.first(), answers.rows()})
        for (const std::uint32_t row : rows)
          ASSERT_TRUE(row < index.size() || row == miss_row) << row;
    } catch (const Error&) {
      // as good as a wrong answer
    }
  }

  static void change(Index& index, const TestColumn& column, Random& random) {
    try {
      make_some_change(index, column, random);
    } catch (const Error&) {
      // the damage was found
    }
  }

  TemporaryFolder folder_{TemporaryFolder::Medium::memory};
  std::string whole_ = folder_.file("whole.rtindex");
  std::string damaged_ = folder_.file("damaged.rtindex");
  std::string again_ = folder_.file("again.rtindex");
};

TEST_P(DamagedFiles, CauseAnErrorOrAnyAnswer) {
  const auto& [spec, workload, is_changed] = GetParam();
  const TestColumn column = workload_named(workload).column();
  const std::uint64_t seed = from_environment("RTINDEX_FUZZ_SEED", 20240607);
  const std::size_t rounds = from_environment("RTINDEX_FUZZ_ROUNDS", affordable(80));
  Random lookups_random(seed);
  const std::vector<Batch> batches = own_batches(column, 20, lookups_random);
  build_whole(column, spec, is_changed, seed).save(whole_);
  const IndexBytes whole(whole_);
  std::size_t loaded = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    Random random(seed + round);
    IndexBytes file = whole;
    Damage(file, random).strike();
    file.write(damaged_);
    try {
      Index index = load(damaged_);
      ++loaded;
      use(index, batches, column, random);
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
    if (HasFatalFailure()) return;
  }
  RecordProperty("loaded", static_cast<int>(loaded));
  // Some damage is always detected; few rounds, as under a sanitizer, may hit large arrays alone.
  if (rounds >= 80) {
    EXPECT_GT(rounds, loaded);
  }
}

class DamagedIntervals : public testing::TestWithParam<std::string> {
 protected:
  // Every kind of query; what is wrong with its answers is not.
  static void query_all(const Index& index, const IntervalTable& table, Random& random) {
    const auto query = [&](const Query& some) {
      try {
        const Answers answers =
            index.answer(some, {.answers = Answer::first | Answer::count | Answer::rows});
        for (const auto rows : {answers.first(), answers.rows()})
          for (const std::uint32_t row : rows)
            ASSERT_TRUE(row < index.size() || row == miss_row) << row;
      } catch (const Error&) {
        // as good as a wrong answer
      }
    };
    for (const auto& [kind, ends] : every_interval_query())
      query(random_batch(table, kind, ends, 12, random).query());
    if (!index.supports(Answer::any, QueryKind::nearest)) return;
    for (const NearestOptions& how : every_nearest(table))
      query(random_nearest(table, how, 12, random).query());
  }
};

TEST_P(DamagedIntervals, CauseAnErrorOrAnyAnswer) {
  const std::uint64_t seed = from_environment("RTINDEX_FUZZ_SEED", 20240607);
  const std::size_t rounds = from_environment("RTINDEX_FUZZ_ROUNDS", affordable(80));
  const std::vector<PointValues> values = every_values();
  const std::vector<LeadingValues> leading = every_leading();
  for (std::size_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    Random random(seed + round);
    const Ends ends = every_ends[round % std::size(every_ends)];
    const IntervalTable table = random_table(values[round % values.size()],
                                             leading[round % leading.size()], ends, 90, random);
    const TestColumn column = table.column(table.rows);
    const ColumnView intervals = IntervalTable::view(column, ends);
    Index whole = build(intervals, GetParam() + ",delta=1000");
    if (random.one_in(2)) whole.insert(intervals);
    if (random.one_in(2)) whole.erase(std::vector<std::uint32_t>{1, 5, 8});
    IndexBytes file(whole.serialize());
    Damage(file, random).strike();
    try {
      Index index = deserialize(std::as_bytes(std::span(file.bytes)));
      static_cast<void>(index.describe());
      if (index.size() > 100000) continue;  // many nulls: bitmaps of all rows would be slow
      query_all(index, table, random);
      if (HasFatalFailure()) return;
      index.insert(intervals);
      index.merge();
      query_all(index, table, random);
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Indexes, DamagedIntervals, testing::ValuesIn(interval_specs()),
                         [](const auto& item) { return test_name(item.param); });

INSTANTIATE_TEST_SUITE_P(
    Indexes, DamagedFiles,
    testing::Combine(testing::ValuesIn(usable_and_bucketed()),
                     testing::Values("dense_u32", "clustered_u64", "duplicates_x256", "sparse_i64",
                                     "long_strings", "same_head_strings", "urls", "three_full_ints",
                                     "nulls_in_parts", "any_bits_f32", "in_order_dense_u32",
                                     "in_order_timestamps"),
                     testing::Bool()),
    [](const auto& tested) {
      return test_name(std::get<0>(tested.param)) + "_" + std::get<1>(tested.param) +
             (std::get<2>(tested.param) ? "_changed" : "");
    });

// Of points or of intervals.
class DamagedShapes : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  DamagedShapes() {
    for (std::uint32_t i = 0; i < 500; ++i) {
      low_.push_back(i * 37 % 401);
      high_.push_back(low_.back() + std::uint64_t{i % 9} * 70000);
    }
  }

  [[nodiscard]] ColumnView column() const {
    if (std::get<1>(GetParam())) return ColumnView::points({low_, high_});
    return ColumnView::intervals(low_, high_, Ends::closed);
  }
  void query(const Index& index) const {
    const Query box = Query::box({{ConditionKind::range, lower_, upper_, Ends::closed},
                                  {ConditionKind::range, lower_, {}, Ends::closed}});
    try {
      const Answers answers =
          index.answer(std::get<1>(GetParam()) ? box : Query::overlaps(lower_, upper_),
                       {.answers = Answer::first | Answer::count | Answer::rows | Answer::bitmap});
      for (const auto rows : {answers.first(), answers.rows()})
        for (const std::uint32_t row : rows)
          ASSERT_TRUE(row < index.size() || row == miss_row) << row;
    } catch (const Error&) {
      // as good as a wrong answer
    }
  }
  void use(Index& index) const {
    query(index);
    try {
      index.insert(column());
      index.erase(std::vector<std::uint32_t>{1, 7, 400});
      query(index);
      index.merge();
    } catch (const Error&) {
      // the damage was found
    }
    query(index);
  }

  std::vector<std::uint64_t> low_, high_;
  std::vector<std::uint64_t> lower_ = {0, 100, 300}, upper_ = {50, 100000, 400};
};

TEST_P(DamagedShapes, CauseAnErrorOrAnyAnswer) {
  if (!is_available(std::get<0>(GetParam()))) GTEST_SKIP() << "not in this build";
  Index whole = build(column(), std::get<0>(GetParam()));
  whole.erase(std::vector<std::uint32_t>{2, 3});
  const IndexBytes bytes(whole.serialize());
  const std::uint64_t seed = from_environment("RTINDEX_FUZZ_SEED", 20240608);
  const std::size_t rounds = from_environment("RTINDEX_FUZZ_ROUNDS", affordable(200));
  for (std::size_t round = 0; round < rounds && !HasFatalFailure(); ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    Random random(seed + round);
    IndexBytes file = bytes;
    Damage(file, random).strike();
    try {
      Index index = deserialize(std::as_bytes(std::span(file.bytes)));
      use(index);
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Indexes, DamagedShapes,
                         testing::Combine(testing::Values("rx:native@cpu", "rx:embree@cpu"),
                                          testing::Bool()),
                         [](const auto& tested) {
                           return test_name(std::get<0>(tested.param)) +
                                  (std::get<1>(tested.param) ? "_points" : "_intervals");
                         });

}  // namespace
}  // namespace rtindex::test
