#include "fuzz/support/questions.hpp"

#include <rtindex/error.hpp>

#include "support/run.hpp"

namespace rtindex::fuzz {

namespace {

// Above this number of rows most of them are empty. A value column would take too much memory, and
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

void ask(const Index& index, const test::Batch& batch, const LookupOptions& options) {
  if (!test::supports(index, options.answers, batch.kind)) return;
  try_to([&] {
    const Answers answers = batch.kind == LookupKind::point
                                ? index.lookup(batch.lower.view(), options)
                                : index.range(batch.lower.view(), batch.upper.view(), options);
    require_rows(index, answers.any());
    require_rows(index, answers.first());
    require_rows(index, answers.rows());
  });
}

void ask_order(const Index& index, const test::Batch& batch) {
  const ColumnView keys = batch.lower.view();
  for (const Direction direction : {Direction::backward, Direction::forward, Direction::nearest})
    try_to([&] {
      const Answers answers =
          index.nearest(keys, {.direction = direction},
                        {.answers = Answer::any | Answer::key | Answer::count | Answer::rows});
      require_rows(index, answers.any());
      require_rows(index, answers.rows());
      for (std::size_t i = 0; i < answers.size(); ++i) static_cast<void>(answers.keys().text(i));
    });
  try_to([&] { static_cast<void>(index.rank(keys)); });
  try_to([&] { require_rows(index, index.join_asof(keys).rows); });
  try_to([&] {
    const Answers answers = index.range(
        batch.lower.view(), batch.upper.view(),
        {.answers = Answer::rows, .limit = 3, .order = RowOrder::descending, .ends = Ends::open});
    require_rows(index, answers.rows());
  });
  if (index.type() == Type::string)
    try_to([&] { require_rows(index, index.starts_with(keys).any()); });
}

}  // namespace

void ask_everything(const Index& index, const std::vector<test::Batch>& batches) {
  static_cast<void>(index.describe());
  static_cast<void>(index.memory_usage());
  static_cast<void>(index.spec().text());
  require(index.live() <= index.size(), "more live rows than rows");
  LookupOptions with_values = test::full_options();
  const std::vector<std::uint32_t> values(index.size() > many_rows ? 0 : index.size(), 1);
  with_values.values = values;
  if (values.empty()) with_values = {.answers = Answer::any | Answer::first | Answer::rows};
  for (const test::Batch& batch : batches) {
    ask(index, batch, with_values);
    if (index.included()) ask(index, batch, test::full_options());
    ask_order(index, batch);
    try_to([&] { require_rows(index, index.join(batch.lower.view(), JoinKind::left).rows); });
  }
  const std::vector<std::uint64_t> ranks = {0, 1, index.live(), ~std::uint64_t{0}};
  try_to([&] { require_rows(index, index.select(ranks)); });
  if (index.size() <= many_rows) require_rows(index, index.null_rows());
}

void change(Index& index, const test::TestColumn& column, Input& input) {
  if (index.size() == 0 || index.size() > many_rows || column.size() == 0) return;
  const std::vector<std::uint32_t> rows = {static_cast<std::uint32_t>(input.below(index.size()))};
  const test::TestColumn key(column.shape(), {input.pick(column.keys())});
  const std::vector<std::uint64_t> values = {7};
  const ColumnView value = ColumnView::of(index.included().value_or(Type::u64), values.data(), 1);
  try_to([&] {
    switch (input.below(6)) {
      case 0: index.update(rows, key.view()); break;
      case 1: index.erase(rows); break;
      case 2: static_cast<void>(index.erase_keys(key.view())); break;
      case 3: index.merge(); break;
      case 4: index.insert(key.view(), index.included() ? value : ColumnView()); break;
      default: index.set_included(rows, value); break;
    }
  });
}

}  // namespace rtindex::fuzz
