#include "support/run.hpp"

#include <rtindex/error.hpp>

#include <fmt/format.h>

namespace rtindex::test {

namespace {

constexpr AnswerSet aggregates = Answer::sum | Answer::min | Answer::max;
constexpr AnswerSet everything =
    Answer::any | Answer::first | Answer::count | aggregates | AnswerSet(Answer::rows);

Aggregates buffer_of(const TestColumn& values, std::size_t size) {
  if (is_float_shape(values.shape())) return std::vector<double>(size, 12.5);
  if (smallest_of(values.shape().type) < 0) return std::vector<std::int64_t>(size, 77);
  return std::vector<std::uint64_t>(size, 77);
}

void* address_of(std::optional<Aggregates>& buffer) {
  return std::visit([](auto& vector) -> void* { return vector.data(); }, *buffer);
}

std::string explain(const std::string& difference, const Ask& ask) {
  return difference.empty() ? "" : text_of(ask) + ": " + difference;
}

}  // namespace

std::string check_call(const Index& index, const Batch& batch, const Matches& matches, Ask ask,
                       const TestColumn& values) {
  if (ask.answers.has_any_of(aggregates)) ask.values = values.view();
  try {
    const Answers answers = batch.kind == LookupKind::point
                                ? index.lookup(batch.lower.view(), ask)
                                : index.range(batch.lower.view(), batch.upper.view(), ask);
    return explain(first_difference(given(answers, ask), ask, batch, matches, values), ask);
  } catch (const Error& error) {
    return text_of(ask) + ": " + error.what();
  }
}

std::string check_call_into(const Index& index, const Batch& batch, const Matches& matches, Ask ask,
                            const TestColumn& values) {
  if (ask.answers.has_any_of(aggregates)) ask.values = values.view();
  const std::size_t size = batch.size();
  Given given;
  given.size = size;
  Outputs outputs;
  // Buffers start with rubbish: every entry must be written.
  auto take = [&](Answer answer, auto& target, auto& output) {
    if (!ask.answers.has(answer)) return;
    target.emplace(size, 55);
    output = target->data();
  };
  auto take_aggregate = [&](Answer answer, std::optional<Aggregates>& target, void*& output) {
    if (!ask.answers.has(answer)) return;
    target = buffer_of(values, size);
    output = address_of(target);
  };
  take(Answer::any, given.any, outputs.any);
  take(Answer::first, given.first, outputs.first);
  take(Answer::count, given.count, outputs.count);
  take_aggregate(Answer::sum, given.sum, outputs.sum);
  take_aggregate(Answer::min, given.min, outputs.min);
  take_aggregate(Answer::max, given.max, outputs.max);
  if (ask.matched) {
    given.matched.emplace((size + 7) / 8, std::uint8_t{0xff});
    outputs.matched = given.matched->data();
  }
  const auto call = [&] {
    if (batch.kind == LookupKind::point)
      index.lookup_into(batch.lower.view(), ask, outputs);
    else
      index.range_into(batch.lower.view(), batch.upper.view(), ask, outputs);
  };
  try {
    if (ask.answers.has(Answer::rows)) {
      // The offsets alone tell how much room the rows need.
      given.offsets.emplace(size + 1, 55);
      outputs.offsets = given.offsets->data();
      call();
      given.rows.assign(given.offsets->back(), 55);
      outputs.rows = given.rows.data();
      outputs.rows_capacity = given.rows.size();
    }
    call();
    return explain(first_difference(given, ask, batch, matches, values), ask);
  } catch (const Error& error) {
    return text_of(ask) + ": " + error.what();
  }
}

bool supports(const Index& index, AnswerSet answers, LookupKind kind) {
  if (answers.empty()) return index.supports(Answer::any, kind);  // the matched bitmap alone
  for (const Answer answer : all_answers())
    if (answers.has(answer) && !index.supports(answer, kind)) return false;
  return true;
}

const std::vector<Ask>& every_ask() {
  static const std::vector<Ask> asks = [] {
    std::vector<Ask> list;
    for (const Answer answer : all_answers()) {
      list.push_back({.answers = answer});
      list.push_back({.answers = answer, .matched = true});
    }
    list.push_back({.answers = {}, .matched = true});
    list.push_back({.answers = Answer::sum | Answer::count});
    list.push_back({.answers = Answer::any | Answer::rows, .limit = 1});
    for (const std::uint32_t limit : {0U, 1U, 3U}) {
      list.push_back({.answers = Answer::rows, .limit = limit});
      list.push_back({.answers = Answer::rows, .matched = true, .limit = limit});
      list.push_back({.answers = everything, .matched = true, .limit = limit});
    }
    list.push_back({.answers = aggregates, .miss = {.u64 = 7, .i64 = -7, .f64 = 0.5}});
    list.push_back(full_ask());
    return list;
  }();
  return asks;
}

Ask full_ask() { return {.answers = everything, .matched = true}; }

std::string text_of(const Ask& ask) {
  std::string text;
  for (const Answer answer : all_answers())
    if (ask.answers.has(answer)) text += (text.empty() ? "" : "+") + std::string(name_of(answer));
  if (ask.matched) text += " matched";
  if (ask.limit != no_limit) text += fmt::format(" limit {}", ask.limit);
  if (ask.answers.has_any_of(aggregates)) text += fmt::format(" of {}", name_of(ask.values.type()));
  return text;
}

}  // namespace rtindex::test
