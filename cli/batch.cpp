#include "cli/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include <rtindex/rtindex.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/answers.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"

namespace rtindex::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Progress::Style progress_style(const BatchOptions& options) {
  return options.quiet ? Progress::Style::silent : Progress::on_terminal_only();
}

// Lookups run in slices of a fraction of a second, for progress, Ctrl-C and bounded memory for the
// answers of a large batch.
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

// The outputs of answers: files, a table on stdout, or both.
struct Sinks {
  AnswerFiles files;
  std::optional<AnswerTable> table;
};

void answer_all(const Index& index, const Lookups& lookups, const LookupOptions& wanted,
                Sinks& sinks, Progress::Style style, Summary& summary) {
  const InterruptGuard guard;
  Progress progress("looking up", lookups.size(), style);
  SliceSize slice;
  std::size_t first = 0;
  do {  // also once for an empty batch, whose output files have a type
    const std::size_t count = std::min(slice.lookups(), lookups.size() - first);
    const auto start = Clock::now();
    const Answers answers = lookups.answer(index, wanted, first, count);
    const double seconds = seconds_since(start);
    if (wanted.counters != nullptr) add(summary.counters, *wanted.counters);
    slice.adapt(seconds);
    summary.lookup_seconds += seconds;
    summary.matched += count_matched(answers);
    sinks.files.append(answers);
    if (sinks.table) sinks.table->append(lookups, first, answers);
    first += count;
    progress.set(first);
    InterruptGuard::check();
  } while (first < lookups.size());
  summary.lookups = lookups.size();
  sinks.files.commit();
}

std::vector<std::string> input_files(const BatchOptions& options, const LookupSource& source) {
  std::vector<std::string> files = source.files;
  files.push_back(options.saved.empty() ? options.column : options.saved);
  if (!options.values.empty()) files.push_back(options.values);
  return files;
}

// The unit of min and max, if the values are times; empty otherwise.
std::string tick_of_values(const LoadedColumn& values, const Index& index) {
  if (values.size() != 0) return values.is_time() ? values.tick() : std::string();
  if (index.included() == Type::date32) return "D";
  if (index.included() != Type::timestamp64) return {};
  return std::string(name_of(index.included_time_unit()));
}

}  // namespace

void run_batch(const BatchOptions& options, const LookupSource& source) {
  const Spec spec(options.index);
  const AnswerSet answers = options.answer_set();
  options.validate();
  if (!source.given && !options.describe) fail("missing lookups: pass {}", source.how);
  Sinks sinks{AnswerFiles(answers, options.output, options.matched, input_files(options, source))};

  Summary summary;
  std::optional<Index> index;
  LoadedColumn column;
  if (options.saved.empty()) {
    column = load(options.column_file());
  } else {
    const auto start = Clock::now();
    index.emplace(
        load(options.saved, {.verify = options.verify == "full" ? Verify::full : Verify::quick}));
    summary.build_seconds = seconds_since(start);
    summary.loaded = true;
    column = column_of(*index, options.saved);
    if (options.wants_values() && options.values.empty() && !index->included())
      fail(
          "{} includes no values: pass --values FILE with one value per row, or build the index "
          "with --include FILE",
          options.saved);
  }
  Lookups lookups;
  if (source.given) {
    lookups = source.load(column);
    lookups.require_fit(column);
  }
  const LoadedColumn values = options.load_values(column);
  if (options.output.empty() && source.given) {
    if (lookups.size() > most_table_lookups)
      fail("{} lookups: expected at most {} for a table; pass -o OUT.npy to write a file",
           lookups.size(), most_table_lookups);
  }

  if (!index) {
    const auto start = Clock::now();
    const Progress building("building " + spec.text(), 0, progress_style(options));
    index.emplace(build(column.view(), spec));
    summary.build_seconds = seconds_since(start);
  }
  if (source.given) {
    LookupOptions wanted{.answers = answers, .matched = true};
    if (!options.values.empty()) wanted.values = values.view();
    if (options.limit) wanted.limit = *options.limit;
    Counters of_slice;
    if (options.counters) wanted.counters = &of_slice;
    const std::string tick = tick_of_values(values, *index);
    sinks.files.set_tick(tick);
    if (options.output.empty()) sinks.table.emplace(answers, lookups.kind, tick);
    answer_all(*index, lookups, wanted, sinks, progress_style(options), summary);
  }

  if (options.describe) fmt::print("{}{}", index->describe(), sinks.table ? "\n" : "");
  if (options.counters && source.given)
    fmt::print("{}{}", counters_text(summary.counters), sinks.table ? "\n" : "");
  if (sinks.table) fmt::print("{}", sinks.table->text());
  std::fflush(stdout);
  if (!options.quiet) {
    summary.files = source.given ? sinks.files.paths() : std::vector<std::string>();
    fmt::print(stderr, "{}", summary.text(column, *index));
  }
}

}  // namespace rtindex::cli
