// Columns of points on a GPU, built and searched in host and device memory, against a full scan and
// against the index of the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/boxes.hpp"
#include "support/checker.hpp"
#include "support/cuda/answer_calls.hpp"
#include "support/cuda/buffer.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/join_calls.hpp"

namespace rtindex::test::boxes {
namespace {

constexpr const char* spec = "rx:native@cuda";

// Points in one memory space.
class PlacedPoints {
 public:
  PlacedPoints(MemorySpace space, const ColumnView& points) {
    std::vector<ColumnView> views;
    for (const ColumnView& part : points.parts())
      views.push_back(columns_.emplace_back(space, part).view());
    view_ = ColumnView::points(std::move(views));
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  std::deque<PlacedColumn> columns_;
  ColumnView view_;
};

// A query whose conditions are in one memory space, or only those with an element for each query.
class PlacedBoxes {
 public:
  PlacedBoxes(MemorySpace space, const Query& query, bool arrays_alone = false) : query_(query) {
    for (Condition& condition : query_.conditions)
      for (ColumnView* const end : {&condition.lower, &condition.upper})
        if (!arrays_alone || (end->has_value() && end->size() == query.size() &&
                              condition.kind == ConditionKind::range))
          *end = columns_.emplace_back(space, *end).view();
  }
  [[nodiscard]] const Query& get() const { return query_; }

 private:
  Query query_;
  std::deque<PlacedColumn> columns_;
};

void expect_bitmaps(MemorySpace space, const Index& index, const Query& query,
                    const Matches& matches) {
  const std::size_t bytes = bitmap_bytes(index.size());
  Buffer all(space, bytes), each(space, bytes * matches.size());
  Outputs outputs;
  outputs.bitmap = all.as<std::uint8_t>();
  outputs.bitmaps = each.as<std::uint8_t>();
  outputs.bitmap_rows = index.size();
  outputs.memory_space = space;
  index.answer_into(query, {}, outputs);
  require(cudaStreamSynchronize(nullptr));
  std::vector<std::uint8_t> wanted(bytes), wanted_each(bytes * matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i)
    for (const std::uint32_t row : matches[i]) {
      const auto bit = static_cast<std::uint8_t>(1U << row % 8);
      wanted[row / 8] = static_cast<std::uint8_t>(wanted[row / 8] | bit);
      std::uint8_t& own = wanted_each[i * bytes + row / 8];
      own = static_cast<std::uint8_t>(own | bit);
    }
  ASSERT_EQ(all.read<std::uint8_t>(), wanted);
  ASSERT_EQ(each.read<std::uint8_t>(), wanted_each);
}

class DeviceBoxes : public GpuTest {
 protected:
  static void expect_everything(const Index& index, const PointTable& table, std::size_t boxes,
                                Random& random) {
    const TestColumn values = random_values(table.rows.size(), random);
    const BoxBatch batch = random_boxes(table, boxes, random);
    const Matches matches = scan(table, batch);
    const TestColumn none = integers(Type::u8, std::vector<Whole>(boxes, 0));
    const Batch shown{QueryKind::range, none, none};
    for (const MemorySpace to : memory_spaces)
      for (const MemorySpace from : memory_spaces)
        for (const bool arrays_alone : {false, true}) {
          SCOPED_TRACE(std::string(name_of(from)) + " to " + std::string(name_of(to)));
          const PlacedBoxes query(from, batch.query(), arrays_alone);
          const PlacedColumn placed(to, values.view());
          AnswerOptions all{.answers = Answer::any | Answer::first | Answer::last | Answer::count |
                                       Answer::sum | Answer::min | Answer::max | Answer::mean |
                                       Answer::rows,
                            .values = placed.view()};
          all.matched = true;
          ASSERT_EQ(first_difference(every_answer_in(to, index, query.get(), all), all, shown,
                                     matches, values),
                    "");
          Buffer counts(to, 4 * boxes);
          Outputs outputs;
          outputs.count = counts.as<std::uint32_t>();
          outputs.memory_space = to;
          index.answer_into(query.get(), {}, outputs);
          require(cudaStreamSynchronize(nullptr));
          const auto found = counts.read<std::uint32_t>();
          for (std::size_t i = 0; i < boxes; ++i) ASSERT_EQ(found[i], matches[i].size()) << i;
          ASSERT_NO_FATAL_FAILURE(expect_bitmaps(to, index, query.get(), matches));
        }
    for (const MemorySpace space : memory_spaces)
      ASSERT_NO_FATAL_FAILURE(
          expect_every_join(index, PlacedBoxes(space, batch.query()).get(), matches));
  }
};

TEST_F(DeviceBoxes, AreFoundInEveryMemorySpace) {
  Random random(51);
  const std::vector<ValueSource> sources = every_source();
  for (std::size_t columns = 2; columns <= 8; ++columns)
    for (const MemorySpace space : memory_spaces) {
      std::vector<ValueSource> some;
      std::string name;
      while (some.size() < columns) {
        const ValueSource& source = random.pick(sources);
        // Integers of 128 bits and dictionaries are in host memory only.
        if (source.shape.type == Type::i128 || source.is_dictionary) continue;
        some.push_back(source);
        name += source.name + ", ";
      }
      SCOPED_TRACE(name);
      const PointTable table = random_points(some, 50 + random.below(400), random);
      const PointColumns points(table.sources, table.rows);
      const Index index = build(PlacedPoints(space, points.view()).view(), spec);
      ASSERT_EQ(index.valid(), table.rows.size());
      for (const std::size_t boxes : {1, 3, 40})
        ASSERT_NO_FATAL_FAILURE(expect_everything(index, table, boxes, random));
    }
}

TEST_F(DeviceBoxes, AnswerAnEmptyBatch) {
  const std::vector<int> a = {1, 5};
  const std::vector<int> b = {3, 9};
  const std::vector<int> none;
  const Index index = build(ColumnView::points({a, b}), spec);
  EXPECT_EQ(index.answer(Query::box({Condition::equal(none)}), {.answers = Answer::count}).size(),
            0U);
  const Index empty = build(ColumnView::points({none, none}), spec);
  const Answers found = empty.answer(Query::box({Condition::equal(a)}),
                                     {.answers = Answer::count | Answer::rows | Answer::any});
  EXPECT_EQ(found.count()[1], 0U);
  EXPECT_TRUE(found.rows().empty());
  EXPECT_EQ(empty.answer(Query::box({}), {.answers = Answer::count}).count()[0], 0U);
}

// Many rows, so that the tree has several levels, and so few or so many queries that they are split
// or not.
TEST_F(DeviceBoxes, AgreeWithTheCpu) {
  Random random(52);
  for (const std::size_t size : {std::size_t{4'096}, std::size_t{4'097}, std::size_t{600'001}})
    for (const bool are_correlated : {false, true}) {
      SCOPED_TRACE(size);
      std::vector<std::uint32_t> a(size), b(size);
      std::vector<std::uint64_t> c(size);
      for (std::size_t i = 0; i < size; ++i) {
        a[i] = static_cast<std::uint32_t>(random.bits());
        b[i] = are_correlated ? a[i] / 2 + static_cast<std::uint32_t>(random.below(1U << 30))
                              : static_cast<std::uint32_t>(random.bits());
        c[i] = random.below(4) == 0 ? 77 : random.bits() >> random.below(60);
      }
      const ColumnView points = ColumnView::points({a, b, c});
      const Index expected = build(points, "rx:native@cpu");
      const Index index = build(PlacedPoints(MemorySpace::device, points).view(), spec);
      for (const std::size_t boxes : {1, 2, 100, 3000}) {
        std::vector<std::uint32_t> low(boxes), high(boxes), low_b(boxes), high_b(boxes);
        std::vector<std::uint64_t> least(boxes), greatest(boxes);
        const std::uint64_t side = std::uint64_t{1} << (boxes > 100 ? 27 : 31);
        for (std::size_t i = 0; i < boxes; ++i) {
          low[i] = static_cast<std::uint32_t>(random.bits());
          high[i] = low[i] + static_cast<std::uint32_t>(random.below(side));
          low_b[i] = static_cast<std::uint32_t>(random.bits()) / 4;
          high_b[i] = low_b[i] + static_cast<std::uint32_t>(random.below(side));
          least[i] = random.below(100);
          greatest[i] = random.bits() >> random.below(40);
        }
        for (const Query& query :
             {Query::box({Condition::range(low, high), Condition::range(low_b, high_b),
                          Condition::range(least, greatest)}),
              Query::box({Condition::range(low, high), Condition::range(low_b, high_b)}),
              Query::box({Condition::range(low, high), {}, Condition::equal(least)})}) {
          const Answers wanted = expected.answer(
              query, {.answers = Answer::rows | Answer::first | Answer::last | Answer::bitmap});
          for (const MemorySpace space : memory_spaces) {
            const PlacedBoxes placed(space, query);
            const Answers counts = index.answer(placed.get(), {.answers = Answer::count});
            const Answers found = index.answer(
                placed.get(),
                {.answers = Answer::rows | Answer::first | Answer::last | Answer::bitmap});
            for (std::size_t i = 0; i < boxes; ++i) {
              ASSERT_EQ(counts.count()[i], wanted.rows(i).size()) << i;
              ASSERT_EQ(found.first()[i], wanted.first()[i]) << i;
              ASSERT_EQ(found.last()[i], wanted.last()[i]) << i;
              std::vector<std::uint32_t> rows(found.rows(i).begin(), found.rows(i).end());
              std::vector<std::uint32_t> same(wanted.rows(i).begin(), wanted.rows(i).end());
              std::ranges::sort(rows);
              std::ranges::sort(same);
              ASSERT_EQ(rows, same) << i;
            }
            ASSERT_EQ(std::memcmp(found.bitmap().bits, wanted.bitmap().bits, bitmap_bytes(size)),
                      0);
          }
        }
      }
    }
}

// Without included values, points of native types are merged on the GPU.
TEST_F(DeviceBoxes, ChangeOnTheGpu) {
  Random random(55);
  std::vector<ValueSource> native;
  for (const ValueSource& source : every_source())
    if (source.shape.type != Type::i128 && source.shape.type != Type::string &&
        !source.is_dictionary)
      native.push_back(source);
  for (int turn = 0; turn < 6; ++turn) {
    std::vector<ValueSource> some;
    for (int c = 0; c < 2 + turn % 3; ++c) some.push_back(random.pick(native));
    PointTable table = random_points(some, turn == 0 ? 0 : 300, random);
    Index index = build(PointColumns(some, table.rows).view(), std::string(spec) + ",delta=60");
    for (int round = 0; round < 4; ++round) {
      Points added;
      for (int i = 0; i < 30; ++i) added.push_back(table.random_row(random));
      const PointColumns new_rows(some, added);
      index.insert(PlacedPoints(memory_spaces[round % 2], new_rows.view()).view());
      table.rows.insert(table.rows.end(), added.begin(), added.end());
      table.erased.resize(table.rows.size(), false);
      const std::vector<std::uint32_t> valid = valid_rows(table.erased, random);
      const std::vector<std::uint32_t> erased(valid.begin(), valid.begin() + 9);
      index.erase(erased);
      for (const std::uint32_t row : erased) table.erased[row] = true;
      const std::vector<std::uint32_t> moved(valid.begin() + 9, valid.begin() + 19);
      Points new_points;
      for (const std::uint32_t row : moved)
        new_points.push_back(table.rows[row] = table.random_row(random));
      index.update(moved, PointColumns(some, new_points).view());
      if (round == 2) index.merge();
      ASSERT_EQ(index.valid(), valid.size() - erased.size());
      const Index copy = deserialize(index.serialize());
      for (const std::size_t boxes : {1, 20}) {
        ASSERT_NO_FATAL_FAILURE(expect_everything(index, table, boxes, random));
        ASSERT_NO_FATAL_FAILURE(expect_everything(copy, table, boxes, random));
      }
    }
  }
}

TEST_F(DeviceBoxes, WriteOnlyTheRowsThatFit) {
  Random random(53);
  const PointTable table =
      random_points({wholes("a", Type::i32, 0, 100), wholes("b", Type::i32, 0, 100)}, 9000, random);
  const PointColumns points(table.sources, table.rows);
  const Index index = build(points.view(), spec);
  for (const std::size_t boxes : {1, 5, 2000}) {
    const BoxBatch batch = random_boxes(table, boxes, random);
    const Matches matches = scan(table, batch);
    std::vector<std::uint64_t> wanted(1, 0);
    for (const auto& rows : matches) wanted.push_back(wanted.back() + rows.size());
    const std::size_t capacity = wanted.back() / 2;
    Buffer offsets(MemorySpace::device, 8 * (boxes + 1));
    Buffer rows(MemorySpace::device, 4 * (capacity + 1));
    Outputs outputs;
    outputs.offsets = offsets.as<std::uint64_t>();
    outputs.rows = rows.as<std::uint32_t>();
    outputs.rows_capacity = capacity;
    outputs.memory_space = MemorySpace::device;
    index.answer_into(batch.query(), {}, outputs);
    require(cudaStreamSynchronize(nullptr));
    ASSERT_EQ(offsets.read<std::uint64_t>(), wanted);
    const auto found = rows.read<std::uint32_t>();
    EXPECT_EQ(found[capacity], unwritten<std::uint32_t>());
    for (std::size_t i = 0; i < boxes; ++i)
      for (std::size_t at = wanted[i]; at < std::min(wanted[i + 1], capacity); ++at)
        ASSERT_TRUE(std::ranges::binary_search(matches[i], found[at])) << i;
  }
}

TEST_F(DeviceBoxes, AreCountedOneByOneByManyThreads) {
  Random random(54);
  const std::size_t size = 100'000;
  std::vector<std::uint32_t> a(size), b(size);
  for (std::size_t i = 0; i < size; ++i) {
    a[i] = static_cast<std::uint32_t>(random.below(1000));
    b[i] = static_cast<std::uint32_t>(random.below(1000));
  }
  const Index index = build(ColumnView::points({a, b}), spec);
  std::vector<std::uint32_t> low(200), high(200);
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = static_cast<std::uint32_t>(random.below(900));
    high[i] = low[i] + static_cast<std::uint32_t>(random.below(200));
  }
  const Answers wanted =
      index.answer(Query::box({Condition::range(low, high), Condition::range(low, high)}),
                   {.answers = Answer::count | Answer::rows});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < low.size(); ++i) {
        const std::span<const std::uint32_t> least(&low[i], 1);
        const std::span<const std::uint32_t> greatest(&high[i], 1);
        const Query query =
            Query::box({Condition::range(least, greatest), Condition::range(least, greatest)});
        EXPECT_EQ(index.answer(query, {.answers = Answer::count}).count()[0], wanted.count()[i]);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace rtindex::test::boxes
