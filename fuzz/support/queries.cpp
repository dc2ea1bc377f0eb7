#include "fuzz/support/queries.hpp"

#include <rtindex/error.hpp>

#include "support/run.hpp"
#include "support/some_change.hpp"

namespace rtindex::fuzz {

namespace {

// Above this number of rows most of them are empty. A value column would need too much memory, and
// changes keep a bit for each row (SECURITY.md).
constexpr std::size_t many_rows = 100'000;

template <class Call>
void try_to(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    require(error.kind() != ErrorKind::out_of_memory, error.what());
  }
}

void require_rows(const Index& index, std::span<const std::uint32_t> rows) {
  const std::size_t size = index.size();
  for (const std::uint32_t row : rows)
    require(row < size || row == miss_row, "a row that does not exist");
}

void query(const Index& index, const test::Batch& batch, const AnswerOptions& options) {
  if (!test::supports(index, options.answers, batch.kind)) return;
  try_to([&] {
    const Answers answers = batch.kind == QueryKind::equal
                                ? index.lookup(batch.lower.view(), options)
                                : index.range(batch.lower.view(), batch.upper.view(), options);
    require_rows(index, answers.any());
    require_rows(index, answers.first());
    require_rows(index, answers.rows());
  });
}

void query_neighbours(const Index& index, const ColumnView& keys, Direction direction) {
  try_to([&] {
    const Answers answers =
        index.nearest(keys, {.direction = direction},
                      {.answers = Answer::any | Answer::key | Answer::count | Answer::rows});
    require_rows(index, answers.any());
    require_rows(index, answers.rows());
    for (std::size_t i = 0; i < answers.size(); ++i) static_cast<void>(answers.keys().text(i));
  });
}

void query_in_order(const Index& index, const test::Batch& batch) {
  try_to([&] {
    const Answers answers =
        index.answer(Query::range(batch.lower.view(), batch.upper.view(), Ends::open),
                     {.answers = Answer::rows, .limit = 3, .order = RowOrder::descending});
    require_rows(index, answers.rows());
  });
  if (index.type() == Type::string)
    try_to([&] { require_rows(index, index.answer(Query::prefix(batch.lower.view())).any()); });
}

void query_lookups(const Index& index, const test::Batch& batch) {
  AnswerOptions with_values = test::full_options();
  const std::vector<std::uint32_t> values(index.size() > many_rows ? 0 : index.size(), 1);
  with_values.values = values;
  if (values.empty()) with_values = {.answers = Answer::any | Answer::first | Answer::rows};
  query(index, batch, with_values);
}

void query_ranks(const Index& index, const ColumnView& keys) {
  // A file may claim more rows than there is memory for the keys that select() copies.
  if (index.size() > many_rows) return;
  const std::vector<std::uint64_t> ranks = {0, 1, index.valid(), ~std::uint64_t{0}};
  try_to([&] { static_cast<void>(index.rank(keys)); });
  try_to([&] { require_rows(index, index.select(ranks)); });
  try_to([&] { require_rows(index, index.null_rows()); });
}

void read_descriptions(const Index& index) {
  static_cast<void>(index.describe());
  static_cast<void>(index.memory_usage());
  static_cast<void>(index.spec().text());
  if (index.size() <= many_rows) require_rows(index, index.null_rows());
}

}  // namespace

void run_some_query(const Index& index, const std::vector<test::Batch>& batches, Input& input) {
  require(index.valid() <= index.size(), "more valid rows than rows");
  const test::Batch& batch = input.pick(batches);
  const ColumnView keys = batch.lower.view();
  switch (input.below(10)) {
    case 1: return query(index, batch, test::full_options());  // of included values
    case 2: return query_neighbours(index, keys, Direction::backward);
    case 3: return query_neighbours(index, keys, Direction::forward);
    case 4: return query_neighbours(index, keys, Direction::nearest);
    case 5: return query_in_order(index, batch);
    case 6: return query_ranks(index, keys);
    case 7:
      return try_to(
          [&] { require_rows(index, index.join(Query::nearest(keys), JoinKind::left).rows); });
    case 8:
      return try_to(
          [&] { require_rows(index, index.join(Query::equal(keys), JoinKind::left).rows); });
    case 9: return read_descriptions(index);
    default: return query_lookups(index, batch);
  }
}

void change(Index& index, const test::TestColumn& column, Input& input) {
  if (index.size() > many_rows) return;
  try_to([&] { test::make_some_change(index, column, input); });
}

}  // namespace rtindex::fuzz
