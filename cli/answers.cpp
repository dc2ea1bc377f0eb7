#include "cli/answers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view extension = ".npy";

std::string stem_of(const std::string& path, std::string_view option) {
  if (!path.ends_with(extension) || fs::path(path).filename() == extension)
    fail("invalid {} {}: expected a name that ends in .npy", option, path);
  return path.substr(0, path.size() - extension.size());
}

void require_not_input(const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code error;
    if (fs::equivalent(path, input, error) && !error)
      fail("{} is also an input file: pass another output file", path);
  }
}

constexpr std::size_t max_rows_shown = 12;
const std::string no_match = "-";

std::vector<std::string> header(AnswerSet answers, QueryKind kind) {
  std::vector<std::string> names = {"key"};
  if (has_two_ends(kind) || kind == QueryKind::prefix) names = {"lower", "upper"};
  if (kind == QueryKind::nearest) names = {"lookup"};
  for (const Answer answer : all_answers())
    if (answers.has(answer)) names.emplace_back(name_of(answer));
  return names;
}

// Rows without an order are shown in ascending order.
std::string rows_text(std::span<const std::uint32_t> rows, RowOrder order) {
  std::vector<std::uint32_t> shown(rows.begin(), rows.end());
  if (order == RowOrder::any) std::sort(shown.begin(), shown.end());
  if (shown.size() <= max_rows_shown) return fmt::format("{}", fmt::join(shown, " "));
  const std::size_t hidden = shown.size() - max_rows_shown;
  shown.resize(max_rows_shown);
  return fmt::format("{} and {} more", fmt::join(shown, " "), hidden);
}

std::string aggregate_text(const Aggregates& aggregates, std::size_t i) {
  return std::visit([&](const auto& numbers) { return fmt::format("{}", numbers[i]); }, aggregates);
}

// A number, or a time if the values are times.
std::string value_text(const Aggregates& aggregates, const std::string& tick, std::size_t i) {
  const auto* const times = std::get_if<std::vector<std::int64_t>>(&aggregates);
  return tick.empty() || times == nullptr ? aggregate_text(aggregates, i)
                                          : time_text((*times)[i], tick);
}

// Elements of a column of times.
std::int64_t ticks_at(const ColumnView& keys, std::size_t i) {
  return keys.type() == Type::date32 ? static_cast<const std::int32_t*>(keys.data())[i]
                                     : static_cast<const std::int64_t*>(keys.data())[i];
}

std::string neighbour_text(const ColumnView& keys, const std::string& tick, std::size_t i) {
  if (keys.type() == Type::string) return std::string(keys.string(i));
  return tick.empty() ? keys.text(i) : time_text(ticks_at(keys, i), tick);
}

// The key that is written to a file for a lookup without a neighbour.
template <class T>
T no_key() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return T{};
}

// The text of a missing end is empty.
std::string key_text(const LoadedColumn& keys, const std::vector<std::string>& written,
                     std::size_t i) {
  if (!written.empty()) return written[i];
  return i < keys.size() ? keys.text(i) : std::string();
}

}  // namespace

void require_output_file(const std::string& path, std::string_view option,
                         const std::vector<std::string>& inputs) {
  static_cast<void>(stem_of(path, option));
  AtomicFile::require_writable(path);
  require_not_input(path, inputs);
}

AnswerFiles::AnswerFiles(AnswerSet answers, const std::string& output, const std::string& matched,
                         const std::vector<std::string>& inputs)
    : answers_(output.empty() ? AnswerSet() : answers) {
  if (!output.empty()) {
    const std::string stem = stem_of(output, "-o");
    std::vector<std::string> parts;
    for (const Answer answer : all_answers())
      if (answers.has(answer) && answer != Answer::rows) parts.emplace_back(name_of(answer));
    const bool alone = parts.size() == 1 && !answers.has(Answer::rows);
    if (answers.has(Answer::rows)) parts.insert(parts.end(), {"offsets", "rows"});
    for (const std::string& part : parts)
      paths_[part] = alone ? output : fmt::format("{}.{}{}", stem, part, extension);
  }
  if (!matched.empty()) {
    static_cast<void>(stem_of(matched, "--matched"));
    for (const auto& [part, path] : paths_)
      if (fs::path(path).lexically_normal() == fs::path(matched).lexically_normal())
        fail("--matched {} is also an output of answers: pass another file", matched);
    paths_["matched"] = matched;
  }
  for (const auto& [part, path] : paths_) {
    AtomicFile::require_writable(path);
    require_not_input(path, inputs);
  }
}

std::vector<std::string> AnswerFiles::paths() const {
  std::vector<std::string> list;
  for (const auto& [part, path] : paths_) list.push_back(path);
  return list;
}

template <class T>
void AnswerFiles::append_to(const std::string& part, std::span<const T> elements,
                            std::string_view descr) {
  writers_.try_emplace(part, paths_.at(part), descr).first->second.append(elements);
}

// Values of times are written as datetime64; a miss is NaT.
void AnswerFiles::append_values(const std::string& part, const Aggregates& values) {
  std::visit(
      [&]<class T>(const std::vector<T>& numbers) {
        if (std::is_same_v<T, std::int64_t> && !ticks_.values.empty())
          append_to(part, std::span(numbers), npy_time_descr(ticks_.values));
        else
          append_to(part, std::span(numbers));
      },
      values);
}

void AnswerFiles::append_keys(const ColumnView& keys) {
  if (!is_native(keys.type()))
    fail(
        "--answer key of {} keys has no .npy file: write any, the row of the neighbour, or print "
        "a table",
        name_of(keys.type()));
  if (!ticks_.keys.empty()) {
    std::vector<std::int64_t> ticks(keys.size(), std::numeric_limits<std::int64_t>::min());
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys.valid(i)) ticks[i] = ticks_at(keys, i);
    append_to("key", std::span<const std::int64_t>(ticks), npy_time_descr(ticks_.keys));
    return;
  }
  visit_native(keys.type(), [&]<class T>() {
    using Value = std::conditional_t<std::is_same_v<T, Bool8>, bool, value_t<T>>;
    Array<Value> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      values[i] = keys.valid(i)
                      ? static_cast<Value>(value_of(static_cast<const T*>(keys.data())[i]))
                      : no_key<Value>();
    append_to("key", std::span<const Value>(values.span()));
  });
}

void AnswerFiles::append(const Answers& answers) {
  if (answers_.has(Answer::any)) append_to("any", answers.any());
  if (answers_.has(Answer::first)) append_to("first", answers.first());
  if (answers_.has(Answer::last)) append_to("last", answers.last());
  if (answers_.has(Answer::count)) append_to("count", answers.count());
  if (answers_.has(Answer::sum))
    std::visit([&](const auto& sums) { append_to("sum", std::span(sums)); }, answers.sum());
  if (answers_.has(Answer::mean)) append_to("mean", answers.mean());
  if (answers_.has(Answer::min)) append_values("min", answers.min());
  if (answers_.has(Answer::max)) append_values("max", answers.max());
  if (answers_.has(Answer::rows)) append_rows(answers);
  if (answers_.has(Answer::key)) append_keys(answers.keys());
  if (paths_.contains("matched")) append_matched(answers);
  first_batch_ = false;
}

void AnswerFiles::append_rows(const Answers& answers) {
  // The last offset of a batch is the first of the next one.
  const std::span<const std::uint64_t> offsets = answers.offsets().subspan(first_batch_ ? 0 : 1);
  std::vector<std::uint64_t> shifted(offsets.begin(), offsets.end());
  for (std::uint64_t& offset : shifted) offset += rows_;
  rows_ += answers.rows().size();
  append_to("offsets", std::span<const std::uint64_t>(shifted));
  append_to("rows", answers.rows());
}

void AnswerFiles::append_matched(const Answers& answers) {
  Array<bool> matched(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) matched[i] = answers.matched(i);
  append_to("matched", std::span<const bool>(matched.span()));
}

void AnswerFiles::commit() {
  for (auto& [part, writer] : writers_) writer.commit();
}

AnswerTable::AnswerTable(AnswerSet answers, QueryKind kind, RowOrder order, AnswerTicks ticks)
    : answers_(answers), order_(order), ticks_(std::move(ticks)), table_(header(answers, kind)) {}

std::string AnswerTable::answer_text(const Answers& answers, Answer answer, std::size_t i) const {
  if (answer == Answer::count) return fmt::format("{}", answers.count()[i]);
  if (!answers.matched(i)) return no_match;
  switch (answer) {
    case Answer::any: return fmt::format("{}", answers.any()[i]);
    case Answer::first: return fmt::format("{}", answers.first()[i]);
    case Answer::last: return fmt::format("{}", answers.last()[i]);
    case Answer::sum: return aggregate_text(answers.sum(), i);
    case Answer::mean: return fmt::format("{}", answers.mean()[i]);
    case Answer::min: return value_text(answers.min(), ticks_.values, i);
    case Answer::max: return value_text(answers.max(), ticks_.values, i);
    case Answer::rows: return rows_text(answers.rows(i), order_);
    case Answer::key: return neighbour_text(answers.keys(), ticks_.keys, i);
    case Answer::count:
    case Answer::bitmap:
    case Answer::bitmaps: break;
  }
  return no_match;
}

void AnswerTable::append(const LoadedQuery& lookups, std::size_t first, const Answers& answers) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<std::string> cells = {key_text(lookups.lower, lookups.lower_text, first + i)};
    if (has_two_ends(lookups.kind()) || lookups.kind() == QueryKind::prefix)
      cells.push_back(lookups.kind() == QueryKind::prefix
                          ? cells.front() + "..."
                          : key_text(lookups.upper, lookups.upper_text, first + i));
    for (const Answer answer : all_answers())
      if (answers_.has(answer)) cells.push_back(answer_text(answers, answer, i));
    table_.add(std::move(cells));
  }
}

}  // namespace rtindex::cli
