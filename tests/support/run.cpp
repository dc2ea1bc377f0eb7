#include "support/run.hpp"

#include <fmt/format.h>

namespace rtindex::test {

namespace {

constexpr AnswerSet aggregates = Answer::sum | Answer::min | Answer::max;
constexpr AnswerSet of_values = aggregates | Answer::mean;
constexpr AnswerSet everything =
    Answer::any | Answer::first | Answer::count | aggregates | AnswerSet(Answer::rows);

constexpr AnswerSet bitmaps = Answer::bitmap | Answer::bitmaps;

// Calls that return rows return them as bitmaps, too; a limit does not apply to these. Large ones
// would take most of the time of the tests.
void add_bitmaps(AnswerOptions& options, const Index& index, const Batch& batch) {
  constexpr std::size_t max_bits = std::size_t{1} << 17;
  if (!options.answers.has(Answer::rows)) return;
  options.answers = options.answers | Answer::bitmap;
  if (index.size() * batch.size() <= max_bits) options.answers = options.answers | Answer::bitmaps;
}

Aggregates buffer_of(const TestColumn& values, std::size_t size) {
  if (is_float_shape(values.shape())) return std::vector<double>(size, 12.5);
  if (smallest_of(values.shape().type) < 0) return std::vector<std::int64_t>(size, 77);
  return std::vector<std::uint64_t>(size, 77);
}

void* address_of(std::optional<Aggregates>& buffer) {
  return std::visit([](auto& vector) -> void* { return vector.data(); }, *buffer);
}

void set_values(AnswerOptions& options, const TestColumn& values, ValuesOf values_of) {
  if (values_of == ValuesOf::call && options.answers.has_any_of(of_values))
    options.values = values.view();
}

std::string explain(const std::string& difference, const AnswerOptions& options) {
  return difference.empty() ? "" : text_of(options) + ": " + difference;
}

}  // namespace

std::string check_call(const Index& index, const Batch& batch, const Matches& matches,
                       AnswerOptions options, const TestColumn& values, ValuesOf values_of) {
  set_values(options, values, values_of);
  add_bitmaps(options, index, batch);
  try {
    const Answers answers = index.answer(batch.query(), options);
    return explain(
        first_difference(plain_answers(answers, options), options, batch, matches, values),
        options);
  } catch (const Error& error) {
    return text_of(options) + ": " + error.what();
  }
}

std::string check_call_into(const Index& index, const Batch& batch, const Matches& matches,
                            AnswerOptions options, const TestColumn& values, ValuesOf values_of) {
  set_values(options, values, values_of);
  add_bitmaps(options, index, batch);
  const std::size_t size = batch.size();
  PlainAnswers found;
  found.size = size;
  Outputs outputs;
  // Buffers start with other values: every entry must be written.
  auto add_output = [&](Answer answer, auto& target, auto& output) {
    if (!options.answers.has(answer)) return;
    target.emplace(size, 55);
    output = target->data();
  };
  auto add_aggregate = [&](Answer answer, std::optional<Aggregates>& target, void*& output) {
    if (!options.answers.has(answer)) return;
    target = buffer_of(values, size);
    output = address_of(target);
  };
  add_output(Answer::any, found.any, outputs.any);
  add_output(Answer::first, found.first, outputs.first);
  add_output(Answer::last, found.last, outputs.last);
  add_output(Answer::count, found.count, outputs.count);
  add_aggregate(Answer::sum, found.sum, outputs.sum);
  add_output(Answer::mean, found.mean, outputs.mean);
  add_aggregate(Answer::min, found.min, outputs.min);
  add_aggregate(Answer::max, found.max, outputs.max);
  if (options.matched) {
    found.matched.emplace((size + 7) / 8, std::uint8_t{0xff});
    outputs.matched = found.matched->data();
  }
  outputs.bitmap_rows = index.size();
  const std::size_t bytes = bitmap_bytes(index.size());
  std::vector<std::uint8_t> bitmap(bytes + 1, 0xff);
  std::vector<std::uint8_t> of_each;
  if (options.answers.has(Answer::bitmap)) outputs.bitmap = bitmap.data();
  if (options.answers.has(Answer::bitmaps)) {
    of_each.assign(size * bytes + 1, 0xff);
    outputs.bitmaps = of_each.data();
  }
  const auto call = [&] { index.answer_into(batch.query(), options, outputs); };
  try {
    if (options.answers.has(Answer::rows)) {
      // A call with the offsets alone returns the number of rows.
      found.offsets.emplace(size + 1, 55);
      outputs.offsets = found.offsets->data();
      call();
      found.rows.assign(found.offsets->back(), 55);
      outputs.rows = found.rows.data();
      outputs.rows_capacity = found.rows.size();
    }
    call();
    if (outputs.bitmap != nullptr) found.bitmap = rows_of({bitmap.data(), index.size()});
    if (outputs.bitmaps != nullptr) {
      found.bitmaps.emplace();
      for (std::size_t i = 0; i < size; ++i)
        found.bitmaps->push_back(rows_of({of_each.data() + i * bytes, index.size()}));
    }
    return explain(first_difference(found, options, batch, matches, values), options);
  } catch (const Error& error) {
    return text_of(options) + ": " + error.what();
  }
}

std::optional<ErrorKind> error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

bool supports(const Index& index, AnswerSet answers, QueryKind kind) {
  if (answers.empty()) return index.supports(Answer::any, kind);  // the matched bitmap alone
  for (const Answer answer : all_answers())
    if (answers.has(answer) && !index.supports(answer, kind)) return false;
  return true;
}

const std::vector<AnswerOptions>& every_options() {
  static const std::vector<AnswerOptions> variants = [] {
    std::vector<AnswerOptions> list;
    for (const Answer answer : all_answers()) {
      if (bitmaps.has(answer)) continue;
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
    list.push_back(
        {.answers = Answer::mean | Answer::max, .miss = {.u64 = 7, .i64 = -7, .f64 = 0.5}});
    list.push_back({.answers = aggregates, .miss = {.u64 = 7, .i64 = -7, .f64 = 0.5}});
    list.push_back({.answers = everything | Answer::mean | Answer::last, .matched = true});
    list.push_back(full_options());
    return list;
  }();
  return variants;
}

AnswerOptions full_options() { return {.answers = everything, .matched = true}; }

std::string text_of(const AnswerOptions& options) {
  std::string text;
  for (const Answer answer : all_answers())
    if (options.answers.has(answer))
      text += (text.empty() ? "" : "+") + std::string(name_of(answer));
  if (options.matched) text += " matched";
  if (options.limit != no_limit) text += fmt::format(" limit {}", options.limit);
  if (options.answers.has_any_of(of_values))
    text += fmt::format(" of {}", name_of(options.values.type()));
  return text;
}

}  // namespace rtindex::test
