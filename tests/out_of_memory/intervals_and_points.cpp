// Calls of columns of intervals and of points run out of memory, wherever they can: they throw
// out_of_memory, the index is as before, and nothing leaks.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "out_of_memory/failing_memory.hpp"
#include "support/intervals.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// An index, queries of it and changes of it; all that these need.
struct ShapeCase {
  std::string name;
  std::function<Index()> build;
  std::vector<Query> queries;
  ColumnView more;  // rows to insert, and new ones of the first rows
};

class ShapesOutOfMemory : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t rows = 60;
  static constexpr std::size_t changed = 4;

  ShapesOutOfMemory() {
    Random random(51);
    for (std::size_t i = 0; i < rows; ++i) {
      starts_.push_back(static_cast<int>(random.below(500)));
      ends_.push_back(starts_.back() + 1 + static_cast<int>(random.below(40)));
      names_.push_back("a long name of many letters, number " + std::to_string(i % 7));
      lower_.push_back(static_cast<int>(random.below(500)));
      upper_.push_back(lower_.back() + static_cast<int>(random.below(30)));
    }
  }

  [[nodiscard]] ColumnView led(const std::vector<int>& points) const {
    return ColumnView::composite({names_, points});
  }
  [[nodiscard]] static ColumnView first_rows(const ColumnView& column) {
    return column.slice(0, changed);
  }

  [[nodiscard]] ShapeCase intervals() const {
    const ColumnView column = ColumnView::intervals(starts_, ends_, Ends::right_open);
    ShapeCase shape{
        "intervals",
        [=, spec = Spec(GetParam())] { return rtindex::build(column, spec); },
        {Query::contains(lower_), Query::overlaps(lower_, upper_), Query::within(lower_, upper_),
         Query::covers(lower_, upper_)},
        ColumnView::intervals(first_rows(starts_), first_rows(ends_), Ends::right_open)};
    add_nearest(shape, lower_);
    return shape;
  }

  [[nodiscard]] ShapeCase led_intervals() const {
    const ColumnView column = ColumnView::intervals(starts_, ends_, Ends::closed, {names_});
    ShapeCase shape{"intervals with leading strings",
                    [=, spec = Spec(GetParam())] { return rtindex::build(column, spec); },
                    {Query::contains(led(lower_)), Query::overlaps(led(lower_), led(upper_))},
                    ColumnView::intervals(first_rows(starts_), first_rows(ends_), Ends::closed,
                                          {first_rows(names_)})};
    add_nearest(shape, led(lower_));
    return shape;
  }

  [[nodiscard]] ShapeCase points() const {
    const ColumnView column = ColumnView::points({starts_, names_});
    return {"points",
            [=, spec = Spec(GetParam())] { return rtindex::build(column, spec); },
            {Query::box({Condition::range(lower_, upper_)}),
             Query::box({Condition::range(lower_, upper_), Condition::isin(first_rows(names_))})},
            ColumnView::points({first_rows(starts_), first_rows(names_)})};
  }

  // Of this kind, where it has them.
  [[nodiscard]] std::vector<ShapeCase> shapes() const {
    std::vector<ShapeCase> all;
    for (ShapeCase& shape : std::vector<ShapeCase>{intervals(), led_intervals(), points()}) {
      try {
        static_cast<void>(shape.build());
        all.push_back(std::move(shape));
      } catch (const Error&) {
        continue;  // only some kinds index points
      }
    }
    return all;
  }

  static void add_nearest(ShapeCase& shape, const ColumnView& keys) {
    if (shape.build().supports(Answer::any, QueryKind::nearest))
      shape.queries.push_back(Query::nearest(keys, {.direction = Direction::nearest}));
  }

  // With a delta and erased rows.
  [[nodiscard]] static Index changed_index(const ShapeCase& shape) {
    Index index = shape.build();
    index.insert(shape.more);
    index.erase(std::vector<std::uint32_t>{3, 5});
    return index;
  }

  std::vector<int> starts_, ends_, lower_, upper_;
  std::vector<std::string> names_;
};

TEST_P(ShapesOutOfMemory, Build) {
  for (const ShapeCase& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const std::vector<std::byte> whole = shape.build().serialize();
    std::optional<Index> index;
    EXPECT_GT(fail_every_allocation("build", {.call = [&] { index.emplace(shape.build()); }}), 10);
    ASSERT_TRUE(index);
    EXPECT_EQ(index->serialize(), whole);
  }
}

TEST_P(ShapesOutOfMemory, EveryQuery) {
  for (const ShapeCase& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Index index = changed_index(shape);
    for (const Query& query : shape.queries)
      for (const AnswerSet answers : {AnswerSet(Answer::count), Answer::first | Answer::rows}) {
        const Answers before = index.answer(query, {.answers = answers});
        std::optional<Answers> after;
        fail_every_allocation(std::string(name_of(query.kind)), {.call = [&] {
                                after.emplace(index.answer(query, {.answers = answers}));
                              }});
        if (HasFailure()) return;
        if (answers.has(Answer::count)) {
          EXPECT_TRUE(std::ranges::equal(after->count(), before.count()));
        } else {
          EXPECT_TRUE(std::ranges::equal(after->offsets(), before.offsets()));
        }
        std::optional<JoinedRows> joined;
        fail_every_allocation("join", {.call = [&] { joined.emplace(index.join(query)); }});
        if (HasFailure()) return;
      }
  }
}

TEST_P(ShapesOutOfMemory, EveryChange) {
  const std::vector<std::uint32_t> some_rows = {7, 9, 11, 13};
  const ColumnView rows = some_rows;
  for (const ShapeCase& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const std::vector<std::pair<std::string, std::function<void(Index&)>>> changes = {
        {"insert", [&](Index& index) { index.insert(shape.more); }},
        {"update", [&](Index& index) { index.update(rows, shape.more); }},
        {"erase", [&](Index& index) { index.erase(rows); }},
        {"merge", [](Index& index) { index.merge(); }}};
    const Index unchanged = changed_index(shape);
    const std::vector<std::byte> before = unchanged.serialize();
    for (const auto& [name, change] : changes) {
      Index index = unchanged.snapshot();
      Index changed = unchanged.snapshot();
      change(changed);  // and makes what the searchers keep for later changes
      fail_every_allocation(name,
                            {.call = [&, &change = change] { change(index); },
                             .expect_unchanged = [&] { EXPECT_EQ(index.serialize(), before); },
                             .undo = [&] { index = unchanged.snapshot(); }});
      if (HasFailure()) return;
      EXPECT_EQ(index.serialize(), changed.serialize());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ShapesOutOfMemory,
                         testing::Values("rx:native@cpu,threads=1,delta=1000",
                                         "sorted@cpu,threads=1,delta=1000",
                                         "btree@cpu,threads=1,delta=1000",
                                         "rx:embree@cpu,threads=1,delta=1000"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
