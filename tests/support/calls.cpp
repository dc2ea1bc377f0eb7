#include "support/calls.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "support/lookups.hpp"
#include "support/run.hpp"

namespace rtindex::test {

namespace {

template <class T>
void append(Digest& digest, const std::vector<T>& numbers) {
  for (const T number : numbers)
    if constexpr (std::is_same_v<T, double>)
      digest.push_back(std::bit_cast<std::uint64_t>(number));
    else
      digest.push_back(static_cast<std::uint64_t>(number));
}

void append(Digest& digest, const Aggregates& values) {
  std::visit([&](const auto& numbers) { append(digest, numbers); }, values);
}

Digest digest_of(const Answers& answers, RowOrder order = RowOrder::any) {
  Digest digest = {answers.size()};
  const AnswerSet requested = answers.answers();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (requested.has(Answer::any)) digest.push_back(answers.any()[i] == miss_row ? 1U : 0U);
    if (requested.has(Answer::first)) digest.push_back(answers.first()[i]);
    if (requested.has(Answer::count)) digest.push_back(answers.count()[i]);
    if (!requested.has(Answer::rows)) continue;
    std::vector<std::uint32_t> rows(answers.rows(i).begin(), answers.rows(i).end());
    if (order == RowOrder::any) std::sort(rows.begin(), rows.end());
    append(digest, rows);
  }
  if (requested.has(Answer::sum)) append(digest, answers.sum());
  if (requested.has(Answer::min)) append(digest, answers.min());
  if (requested.has(Answer::max)) append(digest, answers.max());
  if (requested.has(Answer::key))
    for (std::size_t i = 0; i < answers.size(); ++i)
      digest.push_back(answers.keys().valid(i) ? 1U : 0U);
  return digest;
}

// Pairs in the order of lookups; rows of one lookup in any order.
Digest digest_of(const JoinedRows& joined) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < joined.lookups.size(); ++i)
    pairs.emplace_back(joined.lookups[i], joined.rows.empty() ? 0 : joined.rows[i]);
  std::sort(pairs.begin(), pairs.end());
  Digest digest;
  for (const auto& [lookup, row] : pairs) digest.insert(digest.end(), {lookup, row});
  return digest;
}

template <class List>
Digest digest_of(const List& list) {
  Digest digest;
  for (const auto& element : list) digest.push_back(static_cast<std::uint64_t>(element));
  return digest;
}

// The calls that one index can make.
class Calls {
 public:
  Calls(const Index& index, const TestColumn& column)
      : index_(index),
        points_(own_batches(column, samples, random_)[0]),
        ranges_(own_batches(column, samples, random_)[1]),
        is_string_(column.shape().type == Type::string),
        keys_(points_.lower.view()),
        lower_(ranges_.lower.view()),
        upper_(ranges_.upper.view()) {
    everything_.answers = Answer::any | Answer::first | Answer::count | AnswerSet(Answer::rows);
    if (!index.included().empty())
      everything_.answers = everything_.answers | Answer::sum | Answer::min | Answer::max;
    everything_.matched = true;
  }

  [[nodiscard]] std::vector<Call> all() {
    add_lookups();
    add_joins();
    add_copies();
    return std::move(calls_);
  }

 private:
  static constexpr std::size_t samples = 12;

  template <class Make, class Tell>
  void add(std::string name, Make make, Tell to_digest) {
    using Result = std::invoke_result_t<Make, const Index&>;
    const auto result = std::make_shared<std::optional<Result>>();
    // The lookups outlive the calls that read them.
    calls_.push_back({std::move(name),
                      [make, result, points = points_, ranges = ranges_](const Index& index) {
                        result->emplace(make(index));
                      },
                      [to_digest, result] {
                        Digest digest = to_digest(**result);
                        result->reset();
                        return digest;
                      }});
  }
  template <class Make>
  void add(std::string name, Make make) {
    add(std::move(name), std::move(make), [](const auto& result) { return digest_of(result); });
  }

  void add_lookups() {
    const ColumnView keys = keys_, lower = lower_, upper = upper_;
    const AnswerOptions everything = everything_;
    add("lookup", [=](const Index& index) { return index.lookup(keys, everything); });
    add("lookup of one answer",
        [=](const Index& index) { return index.lookup(keys, Answer::first); });
    const auto first = std::make_shared<std::vector<std::uint32_t>>(keys.size());
    const auto offsets = std::make_shared<std::vector<std::uint64_t>>(keys.size() + 1);
    add(
        "lookup into buffers",
        [=](const Index& index) {
          index.answer_into(Query::equal(keys), {},
                            {.first = first->data(), .offsets = offsets->data()});
          return true;
        },
        [=](bool) {
          Digest digest = digest_of(*first);
          append(digest, *offsets);
          return digest;
        });
    if (supports(index_, everything_.answers, QueryKind::range)) {
      add("range", [=](const Index& index) { return index.range(lower, upper, everything); });
      if (is_string_)
        add("starts_with",
            [=](const Index& index) { return index.answer(Query::prefix(keys), everything); });
    }
    if (index_.supports(Answer::key, QueryKind::nearest)) add_order();
  }

  void add_order() {
    const ColumnView keys = keys_, lower = lower_, upper = upper_;
    const AnswerOptions ordered{.answers = Answer::rows, .limit = 3, .order = RowOrder::descending};
    add(
        "rows in order", [=](const Index& index) { return index.range(lower, upper, ordered); },
        [=](const Answers& answers) { return digest_of(answers, ordered.order); });
    AnswerOptions with_keys = everything_;
    with_keys.answers = with_keys.answers | AnswerSet(Answer::key);
    for (const Direction direction : {Direction::backward, Direction::forward})
      add("nearest " + std::string(name_of(direction)), [=](const Index& index) {
        return index.nearest(keys, {.direction = direction}, with_keys);
      });
    add("asof join",
        [=](const Index& index) { return index.join(Query::nearest(keys), JoinKind::left); });
    add("rank", [=](const Index& index) { return index.rank(keys); });
    add("select", [ranks = std::vector<std::uint32_t>{0, 3, 17, 70, 100'000}](const Index& index) {
      return index.select(ranks);
    });
  }

  void add_joins() {
    const ColumnView keys = keys_, lower = lower_, upper = upper_;
    for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti})
      add(std::string(name_of(how)) + " join",
          [=](const Index& index) { return index.join(Query::equal(keys), how); });
    const auto total = std::make_shared<std::size_t>();
    add(
        "join in parts",
        [=](const Index& index) {
          *total = 0;
          index.join_batches(
              Query::equal(keys), JoinKind::inner, 5,
              [&sum = *total](const JoinedRows& part) { sum += part.lookups.size(); });
          return true;
        },
        [=](bool) { return Digest{*total}; });
    if (supports(index_, Answer::rows, QueryKind::range))
      add("range join", [=](const Index& index) { return index.join(Query::range(lower, upper)); });
  }

  void add_copies() {
    const auto valid = [](const Index& index) { return Digest{index.valid()}; };
    const auto size = [](const auto& list) { return Digest{list.size()}; };
    add("null_rows", [](const Index& index) { return index.null_rows(); });
    add("describe", [](const Index& index) { return index.describe(); });
    add(
        "memory_usage", [](const Index& index) { return index.memory_usage(); },
        [](const MemoryUsage& usage) { return Digest{usage.parts.size()}; });
    add(
        "spec", [](const Index& index) { return index.spec(); },
        [](const Spec& spec) { return digest_of(std::string(spec.text())); });
    add(
        "part_types", [](const Index& index) { return index.part_types(); }, size);
    add(
        "build_profile", [](const Index& index) { return index.build_profile(); }, size);
    add(
        "snapshot", [](const Index& index) { return index.snapshot(); }, valid);
    add(
        "copy", [](const Index& index) { return index.copy(); }, valid);
    add(
        "serialize", [](const Index& index) { return index.serialize(); }, size);
    add(
        "deserialize",
        [bytes = index_.serialize()](const Index&) {
          return deserialize(bytes, {.verify = Verify::full});
        },
        valid);
  }

  const Index& index_;
  Random random_{5};
  Batch points_, ranges_;
  bool is_string_;
  ColumnView keys_, lower_, upper_;
  AnswerOptions everything_;
  std::vector<Call> calls_;
};

}  // namespace

std::vector<Call> every_call(const Index& index, const TestColumn& column) {
  return Calls(index, column).all();
}

}  // namespace rtindex::test
