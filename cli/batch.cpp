#include "cli/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/answers.hpp"
#include "cli/interrupt.hpp"
#include "cli/opened_index.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "cli/value_columns.hpp"

namespace rtindex::cli {

namespace {

// LoadedQuery run in slices of a fraction of a second, for progress, Ctrl-C and bounded memory for
// the answers of a large batch.
class SliceSize {
 public:
  [[nodiscard]] std::size_t lookups() const { return lookups_; }
  void adapt(double seconds) {
    constexpr double moment = 0.25;
    if (seconds < moment / 2) lookups_ = std::min(2 * lookups_, largest);
    if (seconds > 2 * moment) lookups_ = std::max(lookups_ / 2, smallest);
  }

 private:
  static constexpr std::size_t smallest = std::size_t{1} << 10;
  static constexpr std::size_t largest = std::size_t{1} << 24;
  std::size_t lookups_ = std::size_t{1} << 12;
};

std::uint64_t count_matched(const Answers& answers) {
  std::uint64_t count = 0;
  for (const std::uint8_t byte : answers.matched_bitmap())
    count += static_cast<std::uint64_t>(std::popcount(byte));
  return count;
}

void add(Counters& total, const Counters& more) {
  total.rays += more.rays;
  total.cells += more.cells;
  total.tested += more.tested;
  total.hits += more.hits;
}

std::string counters_text(const Counters& counters) {
  return fmt::format("rays cast: {}\ncells read: {}\nkeys tested: {}\nhits: {}\n", counters.rays,
                     counters.cells, counters.tested, counters.hits);
}

// The outputs of answers: arrays in files, or records.
struct Sinks {
  OutputFormat format;
  AnswerFiles files;
  std::optional<AnswerRecords> records;
  std::optional<RecordWriter> writer;
  std::optional<RowMask> mask;

  void append(const LoadedQuery& lookups, std::size_t first, const Answers& answers) {
    files.append(answers);
    if (mask) mask->add(answers.bitmap());
    if (writer && !mask) records->write(*writer, lookups, first, answers, format);
  }
  // Writes what belongs to all lookups.
  void finish() {
    if (mask && format == OutputFormat::npy) files.append_mask(*mask);
    if (mask && writer) {
      const Array<bool> rows = mask->rows();
      for (const bool matches : rows.span()) writer->write({Cell::boolean(matches)});
    }
    files.commit();
  }
  [[nodiscard]] std::vector<std::string> paths(const std::string& output) const {
    std::vector<std::string> all = files.paths();
    const bool is_file = format == OutputFormat::csv || format == OutputFormat::jsonl;
    if (is_file && output != standard_stream) all.push_back(output);
    std::erase(all, standard_stream);
    return all;
  }
};

[[nodiscard]] std::size_t total_of(const std::vector<LoadedQuery>& lookups) {
  std::size_t total = 0;
  for (const LoadedQuery& some : lookups) total += some.size();
  return total;
}

// Answers batch after batch, each in slices.
class BatchRunner {
 public:
  BatchRunner(const Index& index, const AnswerOptions& answer_options,
              const std::optional<RowFilter>& filter, bool counts, bool checks_sums, Sinks& sinks,
              Summary& summary)
      : index_(index),
        answer_options_(answer_options),
        checks_sums_(checks_sums),
        filter_(filter),
        counts_(counts),
        sinks_(sinks),
        summary_(summary) {}

  void run(const std::vector<LoadedQuery>& lookups, Progress::Style style) {
    const InterruptGuard guard;
    summary_.lookups = total_of(lookups);
    Progress progress("looking up", summary_.lookups, style);
    for (const LoadedQuery& some : lookups) run(some, progress);
    progress.finish();
    sinks_.finish();
  }

 private:
  // Those of the call; beside sums of 64-bit integers what shows that one wrapped around.
  [[nodiscard]] AnswerOptions computed() const {
    AnswerOptions options = answer_options_;
    if (checks_sums_) options.answers = options.answers | Answer::mean | Answer::count;
    return options;
  }

  // Means are of sums of 128 bits.
  void require_whole_sums(const Answers& answers, std::size_t first) const {
    if (!checks_sums_) return;
    std::visit(
        [&]<class T>(const std::vector<T>& sums) {
          const double limit = std::is_signed_v<T> ? 0x1p63 : 0x1p64;
          for (std::size_t i = 0; i < sums.size(); ++i) {
            const double total = answers.mean()[i] * static_cast<double>(answers.count()[i]);
            // Rounding hides neither: a sum that wrapped around is far from the total.
            if (std::abs(total) >= limit * (1 - 0x1p-40) &&
                std::abs(total - static_cast<double>(sums[i])) >= 0x1p62)
              fail(
                  "the sum of lookup {} (counted from 0), about {:.6g}, exceeds 64 bits: request "
                  "mean and count, or pass values of float64, such as with --type v:float64",
                  first + i, total);
          }
        },
        answers.sum());
  }

  void run(const LoadedQuery& lookups, Progress& progress) {
    std::size_t first = 0;
    do {  // also once for an empty batch, whose output files have a type
      const std::size_t count = std::min(slice_.lookups(), lookups.size() - first);
      const auto start = Clock::now();
      Counters of_slice;
      const Query query = lookups.slice(first, count);
      const Answers answers = index_.answer(filter_ ? filter_->restricted(query) : query, computed_,
                                            {.counters = counts_ ? &of_slice : nullptr});
      const double seconds = seconds_since(start);
      add(summary_.counters, of_slice);
      slice_.adapt(seconds);
      summary_.lookup_seconds += seconds;
      summary_.matched += count_matched(answers);
      require_whole_sums(answers, first);
      sinks_.append(lookups, first, answers);
      first += count;
      done_ += count;
      progress.set(done_);
      InterruptGuard::check();
    } while (first < lookups.size());
  }

  const Index& index_;
  const AnswerOptions& answer_options_;
  bool checks_sums_;
  AnswerOptions computed_ = computed();
  const std::optional<RowFilter>& filter_;
  bool counts_;
  Sinks& sinks_;
  Summary& summary_;
  SliceSize slice_;
  std::size_t done_ = 0;
};

std::vector<std::string> all_files(const BatchOptions& options, const LookupSource& source) {
  std::vector<std::string> files = options.input_files();
  files.insert(files.end(), source.files.begin(), source.files.end());
  return files;
}

// The unit of keys, or of min and max, if these are times; empty otherwise.
std::string tick_of(const LoadedColumn& column) {
  return column.is_time() ? column.tick() : std::string();
}

std::string tick_of(const ChosenValues& values) {
  if (!values.included) return tick_of(values.column);
  if (values.included->type == Type::date32) return "D";
  return std::string(name_of(values.included->time_unit));
}

// Whether a sum may exceed 64 bits: never where all values together do not. Those of a saved index
// are not read.
bool sums_may_wrap(const ChosenValues& values) {
  const Type type = values.included ? values.included->type : values.column.type();
  if (type != Type::i64 && type != Type::u64) return false;
  if (values.included) return true;
  const ColumnView view = values.column.view();
  double total = 0;
  for (std::size_t row = 0; row < view.size(); ++row)
    total += type == Type::i64
                 ? std::abs(static_cast<double>(static_cast<const std::int64_t*>(view.data())[row]))
                 : static_cast<double>(static_cast<const std::uint64_t*>(view.data())[row]);
  return total >= 0x1p62;
}

}  // namespace

void run_batch(const BatchOptions& options, const LookupSource& source) {
  static_cast<void>(Spec(options.index));  // an invalid one is reported first
  const AnswerSet answers = options.answer_set();
  options.validate();
  if (!source.has_value && !options.describe) fail("missing lookups: pass {}", source.how);
  const OutputFormat format = output_format(options.output, options.output_format);
  const std::vector<std::string> inputs = all_files(options, source);
  if (format == OutputFormat::csv || format == OutputFormat::jsonl)
    require_output(options.output, inputs);
  const std::string arrays = format == OutputFormat::npy ? options.output : "";
  Sinks sinks{format, AnswerFiles(answers, arrays, options.matched, inputs), {}, {}, {}};
  if (answers.has(Answer::bitmap)) sinks.mask.emplace();

  OpenedIndex opened(options);
  const ChosenValues values =
      choose_values(options, opened.column, opened.index ? &*opened.index : nullptr);
  if (answers.has(Answer::sum) && !tick_of(values).empty())
    fail("--answer sum of dates or times: expected numbers; pass min, max or mean");
  if (opened.column.are_points() != source.of_points)
    fail("{} holds {}: {}", opened.column.name(), opened.column.type_text(),
         source.of_points ? "build it with --points to filter it"
                          : "search it with `rtindex filter --where ...`");
  std::vector<LoadedQuery> lookups;
  if (source.has_value) lookups = source.load(opened.queried());
  for (const LoadedQuery& some : lookups) {
    if (answers.has(Answer::key) && some.kind() != QueryKind::nearest)
      fail("--answer key is that of `rtindex nearest`: use it, or remove key");
    if (searches_intervals(some.kind()) && !opened.column.interval_ends())
      fail("{} holds keys, not intervals: build it with --start, --end and --ends", options.saved);
    some.require_fit(opened.queried());
  }
  opened.summary.add_note(values.column);
  for (const LoadedQuery& some : lookups) {
    opened.summary.add_note(some.lower);
    opened.summary.add_note(some.upper);
  }
  require_short_table(format, sinks.mask ? opened.column.size() : total_of(lookups));

  const std::optional<RowFilter> filter = options.load_filter();
  opened.build(options);
  if (source.has_value) {
    AnswerOptions answer_options{.answers = answers, .matched = true, .order = options.row_order()};
    if (values.included)
      answer_options.included = values.included->name;
    else if (!options.values.empty())
      answer_options.values = values.column.view();
    if (options.limit) answer_options.limit = *options.limit;
    AnswerTicks ticks{tick_of(values), tick_of(opened.column), {}};
    for (const LoadedColumn& part : opened.column.parts()) ticks.key_parts.push_back(tick_of(part));
    sinks.files.set_ticks(ticks);
    sinks.records.emplace(answers, answer_options.order, ticks);
    if (format != OutputFormat::npy)
      sinks.writer.emplace(format, options.output,
                           sinks.mask ? std::vector<std::string>{"bitmap"}
                                      : sinks.records->header(lookups.front(), format));
    const bool checks_sums = answers.has(Answer::sum) && sums_may_wrap(values);
    BatchRunner(*opened.index, answer_options, filter, options.counters, checks_sums, sinks,
                opened.summary)
        .run(lookups, options.progress_style());
  }

  // Standard output may hold the answers of -o -.
  std::FILE* const notes = options.output == standard_stream ? stderr : stdout;
  const char* const gap = format == OutputFormat::table && source.has_value ? "\n" : "";
  if (options.describe) fmt::print(notes, "{}{}", opened.index->describe(), gap);
  if (options.counters && source.has_value)
    fmt::print(notes, "{}{}", counters_text(opened.summary.counters), gap);
  if (sinks.writer) sinks.writer->commit();
  if (source.has_value) opened.summary.files = sinks.paths(options.output);
  opened.print_summary(options);
}

}  // namespace rtindex::cli
