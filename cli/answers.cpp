#include "cli/answers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>
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

// NaN has a sign that means nothing.
template <class T>
std::string number_text(T number) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(number)) return "nan";
  return fmt::format("{}", number);
}

std::string aggregate_text(const Aggregates& aggregates, std::size_t i) {
  return std::visit([&](const auto& numbers) { return number_text(numbers[i]); }, aggregates);
}

// A number, or a time if the values are times.
Cell value_cell(const Aggregates& aggregates, const std::string& tick, std::size_t i) {
  const auto* const times = std::get_if<std::vector<std::int64_t>>(&aggregates);
  return tick.empty() || times == nullptr ? Cell::number(aggregate_text(aggregates, i))
                                          : Cell::words(time_text((*times)[i], tick));
}

// A mean of dates is a time of day.
Cell mean_cell(double mean, const std::string& tick) {
  if (tick.empty()) return Cell::number(number_text(mean));
  const bool is_date = tick == "D";
  return Cell::words(time_text(std::llround(is_date ? mean * 86'400 : mean), is_date ? "s" : tick));
}

// Elements of a column of times.
std::int64_t ticks_at(const ColumnView& keys, std::size_t i) {
  return keys.type() == Type::date32 ? static_cast<const std::int32_t*>(keys.data())[i]
                                     : static_cast<const std::int64_t*>(keys.data())[i];
}

// A composite key, as LoadedColumn::text() writes it.
std::string tuple_text(const ColumnView& keys, const std::vector<std::string>& ticks,
                       std::size_t i) {
  std::string text;
  for (std::size_t p = 0; p < keys.parts().size(); ++p) {
    const ColumnView& part = keys.parts()[p];
    const bool is_time = !ticks[p].empty() && part.valid(i);
    text +=
        (p == 0 ? "(" : ", ") + (is_time ? time_text(ticks_at(part, i), ticks[p]) : part.text(i));
  }
  return text + ")";
}

Cell neighbour_cell(const ColumnView& keys, const AnswerTicks& ticks, std::size_t i) {
  const std::string& tick = ticks.keys;
  if (keys.parts().size() == ticks.key_parts.size() && !ticks.key_parts.empty())
    return Cell::words(tuple_text(keys, ticks.key_parts, i));
  if (keys.type() == Type::string) return Cell::words(std::string(keys.string(i)));
  if (!tick.empty()) return Cell::words(time_text(ticks_at(keys, i), tick));
  if (keys.type() == Type::boolean) return Cell::boolean(keys.text(i) != "0");
  const bool is_number = is_integer(keys.type()) || is_float(keys.type());
  return is_number ? Cell::number(keys.text(i)) : Cell::words(keys.text(i));
}

// The key that is written to a file for a lookup without a neighbour.
template <class T>
T no_key() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return T{};
}

}  // namespace

void RowMask::add(const BitmapView& matching) {
  rows_ = matching.rows;
  bits_.resize(bitmap_bytes(rows_));
  bitmap_or({bits_.data(), rows_}, matching, bits_.data());
}

Array<bool> RowMask::rows() const {
  const BitmapView mask{bits_.data(), rows_};
  Array<bool> rows(rows_);
  for (std::size_t row = 0; row < rows_; ++row) rows[row] = mask.has(row);
  return rows;
}

AnswerFiles::AnswerFiles(AnswerSet answers, const std::string& output, const std::string& matched,
                         const std::vector<std::string>& inputs)
    : answers_(output.empty() ? AnswerSet() : answers) {
  if (!output.empty()) {
    const bool to_stdout = output == standard_stream;
    const std::string stem = to_stdout ? output : stem_of(output, "-o");
    std::vector<std::string> parts;
    for (const Answer answer : all_answers())
      if (answers.has(answer) && answer != Answer::rows) parts.emplace_back(name_of(answer));
    const bool alone = parts.size() == 1 && !answers.has(Answer::rows);
    if (to_stdout && !alone)
      fail(
          "several arrays cannot go to standard output: pass one --answer other than rows, or "
          "--output-format csv or jsonl");
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
  for (const auto& [part, path] : paths_) require_output(path, inputs);
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

void AnswerFiles::append_mask(const RowMask& mask) {
  const Array<bool> rows = mask.rows();
  append_to("bitmap", std::span<const bool>(rows.span()));
}

void AnswerFiles::commit() {
  for (auto& [part, writer] : writers_) writer.commit();
}

namespace {

const char* key_name(QueryKind kind) {
  if (has_two_ends(kind)) return "lower";
  if (kind == QueryKind::prefix) return "prefix";
  if (kind == QueryKind::box) return "filter";
  return kind == QueryKind::nearest ? "lookup" : "key";
}

std::string written(const std::vector<std::string>& texts, std::size_t i) {
  return texts.empty() ? "" : texts[i];
}

// A composite key as one cell of a table.
void append_tuple(std::vector<Cell>& cells, const LoadedColumn& column, std::size_t i,
                  const std::string& text) {
  if (column.parts().empty()) return append_cells(cells, column, i, text);
  cells.push_back(Cell::words(text.empty() && i < column.size() ? column.text(i) : text));
}

bool is_of_values(Answer answer) {
  return (Answer::sum | Answer::mean | Answer::min | Answer::max).has(answer);
}

// Whether a row of lookup i has a value that is not null.
bool has_value(const Answers& answers, std::size_t i) {
  const std::span<const std::uint8_t> bits = answers.validity_bitmap();
  return bits.empty() || (bits[i / 8] >> (i % 8) & 1) != 0;
}

}  // namespace

std::vector<std::string> lookup_names(const LoadedQuery& lookups, OutputFormat format) {
  if (format == OutputFormat::table) {
    std::vector<std::string> names = {key_name(lookups.kind())};
    if (has_two_ends(lookups.kind())) names.emplace_back("upper");
    return names;
  }
  // A missing end has the parts of the other one.
  std::vector<std::string> names;
  append_names(names, key_name(lookups.kind()), lookups.has_lower ? lookups.lower : lookups.upper);
  if (has_two_ends(lookups.kind()))
    append_names(names, "upper", lookups.has_upper ? lookups.upper : lookups.lower);
  return names;
}

std::vector<Cell> lookup_cells(const LoadedQuery& lookups, std::size_t i, OutputFormat format) {
  std::vector<Cell> cells;
  if (lookups.kind() == QueryKind::box) return {Cell::words(written(lookups.lower_text, i))};
  const auto append = format == OutputFormat::table ? append_tuple : append_cells;
  const auto append_end = [&](bool has_value, const LoadedColumn& column, const LoadedColumn& other,
                              const std::vector<std::string>& texts) {
    if (has_value) return append(cells, column, i, written(texts, i));
    const bool in_table = format == OutputFormat::table;
    cells.resize(cells.size() + (in_table ? 1 : std::max<std::size_t>(1, other.parts().size())));
  };
  append_end(lookups.has_lower, lookups.lower, lookups.upper, lookups.lower_text);
  if (has_two_ends(lookups.kind()))
    append_end(lookups.has_upper, lookups.upper, lookups.lower, lookups.upper_text);
  return cells;
}

std::vector<std::string> AnswerRecords::header(const LoadedQuery& lookups,
                                               OutputFormat format) const {
  std::vector<std::string> names = lookup_names(lookups, format);
  for (const Answer answer : all_answers())
    if (answers_.has(answer)) names.emplace_back(name_of(answer));
  return names;
}

Cell AnswerRecords::cell(const Answers& answers, Answer answer, std::size_t i) const {
  if (answer == Answer::count) return Cell::number(fmt::format("{}", answers.count()[i]));
  if (answer == Answer::rows && !answers.matched(i))
    return {.kind = Cell::Kind::rows, .shown = "-"};
  if (!answers.matched(i) || (is_of_values(answer) && !has_value(answers, i))) return {};
  switch (answer) {
    case Answer::any: return Cell::row(answers.any()[i]);
    case Answer::first: return Cell::row(answers.first()[i]);
    case Answer::last: return Cell::row(answers.last()[i]);
    case Answer::sum: return Cell::number(aggregate_text(answers.sum(), i));
    case Answer::mean: return mean_cell(answers.mean()[i], ticks_.values);
    case Answer::min: return value_cell(answers.min(), ticks_.values, i);
    case Answer::max: return value_cell(answers.max(), ticks_.values, i);
    case Answer::rows: break;
    case Answer::key: return neighbour_cell(answers.keys(), ticks_, i);
    case Answer::count:
    case Answer::bitmap:
    case Answer::bitmaps: return {};
  }
  Cell rows{.kind = Cell::Kind::rows};
  rows.rows.assign(answers.rows(i).begin(), answers.rows(i).end());
  if (order_ == RowOrder::any) std::sort(rows.rows.begin(), rows.rows.end());
  return rows;
}

void AnswerRecords::write(RecordWriter& out, const LoadedQuery& lookups, std::size_t first,
                          const Answers& answers, OutputFormat format) const {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<Cell> cells = lookup_cells(lookups, first + i, format);
    for (const Answer answer : all_answers())
      if (answers_.has(answer)) cells.push_back(cell(answers, answer, i));
    out.write(cells);
  }
}

}  // namespace rtindex::cli
