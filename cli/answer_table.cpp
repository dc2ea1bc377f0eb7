#include "cli/answer_table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "io/text_values.hpp"

namespace rtindex::cli {

namespace {

constexpr std::size_t most_rows_shown = 12;
const std::string no_match = "-";

std::vector<std::string> header(AnswerSet answers, LookupKind kind) {
  std::vector<std::string> names = kind == LookupKind::point
                                       ? std::vector<std::string>{"key"}
                                       : std::vector<std::string>{"lower", "upper"};
  for (const Answer answer : all_answers())
    if (answers.has(answer)) names.emplace_back(name_of(answer));
  return names;
}

std::string rows_text(std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() <= most_rows_shown) return fmt::format("{}", fmt::join(sorted, " "));
  const std::size_t hidden = sorted.size() - most_rows_shown;
  sorted.resize(most_rows_shown);
  return fmt::format("{} and {} more", fmt::join(sorted, " "), hidden);
}

std::string aggregate_text(const Aggregates& aggregates, std::size_t i) {
  return std::visit([&](const auto& numbers) { return fmt::format("{}", numbers[i]); }, aggregates);
}

// One of the values: a number or, where they have ticks, a time.
std::string value_text(const Aggregates& aggregates, const std::string& tick, std::size_t i) {
  const auto* const times = std::get_if<std::vector<std::int64_t>>(&aggregates);
  return tick.empty() || times == nullptr ? aggregate_text(aggregates, i)
                                          : time_text((*times)[i], tick);
}

std::string answer_text(const Answers& answers, Answer answer, const std::string& tick,
                        std::size_t i) {
  if (answer == Answer::count) return fmt::format("{}", answers.count()[i]);
  if (!answers.matched(i)) return no_match;
  switch (answer) {
    case Answer::any: return fmt::format("{}", answers.any()[i]);
    case Answer::first: return fmt::format("{}", answers.first()[i]);
    case Answer::sum: return aggregate_text(answers.sum(), i);
    case Answer::min: return value_text(answers.min(), tick, i);
    case Answer::max: return value_text(answers.max(), tick, i);
    case Answer::rows: return rows_text(answers.rows(i));
    case Answer::count: break;
  }
  return no_match;
}

std::string key_text(const LoadedColumn& keys, const std::vector<std::string>& written,
                     std::size_t i) {
  return written.empty() ? keys.text(i) : written[i];
}

}  // namespace

AnswerTable::AnswerTable(AnswerSet answers, LookupKind kind, std::string tick)
    : answers_(answers), tick_(std::move(tick)), table_(header(answers, kind)) {}

void AnswerTable::append(const Lookups& lookups, std::size_t first, const Answers& answers) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<std::string> cells = {key_text(lookups.lower, lookups.lower_text, first + i)};
    if (lookups.kind == LookupKind::range)
      cells.push_back(key_text(lookups.upper, lookups.upper_text, first + i));
    for (const Answer answer : all_answers())
      if (answers_.has(answer)) cells.push_back(answer_text(answers, answer, tick_, i));
    table_.add(std::move(cells));
  }
}

}  // namespace rtindex::cli
