#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/error.hpp"
#include "cli/answers.hpp"
#include "cli/batch.hpp"
#include "cli/interrupt.hpp"
#include "cli/key_input.hpp"
#include "cli/neighbour_options.hpp"
#include "cli/opened_index.hpp"
#include "cli/records.hpp"
#include "cli/verbs.hpp"
#include "column_files/npy_writer.hpp"

namespace rtindex::cli {

namespace {

struct JoinOptions : BatchOptions {
  KeyInput keys;
  RangeInput ranges;
  NeighbourOptions neighbours;
  bool asof = false;
  std::string how;         // empty: left with --asof, inner otherwise
  std::string range_ends;  // of ranges; empty: --ends
  std::string pair_order = "lookups";

  [[nodiscard]] JoinKind kind() const {
    if (how.empty()) return asof ? JoinKind::left : JoinKind::inner;
    return join_named(how);
  }
  // Whether the join has rows of the column, not only lookups.
  [[nodiscard]] bool has_rows() const {
    return kind() == JoinKind::inner || kind() == JoinKind::left;
  }

  void validate_join() const {
    validate();
    static_cast<void>(kind());
    static_cast<void>(join_order_named(pair_order));
    if (keys.has_value() && ranges.has_value())
      fail("conflicting keys and ranges: pass --keys, or --lower and --upper");
    if (!ranges.has_value()) {
      if (!keys.has_value())
        fail("missing lookups: pass --keys FILE, or --lower FILE and --upper FILE");
      keys.require_given();
    }
    if (asof && ranges.has_value()) fail("--asof needs --keys: remove the ranges");
    if (!asof && (neighbours.direction != "backward" || neighbours.no_exact ||
                  !neighbours.tolerance.empty()))
      fail("--direction, --no-exact and --tolerance need --asof: add it, or remove them");
    ranges.require_one_kind(ends);
    if (!ranges.has_value() && ends != "[]") fail("--ends needs ranges: pass --lower and --upper");
  }

  // --ends is that of intervals where there are any, else that of ranges.
  void choose_ends() {
    if (intervals.start.empty() && intervals.end.empty() && intervals.by.empty() &&
        !intervals.ends.empty())
      ends = std::exchange(intervals.ends, {});
    if (!range_ends.empty()) ends = range_ends;
  }
};

// 48 MiB of pairs at a time.
constexpr std::size_t max_pairs = std::size_t{1} << 22;

// The pairs of a join, batch by batch, in files or in a table.
class JoinOutput {
 public:
  JoinOutput(const JoinOptions& options, const std::vector<std::string>& inputs)
      : has_rows_(options.has_rows()),
        format_(output_format(options.output, options.output_format)),
        output_(options.output) {
    if (format_ != OutputFormat::npy) {
      if (!output_.empty()) require_output(output_, inputs);
      return;
    }
    if (output_ == standard_stream && has_rows_)
      fail("two arrays cannot go to standard output: pass --output-format csv or jsonl");
    require_output(output_, inputs);
    const std::string stem = output_.substr(0, output_.rfind('.'));
    lookups_path_ = has_rows_ ? stem + ".lookups.npy" : output_;
    if (has_rows_) rows_path_ = stem + ".rows.npy";
    for (const std::string& path : paths()) require_output(path, inputs);
    lookups_.emplace(lookups_path_, npy_descr<std::uint64_t>());
    if (has_rows_) rows_.emplace(rows_path_, npy_descr<std::uint32_t>());
  }

  // Before the first batch: the names of the columns follow from the lookups.
  void start(const LoadedQuery& lookups) {
    if (format_ == OutputFormat::npy) return;
    std::vector<std::string> header = lookup_names(lookups, format_);
    header.insert(header.begin(), "lookup");
    if (lookups.kind() == QueryKind::nearest)
      for (std::size_t i = 1; i < header.size(); ++i)
        header[i].replace(0, std::string_view("lookup").size(), "key");
    if (has_rows_) header.emplace_back("row");
    writer_.emplace(format_, output_, std::move(header));
  }

  // `first`: the number of the first lookup of this batch.
  void append(const JoinedRows& part, std::size_t first, const LoadedQuery& lookups) {
    pairs_ += part.lookups.size();
    if (lookups_) {
      std::vector<std::uint64_t> numbers = part.lookups;
      for (std::uint64_t& number : numbers) number += first;
      lookups_->append(std::span<const std::uint64_t>(numbers));
      if (rows_) rows_->append(std::span<const std::uint32_t>(part.rows));
      return;
    }
    require_short_table(format_, pairs_);
    for (std::size_t i = 0; i < part.lookups.size(); ++i) {
      std::vector<Cell> cells = lookup_cells(lookups, part.lookups[i], format_);
      cells.insert(cells.begin(), Cell::number(fmt::format("{}", first + part.lookups[i])));
      if (has_rows_) cells.push_back(Cell::row(part.rows[i]));
      writer_->write(cells);
    }
  }

  void finish() {
    if (lookups_) lookups_->commit();
    if (rows_) rows_->commit();
    if (writer_) writer_->commit();
  }
  [[nodiscard]] std::uint64_t pairs() const { return pairs_; }
  [[nodiscard]] std::vector<std::string> paths() const {
    std::vector<std::string> all = {lookups_path_, rows_path_};
    if (format_ != OutputFormat::npy) all = {output_};
    std::erase(all, "");
    std::erase(all, standard_stream);
    return all;
  }

 private:
  bool has_rows_;
  OutputFormat format_;
  std::string output_, lookups_path_, rows_path_;
  std::optional<NpyWriter> lookups_, rows_;
  std::optional<RecordWriter> writer_;
  std::uint64_t pairs_ = 0;
};

// Keys are joined with equal keys or with intervals that contain them, ranges with the keys in them
// or with intervals that overlap them.
std::vector<LoadedQuery> load_queries(const JoinOptions& options, const OpenedIndex& opened) {
  const LoadedColumn& column = opened.queried();
  const bool are_intervals = opened.column.interval_ends().has_value();
  std::vector<LoadedQuery> batches;
  if (options.ranges.has_value()) {
    batches = options.ranges.load(options, column,
                                  are_intervals ? QueryKind::overlaps : QueryKind::range);
  } else {
    batches.push_back(options.keys.load(options, column));
    if (options.asof)
      batches.back().settings = Query::nearest({}, options.neighbours.options(column));
    else if (are_intervals)
      batches.back().settings = Query::contains({});
  }
  for (const LoadedQuery& lookups : batches) lookups.require_fit(column);
  return batches;
}

void join(const JoinOptions& options) {
  options.validate_join();
  std::vector<std::string> inputs = options.input_files();
  for (const auto& files : {options.keys.files, options.ranges.files()})
    inputs.insert(inputs.end(), files.begin(), files.end());
  JoinOutput output(options, inputs);
  OpenedIndex opened(options);
  opened.require_no_points();
  const std::vector<LoadedQuery> batches = load_queries(options, opened);
  const std::optional<RowFilter> filter = options.load_filter();
  opened.build(options);

  output.start(batches.front());
  const InterruptGuard guard;
  const auto start = Clock::now();
  std::size_t total = 0;
  for (const LoadedQuery& lookups : batches) total += lookups.size();
  Progress progress("joining", total, options.progress_style());
  const rtindex::JoinOptions join_options{.order = join_order_named(options.pair_order)};
  std::size_t done = 0;
  for (const LoadedQuery& lookups : batches) {
    const std::size_t first = opened.summary.lookups;
    const Query query = filter ? filter->restricted(lookups.all()) : lookups.all();
    opened.index->join_batches(
        query, options.kind(), max_pairs,
        [&](const JoinedRows& batch) {
          output.append(batch, first, lookups);
          if (!batch.lookups.empty()) done = std::max(done, first + batch.lookups.back() + 1);
          progress.set(done);
          InterruptGuard::check();
        },
        join_options);
    opened.summary.lookups += lookups.size();
  }
  progress.finish();
  opened.summary.join_seconds = seconds_since(start);
  std::FILE* const notes = options.output == standard_stream ? stderr : stdout;
  if (options.describe) fmt::print(notes, "{}\n", opened.index->describe());
  output.finish();
  opened.summary.pairs = output.pairs();
  opened.summary.files = output.paths();
  opened.print_summary(options);
}

constexpr const char* join_examples =
    R"help(A pair is the number of a lookup and a rowID of the column. inner: all pairs; left: also
lookups without a match, with row 4294967295; semi: only lookups that match; anti: only the others.

Examples:
  rtindex join --column customer.npy --keys order_customer.npy -o pairs.npy
      All rows with the key of each lookup: pairs.lookups.npy and pairs.rows.npy.
  rtindex join --column customer.npy --keys order_customer.npy --how anti -o unknown.npy
      The lookups that no row matches.
  rtindex join --column day.npy --lower valid_from.npy --upper valid_to.npy --ends "[)" -o pairs.npy
      All rows in the range of each lookup: a band join.
  rtindex join --column people.csv --csv-column name --starts-with Ann --starts-with Bo
      All rows whose string begins with each text.
  rtindex join --column quote_time.npy --keys trade_time.npy --asof --tolerance 5s -o pairs.npy
      ASOF: the last quote at or before each trade, at most five seconds old.
  rtindex join --column quotes.csv --csv-column symbol --csv-column time --keys trades.csv --asof \
               -o pairs.npy
      Within each symbol: in composite keys the parts before the last must be equal.
  rtindex join --column prices.csv --start valid_from --end valid_to --ends "[)" --by article \
               --keys orders.csv --keys-csv-column article --keys-csv-column day -o pairs.csv
      Every order with the prices that were valid on its day; with --asof and without such a price,
      with the closest one. --lower and --upper find the intervals that overlap ranges.)help";

}  // namespace

void add_join(CLI::App& app) {
  auto options = std::make_shared<JoinOptions>();
  CLI::App* verb =
      app.add_subcommand("join", "Pair lookups with rows: equal keys, ranges, ASOF, intervals.");
  options->add_saved_to(*verb);
  options->add_filter_to(*verb);
  options->keys.add_to(*verb);
  options->ranges.add_to(*verb);
  options->intervals.add_to(*verb);
  verb->get_option("--ends")->description(
      "Which ends belong to ranges: \"[]\" (both, the default),\n"
      "\"[)\", \"(]\" or \"()\"; with --start, to the intervals:\n"
      "there is no default");
  verb->add_option("--range-ends", options->range_ends,
                   "Which ends belong to the ranges of a join with intervals")
      ->type_name("ENDS")
      ->group(interval_group);
  verb->add_option("--how", options->how, "inner, left, semi or anti (inner; left with --asof)")
      ->type_name("HOW")
      ->group(output_group);
  verb->add_option("--order", options->pair_order,
                   "lookups: pairs in the order of the lookups (default); any:\n"
                   "in the order that is fastest")
      ->type_name("ORDER")
      ->group(output_group);
  verb->add_flag("--asof", options->asof, "Join each key with its neighbour")
      ->group(neighbour_group);
  verb->add_option("--direction", options->neighbours.direction,
                   "Of the neighbour: backward (default), forward or nearest")
      ->type_name("DIRECTION")
      ->group(neighbour_group);
  options->neighbours.add_to(*verb);
  options->add_index_to(*verb);
  options->add_files_to(*verb,
                        "Output: OUT.csv, OUT.jsonl (JSON lines), - (standard output)\n"
                        "or OUT.npy, which writes OUT.lookups.npy and OUT.rows.npy,\n"
                        "or OUT.npy alone for semi and anti; without it, a table on\n"
                        "stdout");
  verb->footer(join_examples);
  verb->callback([options] {
    options->choose_ends();
    join(*options);
  });
}

}  // namespace rtindex::cli
